// SPDX-License-Identifier: MIT
#include <interlock/mutex.h>

#include "scenarios/subjects/lease_adapter.h"
#include "scenarios/subjects/mutex_adapter.h"
#include "scenarios/subjects/subjects.h"

namespace interlock::scenarios::subjects {
namespace {

class Adapter final : public MutexAdapter {
 public:
  std::string_view name() const override { return "mutex"; }
  std::string_view summary() const override {
    return "interlock::Mutex: one holder at a time, by lease";
  }

  std::unique_ptr<harness::Lock> NewLock(harness::Environment& environment,
                                         const harness::LockOptions& options) const override {
    return std::make_unique<LeaseLock<Mutex>>(environment, [&options](Client& client) {
      MutexOptions mutex;
      mutex.key_prefix = options.key_prefix;
      mutex.lease = options.lease;
      return Mutex::Create(client, options.resource, mutex);
    });
  }
};

}  // namespace

std::shared_ptr<const harness::Subject> MutexSubject() { return std::make_shared<const Adapter>(); }

}  // namespace interlock::scenarios::subjects
