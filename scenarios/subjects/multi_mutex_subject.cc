// SPDX-License-Identifier: MIT
#include <interlock/multi_mutex.h>

#include <memory>
#include <utility>

#include "scenarios/subjects/multi_adapter.h"
#include "scenarios/subjects/subjects.h"

namespace interlock::scenarios::subjects {
namespace {

class MultiLock final : public harness::Lock {
 public:
  MultiLock(harness::Environment& environment, const harness::LockOptions& options)
      : parts_(std::make_shared<Parts>(environment, options)) {}

  Result<std::unique_ptr<harness::Hold>> TryAcquire() override {
    if (!parts_->mutex.ok()) return parts_->mutex.status();
    return ToHold(parts_->mutex->TryAcquire());
  }
  Result<std::unique_ptr<harness::Hold>> AcquireUntil(MonotonicTime deadline) override {
    if (!parts_->mutex.ok()) return parts_->mutex.status();
    if (deadline == kNever) return ToHold(parts_->mutex->Acquire());
    return ToHold(parts_->mutex->AcquireUntil(deadline));
  }

 private:
  struct Parts {
    Parts(harness::Environment& environment, const harness::LockOptions& options)
        : client(environment.runtime, environment.connector),
          mutex(MultiMutex::Create(client, options.several,
                                   {.key_prefix = options.key_prefix, .lease = options.lease})) {}

    Client client;
    Result<MultiMutex> mutex;
  };

  Result<std::unique_ptr<harness::Hold>> ToHold(Result<MultiLease> leases) {
    if (!leases.ok()) return leases.status();
    return MultiHold(parts_, std::move(leases).value());
  }

  std::shared_ptr<Parts> parts_;
};

class Adapter final : public MultiAdapter {
 public:
  std::string_view name() const override { return "multi-mutex"; }
  std::string_view summary() const override {
    return "interlock::MultiMutex: two resources at once, all or none";
  }
  std::unique_ptr<harness::Lock> NewLock(harness::Environment& environment,
                                         const harness::LockOptions& options) const override {
    return std::make_unique<MultiLock>(environment, options);
  }
};

}  // namespace

std::shared_ptr<const harness::Subject> MultiMutexSubject() {
  return std::make_shared<const Adapter>();
}

}  // namespace interlock::scenarios::subjects
