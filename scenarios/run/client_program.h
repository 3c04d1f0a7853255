// SPDX-License-Identifier: MIT
//
// What one client of a workload does, over the harness interface alone: the same code in virtual
// time and on real servers. It is a polite user of a lease: it enters its section only while the
// lease is valid on its own clock, and leaves when the validity ends.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>

#include <interlock/harness/lock.h>

#include "scenarios/cases/workload.h"
#include "scenarios/run/progress.h"

namespace interlock::scenarios {

/// The most times that a call with an unknown outcome is made.
inline constexpr int kMostSaid = 3;

/// Whether the call failed, or may have failed, for lack of an answer.
inline bool IsToBeSaidAgain(const Status& status) {
  return status.code() == StatusCode::kUnavailable || status.outcome() == Outcome::kUnknown;
}

/// A client, and the resource it acts on.
struct Party {
  int client = 0;
  int resource = 0;
};

/// Receives the events of a client program as they happen. Must not wait, except in Step and Stall.
class ProgramEvents {
 public:
  virtual ~ProgramEvents() = default;
  /// `who.resource` differs from the operation's for the second resource of an all-or-none request.
  virtual void OnAsk(Party who, const Operation& operation) = 0;
  /// Its wait is being stopped now.
  virtual void OnStop(Party /*who*/) {}
  virtual void OnRefused(Party who, const Status& status) = 0;
  virtual void OnGranted(Party who, const harness::Hold& hold) = 0;
  /// The callback for the lock to call when this hold, just granted, is lost.
  virtual std::function<void()> LossCallOf(Party /*who*/) { return {}; }
  virtual void OnEnter(Party who) = 0;
  /// Whether the lock guards a resource: only then the section begins by reading it (false: the
  /// client was refused), may stall after that, and ends by writing to it.
  virtual bool guarded() const { return false; }
  virtual bool OnRead(Party /*who*/, const harness::Hold& /*hold*/) { return true; }
  virtual void Stall(int /*client*/, Duration /*length*/) {}
  /// Sends the write, and sets `answered` on arrival, possibly after the client's end.
  virtual void OnWrite(Party /*who*/, const harness::Hold& /*hold*/,
                       std::shared_ptr<Event> /*answered*/) {}
  virtual void OnLeave(Party who) = 0;
  virtual void OnExtend(Party who) = 0;
  virtual void OnExtended(Party who, const Status& status, const harness::Hold& hold) = 0;
  /// The client asks whether its hold is valid, and is told.
  virtual void OnAskValid(Party /*who*/) {}
  virtual void OnAskedValid(Party /*who*/, bool /*valid*/, const harness::Hold& /*hold*/) {}
  /// The client is told that its hold is lost, while it works.
  virtual void OnLost(Party /*who*/) {}
  /// The client has waited until some time after its hold's validity ended: was it told by then?
  virtual void OnAwaitedLoss(Party /*who*/, bool /*told*/) {}
  /// The client sets another limit, and is told the outcome.
  virtual void OnSetLimit(Party /*who*/, int /*limit*/) {}
  virtual void OnLimitSet(Party /*who*/, const Status& /*status*/) {}
  /// The same as OnAwaitedLoss for the callback that it has requested.
  virtual void OnAwaitedCall(Party /*who*/, bool /*called*/) {}
  virtual void OnRelease(Party who) = 0;
  virtual void OnReleased(Party who, const Status& status) = 0;
  /// The client destroys its hold instead of releasing it.
  virtual void OnDrop(Party /*who*/) {}
  /// An operator looks for holders, and is told; takes the lock away from one of them, and is told.
  virtual void OnInspect(Party /*who*/) {}
  virtual void OnInspected(Party /*who*/, const Status& /*status*/) {}
  virtual void OnForce(Party /*who*/, const harness::SeenHolder& /*holder*/) {}
  virtual void OnForced(Party /*who*/, const Status& /*status*/) {}
  /// At a latch: the client counts down, and is told; asks to be let through (OnAsk), and is told.
  virtual void OnCountDown(Party /*who*/, int /*party*/) {}
  virtual void OnAnswered(Party /*who*/, const Status& /*status*/) {}
  /// A place that faults should reach. May wait.
  virtual void Step(int client) = 0;
};

/// Runs the operations in order on the client's own task, from `progress.next` on, which advances
/// with each completed operation, nested ones included. `locks`: the client's lock object for each
/// resource. Returns early on kCancelled. Never asks a lock to extend whose traits say it cannot.
/// REQUIRES: no operation asks a lock without readers as one, stops a wait that cannot be stopped,
/// or is an operator's on a lock without operators.
void RunClient(int client, const ClientPlan& plan, Progress& progress,
               harness::Environment& environment, const harness::Traits& traits,
               std::span<const std::unique_ptr<harness::Lock>> locks, ProgramEvents& events);

}  // namespace interlock::scenarios
