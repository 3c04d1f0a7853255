// SPDX-License-Identifier: MIT
//
// Teller: a client's observer, if it has one. Without one nothing may cost more than asking for it:
// not even the clock is read.
//
//   if (teller) teller.Tell({.kind = Observation::Kind::kWaiting, .resource = resource, ...});
//
// Thread safety: may be used from any task. REQUIRES of its users: no lock is held.
#pragma once

#include <memory>
#include <utility>

#include <interlock/observer.h>
#include <interlock/result.h>
#include <interlock/runtime.h>
#include <interlock/time.h>

namespace interlock::internal {

class Teller {
 public:
  Teller(Runtime& runtime, std::shared_ptr<Observer> observer)
      : runtime_(runtime), observer_(std::move(observer)) {}

  explicit operator bool() const { return observer_ != nullptr; }

  /// When something that takes time began, if there is an observer to tell; else the epoch.
  MonotonicTime Begin() const { return observer_ != nullptr ? runtime_.Now() : MonotonicTime(); }

  /// REQUIRES: there is an observer.
  void Tell(Observation what) const {
    what.at = runtime_.Now();
    observer_->Observe(what);
  }
  /// The same, of what began at `begun`.
  void TellSince(MonotonicTime begun, Observation what) const {
    what.at = runtime_.Now();
    what.duration = what.at - begun;
    observer_->Observe(what);
  }

 private:
  Runtime& runtime_;
  const std::shared_ptr<Observer> observer_;
};

}  // namespace interlock::internal
