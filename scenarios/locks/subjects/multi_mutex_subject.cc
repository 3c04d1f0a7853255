// SPDX-License-Identifier: MIT
#include <interlock/multi_mutex.h>

#include <chrono>
#include <memory>
#include <stop_token>
#include <utility>

#include "scenarios/locks/subjects/multi_adapter.h"
#include "scenarios/locks/subjects/subjects.h"

namespace interlock::scenarios::subjects {
namespace {

class MultiLock final : public harness::Lock {
 public:
  MultiLock(harness::Environment& environment, const harness::LockOptions& options, Renewal renewal)
      : parts_(std::make_shared<Parts>(environment, options)), renewal_(renewal) {}

  Result<std::unique_ptr<harness::Hold>> TryAcquire() override {
    if (!parts_->mutex.ok()) return parts_->mutex.status();
    return ToHold(parts_->mutex->TryAcquire());
  }
  Result<std::unique_ptr<harness::Hold>> AcquireUntil(MonotonicTime deadline) override {
    return AcquireUnlessStopped(deadline, {});
  }
  Result<std::unique_ptr<harness::Hold>> AcquireUnlessStopped(
      MonotonicTime deadline, const std::stop_token& stop) override {
    if (!parts_->mutex.ok()) return parts_->mutex.status();
    if (deadline == kNever) return ToHold(parts_->mutex->Acquire(stop));
    return ToHold(parts_->mutex->AcquireUntil(deadline, stop));
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
    if (const Status kept = KeepAlive(*leases, renewal_); !kept.ok()) return kept;
    return MultiHold(parts_, std::move(leases).value(), renewal_);
  }

  std::shared_ptr<Parts> parts_;
  const Renewal renewal_;
};

class MultiMutexAdapter final : public MultiAdapter {
 public:
  MultiMutexAdapter(std::string_view name, std::string_view summary, bool renews)
      : name_(name), summary_(summary), renews_(renews) {}

  std::string_view name() const override { return name_; }
  std::string_view summary() const override { return summary_; }
  harness::Traits traits() const override {
    harness::Traits traits = MultiAdapter::traits();
    traits.renews = renews_;
    traits.stops = true;
    return traits;
  }
  std::chrono::milliseconds KeptAliveFor(const harness::LockOptions& options) const override {
    return LongestRenewedHold(options);
  }
  std::unique_ptr<harness::Lock> NewLock(harness::Environment& environment,
                                         const harness::LockOptions& options) const override {
    return std::make_unique<MultiLock>(environment, options, RenewalOf(traits(), options));
  }

 private:
  const std::string_view name_;
  const std::string_view summary_;
  const bool renews_;
};

}  // namespace

std::shared_ptr<const harness::Subject> MultiMutexSubject() {
  return std::make_shared<const MultiMutexAdapter>(
      "multi-mutex", "interlock::MultiMutex: two resources at once, all or none", false);
}

std::shared_ptr<const harness::Subject> RenewedMultiMutexSubject() {
  return std::make_shared<const MultiMutexAdapter>(
      "multi-mutex.renewed", "interlock::MultiMutex, its leases kept alive while they are held",
      true);
}

}  // namespace interlock::scenarios::subjects
