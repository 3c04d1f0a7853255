// SPDX-License-Identifier: MIT
//
// A lock whose every lease goes from one Client to another, as between two processes.
//
// Thread safety: as harness::Lock.
#pragma once

#include <memory>
#include <stop_token>
#include <string>
#include <utility>

#include <interlock/client.h>
#include <interlock/harness/lock.h>
#include <interlock/lease.h>

#include "scenarios/locks/subjects/lease_adapter.h"

namespace interlock::scenarios::subjects {

/// A client that is granted the lock hands its lease over at once, as a text, and another Client
/// with connections of its own adopts it, as another process would.
template <typename Primitive>
class AdoptingLock final : public harness::Lock {
 public:
  /// `create` makes the primitive for a client, and is called at once.
  template <typename Create>
  AdoptingLock(harness::Environment& environment, const Create& create)
      : parts_(std::make_shared<Parts>(environment, create)) {}

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
    template <typename Create>
    Parts(harness::Environment& environment, const Create& create)
        : giver(environment.runtime, environment.connector),
          taker(environment.runtime, environment.connector),
          gives(create(giver)),
          takes(create(taker)) {}

    Client giver;
    Client taker;
    Result<Primitive> gives;
    Result<Primitive> takes;
  };

  Result<std::unique_ptr<harness::Hold>> Passed(Result<Lease> lease) {
    if (!lease.ok()) return lease.status();
    const Result<std::string> text = lease->HandOver();
    if (!text.ok()) return Lost(text.status());
    Result<Lease> adopted = parts_->takes->Adopt(*text);
    if (!adopted.ok()) return Lost(adopted.status());
    return ToHold(parts_, std::move(adopted).value());
  }

  /// What was granted may run on to its end and be nobody's: a client told that it is over was told
  /// so by one server, and another one may have been granting meanwhile.
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

}  // namespace interlock::scenarios::subjects
