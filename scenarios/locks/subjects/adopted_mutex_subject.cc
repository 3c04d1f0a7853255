// SPDX-License-Identifier: MIT
#include <chrono>
#include <memory>
#include <string_view>

#include <interlock/mutex.h>

#include "scenarios/locks/subjects/adopting_lock.h"
#include "scenarios/locks/subjects/mutex_adapter.h"
#include "scenarios/locks/subjects/subjects.h"

namespace interlock::scenarios::subjects {
namespace {

class AdoptedMutexAdapter final : public MutexAdapter {
 public:
  std::string_view name() const override { return "mutex.adopted"; }
  std::string_view summary() const override {
    return "interlock::Mutex, each lease handed over as a text and adopted by another Client";
  }
  harness::Traits traits() const override {
    return {
        .can_extend = true, .fencing = true, .own_leases = true, .stops = true, .concurrent = true};
  }
  /// The request, and the adoption after it.
  std::chrono::milliseconds OverrunBound(const harness::LockOptions& options) const override {
    return 2 * MutexAdapter::OverrunBound(options);
  }
  std::unique_ptr<harness::Lock> NewLock(harness::Environment& environment,
                                         const harness::LockOptions& options) const override {
    return std::make_unique<AdoptingLock<Mutex>>(environment, [&options](Client& client) {
      MutexOptions mutex;
      mutex.key_prefix = options.key_prefix;
      mutex.lease = options.lease;
      return Mutex::Create(client, options.resource, mutex);
    });
  }
};

}  // namespace

std::shared_ptr<const harness::Subject> AdoptedMutexSubject() {
  return std::make_shared<const AdoptedMutexAdapter>();
}

}  // namespace interlock::scenarios::subjects
