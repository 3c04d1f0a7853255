// SPDX-License-Identifier: MIT
#include <chrono>

#include <interlock/semaphore.h>

#include "scenarios/subjects/lease_adapter.h"
#include "scenarios/subjects/permit_adapter.h"
#include "scenarios/subjects/subjects.h"

namespace interlock::scenarios::subjects {
namespace {

class Adapter final : public PermitAdapter {
 public:
  std::string_view name() const override { return "semaphore"; }
  std::string_view summary() const override {
    return "interlock::Semaphore: permits with leases of their own, the limit kept in the server";
  }

  std::unique_ptr<harness::Lock> NewLock(harness::Environment& environment,
                                         const harness::LockOptions& options) const override {
    return std::make_unique<LeaseLock<Semaphore>>(environment, [&options](Client& client) {
      SemaphoreOptions semaphore;
      semaphore.key_prefix = options.key_prefix;
      semaphore.limit = options.permits;
      semaphore.lease = options.lease;
      return Semaphore::Create(client, options.resource, semaphore);
    });
  }

 private:
  std::chrono::milliseconds LimitStands(const harness::LockOptions& /*options*/) const override {
    return std::chrono::duration_cast<std::chrono::milliseconds>(kFenceTtl);
  }
};

}  // namespace

std::shared_ptr<const harness::Subject> SemaphoreSubject() {
  return std::make_shared<const Adapter>();
}

}  // namespace interlock::scenarios::subjects
