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
#include "scenarios/locks/subjects/line_adapter.h"
#include "scenarios/locks/subjects/mutex_adapter.h"
#include "scenarios/locks/subjects/permit_adapter.h"
#include "scenarios/locks/subjects/subjects.h"

namespace interlock::scenarios::subjects {
namespace {

class SingleFileAdapter final : public LineAdapter<PermitAdapter, SingleFileOptions> {
 public:
  std::string_view name() const override { return "single-file"; }
  std::string_view summary() const override {
    return "interlock::SingleFile: permits with leases of their own, first come, first served";
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

  std::unique_ptr<harness::Lock> NewLock(harness::Environment& environment,
                                         const harness::LockOptions& options) const override {
    return std::make_unique<LeaseLock<SingleFile>>(environment, [&options](Client& client) {
      return SingleFile::Create(client, {.name = options.resource,
                                         .key_prefix = options.key_prefix,
                                         .concurrency = options.permits,
                                         .expire_in = options.lease});
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
