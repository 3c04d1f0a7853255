// SPDX-License-Identifier: MIT
#include <chrono>
#include <optional>

#include <interlock/semaphore.h>

#include "scenarios/locks/subjects/compiled.h"
#include "scenarios/locks/subjects/lease_adapter.h"
#include "scenarios/locks/subjects/permit_adapter.h"
#include "scenarios/locks/subjects/subjects.h"

namespace interlock::scenarios::subjects {
namespace {

class SemaphoreLock final : public LeaseLock<Semaphore> {
 public:
  using LeaseLock::LeaseLock;

  Status SetLimit(int limit) override {
    return primitive().ok() ? primitive()->SetLimit(limit) : primitive().status();
  }
};

class SemaphoreAdapter : public PermitAdapter {
 public:
  std::string_view name() const override { return "semaphore"; }
  std::string_view summary() const override {
    return "interlock::Semaphore: permits with leases of their own, the limit kept in the server";
  }

  std::unique_ptr<harness::Lock> NewLock(harness::Environment& environment,
                                         const harness::LockOptions& options) const override {
    return std::make_unique<SemaphoreLock>(environment, [&options](Client& client) {
      const auto limit = options.permits > 0 ? std::optional(options.permits) : std::nullopt;
      return Semaphore::Create(
          client, options.resource,
          {.key_prefix = options.key_prefix, .limit = limit, .lease = options.lease});
    });
  }

 private:
  std::chrono::milliseconds LimitStands() const override {
    return std::chrono::duration_cast<std::chrono::milliseconds>(kFenceTtl);
  }
};

}  // namespace

std::shared_ptr<const harness::Subject> CompiledSemaphoreSubject() {
  return std::make_shared<const Compiled<SemaphoreAdapter>>();
}

std::shared_ptr<const harness::Subject> SemaphoreSubject() {
  return std::make_shared<const SemaphoreAdapter>();
}

}  // namespace interlock::scenarios::subjects
