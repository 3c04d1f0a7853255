// SPDX-License-Identifier: MIT
#include <chrono>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

#include <interlock/mutex.h>

#include "scenarios/subjects/lease_adapter.h"
#include "scenarios/subjects/mutex_adapter.h"
#include "scenarios/subjects/subjects.h"

namespace interlock::scenarios::subjects {
namespace {

/// Whoever is granted the lock hands its lease over at once, as a text, and another Client with
/// connections of its own adopts it, as another process would.
class AdoptingLock final : public harness::Lock {
 public:
  AdoptingLock(harness::Environment& environment, const harness::LockOptions& options)
      : parts_(std::make_shared<Parts>(environment, options)) {}

  Result<std::unique_ptr<harness::Hold>> TryAcquire() override {
    if (!parts_->gives.ok()) return parts_->gives.status();
    return Passed(parts_->gives->TryAcquire());
  }
  Result<std::unique_ptr<harness::Hold>> AcquireUntil(MonotonicTime deadline) override {
    return AcquireUnlessStopped(deadline, {});
  }
  Result<std::unique_ptr<harness::Hold>> AcquireUnlessStopped(
      MonotonicTime deadline, const std::stop_token& stop) override {
    if (!parts_->gives.ok()) return parts_->gives.status();
    return Passed(parts_->gives->AcquireUntil(deadline, stop));
  }

 private:
  struct Parts {
    Parts(harness::Environment& environment, const harness::LockOptions& options)
        : giver(environment.runtime, environment.connector),
          taker(environment.runtime, environment.connector),
          gives(Mutex::Create(giver, options.resource, Of(options))),
          takes(Mutex::Create(taker, options.resource, Of(options))) {}

    static MutexOptions Of(const harness::LockOptions& options) {
      MutexOptions mutex;
      mutex.key_prefix = options.key_prefix;
      mutex.lease = options.lease;
      return mutex;
    }

    Client giver;
    Client taker;
    Result<Mutex> gives;
    Result<Mutex> takes;
  };

  Result<std::unique_ptr<harness::Hold>> Passed(Result<Lease> lease) {
    if (!lease.ok()) return lease.status();
    const Result<std::string> text = lease->HandOver();
    if (!text.ok()) return Lost(text.status());
    Result<Lease> adopted = parts_->takes->Adopt(*text);
    if (!adopted.ok()) return Lost(adopted.status());
    return std::unique_ptr<harness::Hold>(
        std::make_unique<LeaseHold>(parts_, std::move(adopted).value()));
  }

  /// What was granted may run on to its end and be nobody's: whoever is told that it is over was
  /// told so by one server, and another one may have been granting meanwhile.
  static Status Lost(const Status& why) {
    switch (why.code()) {
      case StatusCode::kNotOwner:
      case StatusCode::kLeaseLost:
      case StatusCode::kUnavailable:
      case StatusCode::kUnknownOutcome:
        return Status(StatusCode::kUnknownOutcome, why.message());
      default:
        return why;
    }
  }

  std::shared_ptr<Parts> parts_;
};

class Adapter final : public MutexAdapter {
 public:
  std::string_view name() const override { return "mutex.adopted"; }
  std::string_view summary() const override {
    return "interlock::Mutex, each lease handed over as a text and adopted by another Client";
  }
  harness::Traits traits() const override {
    return {.can_extend = true, .fencing = true, .own_leases = true, .stops = true};
  }
  /// The request, and the adoption behind it.
  std::chrono::milliseconds OverrunBound(const harness::LockOptions& options) const override {
    return 2 * MutexAdapter::OverrunBound(options);
  }
  std::unique_ptr<harness::Lock> NewLock(harness::Environment& environment,
                                         const harness::LockOptions& options) const override {
    return std::make_unique<AdoptingLock>(environment, options);
  }
};

}  // namespace

std::shared_ptr<const harness::Subject> AdoptedMutexSubject() {
  return std::make_shared<const Adapter>();
}

}  // namespace interlock::scenarios::subjects
