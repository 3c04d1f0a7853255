// SPDX-License-Identifier: MIT
#include <charconv>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <interlock/single_file.h>

#include "scenarios/locks/subjects/lease_adapter.h"
#include "scenarios/locks/subjects/line_keys.h"
#include "scenarios/locks/subjects/mutex_adapter.h"
#include "scenarios/locks/subjects/permit_adapter.h"
#include "scenarios/locks/subjects/subjects.h"

namespace interlock::scenarios::subjects {
namespace {

class SingleFileAdapter final : public PermitAdapter {
 public:
  std::string_view name() const override { return "single-file"; }
  std::string_view summary() const override {
    return "interlock::SingleFile: permits with leases of their own, first come, first served";
  }
  harness::Traits traits() const override {
    harness::Traits traits = PermitAdapter::traits();
    traits.bypass_bound = 0;
    return traits;
  }
  std::vector<harness::Promise> Promises() const override {
    return WithOrder(PermitAdapter::Promises());
  }

  /// One value holds all permits, ";<token> <fencing token> <end of the lease>" for each.
  std::optional<std::vector<harness::Owner>> Owners(
      const harness::ServerView& server, const harness::LockOptions& options) const override {
    std::vector<harness::Owner> owners;
    const std::optional<std::string> permits = server.String(KeyText(options, ":holders").view());
    std::string_view rest = permits.has_value() ? std::string_view(*permits) : std::string_view();
    while (!rest.empty()) {
      const std::string_view permit = rest.substr(1, rest.find(';', 1) - 1);
      rest.remove_prefix(1 + permit.size());
      const std::string_view end = permit.substr(permit.rfind(' ') + 1);
      std::int64_t expires_at_ms = 0;
      std::from_chars(end.data(), end.data() + end.size(), expires_at_ms);
      if (expires_at_ms < server.NowMs()) continue;
      owners.push_back({std::string(permit.substr(0, permit.find(' '))), expires_at_ms, false,
                        harness::LastMs::kOwned});
    }
    return owners;
  }

  std::chrono::milliseconds WakeUpBound(const harness::LockOptions& options) const override {
    return LongestSleep(options, SingleFileOptions().retry.max_wait);
  }
  std::optional<std::chrono::milliseconds> PassedOverBound(
      const harness::LockOptions& options) const override {
    const SingleFileOptions used;
    return PassesOverWithin(options, used.retry.max_wait, used.grace);
  }

  std::vector<harness::AuxiliaryKey> AuxiliaryKeys(
      const harness::LockOptions& options) const override {
    std::vector<harness::AuxiliaryKey> keys = PermitAdapter::AuxiliaryKeys(options);
    const SingleFileOptions used;
    AddLineKeys(options, used.retry.max_wait, used.grace, keys);
    return keys;
  }

  std::unique_ptr<harness::Lock> NewLock(harness::Environment& environment,
                                         const harness::LockOptions& options) const override {
    return std::make_unique<LeaseLock<SingleFile>>(environment, [&options](Client& client) {
      SingleFileOptions single_file;
      single_file.name = options.resource;
      single_file.key_prefix = options.key_prefix;
      single_file.concurrency = options.permits;
      single_file.expire_in = options.lease;
      return SingleFile::Create(client, single_file);
    });
  }

 private:
  std::chrono::milliseconds LimitStands() const override { return std::chrono::milliseconds(0); }
};

}  // namespace

std::shared_ptr<const harness::Subject> SingleFileSubject() {
  return std::make_shared<const SingleFileAdapter>();
}

}  // namespace interlock::scenarios::subjects
