// SPDX-License-Identifier: MIT
#include <algorithm>
#include <chrono>

#include <interlock/fair_mutex.h>

#include "scenarios/subjects/lease_adapter.h"
#include "scenarios/subjects/mutex_adapter.h"
#include "scenarios/subjects/subjects.h"

namespace interlock::scenarios::subjects {
namespace {

using std::chrono::milliseconds;

class Adapter final : public MutexAdapter {
 public:
  std::string_view name() const override { return "fair-mutex"; }
  std::string_view summary() const override {
    return "interlock::FairMutex: one holder at a time, first come, first served";
  }
  harness::Traits traits() const override {
    return {.can_extend = true, .fencing = true, .bypass_bound = 0};
  }
  std::vector<harness::Promise> Promises() const override { return PromisesWithOrder(); }

  std::unique_ptr<harness::Lock> NewLock(harness::Environment& environment,
                                         const harness::LockOptions& options) const override {
    return std::make_unique<LeaseLock<FairMutex>>(environment, [&options](Client& client) {
      FairMutexOptions mutex;
      mutex.key_prefix = options.key_prefix;
      mutex.lease = options.lease;
      return FairMutex::Create(client, options.resource, mutex);
    });
  }

  std::vector<harness::AuxiliaryKey> AuxiliaryKeys(
      const harness::LockOptions& options) const override {
    const FairMutexOptions used;
    const Duration sleep = std::max<Duration>(options.lease, used.retry.max_wait);
    const auto live = std::chrono::duration_cast<milliseconds>(sleep + used.grace);
    const std::string key = KeyOf(options);
    std::vector<harness::AuxiliaryKey> keys = MutexAdapter::AuxiliaryKeys(options);
    keys.push_back({key + ":queue", live});
    keys.push_back({key + ":waiters", live});
    keys.push_back({key + ":turn:*", options.lease});
    return keys;
  }
};

}  // namespace

std::shared_ptr<const harness::Subject> FairMutexSubject() {
  return std::make_shared<const Adapter>();
}

}  // namespace interlock::scenarios::subjects
