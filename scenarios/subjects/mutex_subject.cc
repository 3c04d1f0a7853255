// SPDX-License-Identifier: MIT
#include <interlock/mutex.h>

#include "scenarios/subjects/lease_adapter.h"
#include "scenarios/subjects/mutex_adapter.h"
#include "scenarios/subjects/subjects.h"

namespace interlock::scenarios::subjects {
namespace {

/// How many leases a renewed one lasts at most, however long its holder stays.
constexpr int kRenewedLeases = 3;

class Adapter final : public MutexAdapter {
 public:
  explicit Adapter(bool renews) : renews_(renews) {}

  std::string_view name() const override { return renews_ ? "mutex.renewed" : "mutex"; }
  std::string_view summary() const override {
    return renews_ ? "interlock::Mutex, each lease kept alive while it is held"
                   : "interlock::Mutex: one holder at a time, by lease";
  }
  harness::Traits traits() const override {
    return {.can_extend = true, .fencing = true, .renews = renews_};
  }

  std::unique_ptr<harness::Lock> NewLock(harness::Environment& environment,
                                         const harness::LockOptions& options) const override {
    const auto create = [&options](Client& client) {
      MutexOptions mutex;
      mutex.key_prefix = options.key_prefix;
      mutex.lease = options.lease;
      return Mutex::Create(client, options.resource, mutex);
    };
    const Duration longest_hold = renews_ ? kRenewedLeases * options.lease : Duration(0);
    return std::make_unique<LeaseLock<Mutex>>(environment, create, Renewal{longest_hold});
  }

 private:
  const bool renews_;
};

}  // namespace

std::shared_ptr<const harness::Subject> MutexSubject() {
  return std::make_shared<const Adapter>(false);
}

std::shared_ptr<const harness::Subject> RenewedMutexSubject() {
  return std::make_shared<const Adapter>(true);
}

}  // namespace interlock::scenarios::subjects
