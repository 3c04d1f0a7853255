// SPDX-License-Identifier: MIT
//
// What one client of a workload does, over the harness interface alone: the same code in virtual
// time and on real servers. It is a polite user of a lease: it enters its section only while the
// lease is valid on its own clock, and leaves when the validity ends.
//
// A lock that takes several resources at once (Traits::several) takes i + 1 with resource i, so a
// run has one resource more than its workload, and each is judged by itself. Only the first one
// guards anything, and a loss, which concerns the whole, is awaited there. The answer to a request
// is judged at resource i, which such a lock takes first; what a refused request got is judged at
// each. Every second client names the two in reverse order, so clients are not interchangeable when
// such a lock is explored.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>

#include <interlock/harness/lock.h>

#include "scenarios/cases/workload.h"
#include "scenarios/log/event.h"
#include "scenarios/run/progress.h"
#include "scenarios/run/stopper.h"

namespace interlock::scenarios {

/// The most times that a call with an unknown outcome is made.
inline constexpr int kMostSaid = 3;

/// Whether the call failed, or may have failed, for lack of an answer.
inline bool IsToBeSaidAgain(const Status& status) {
  return status.code() == StatusCode::kUnavailable || status.outcome() == Outcome::kUnknown;
}

/// Receives what a client program does and is told, as it happens, and stands for what it acts upon
/// besides its locks. Must not wait, except in Step and Stall.
class ProgramEvents {
 public:
  virtual ~ProgramEvents() = default;
  /// Instants in `details` are on the client's own clock. A request for several resources at once
  /// is told of each of them.
  virtual void On(Party who, EventKind kind, const EventDetails& details = {}) = 0;
  /// The callback for the lock to call when this hold, just granted, is lost.
  virtual std::function<void()> LossCallOf(Party /*who*/) { return {}; }
  /// Whether the lock guards a resource: only then the section begins by reading it (false: the
  /// client was refused), may stall after that, and ends by writing to it.
  virtual bool guarded() const { return false; }
  virtual bool OnRead(Party /*who*/, const harness::Hold& /*hold*/) { return true; }
  virtual void Stall(int /*client*/, Duration /*length*/) {}
  /// Sends the write, and sets `answered` on arrival, possibly after the client's end.
  virtual void OnWrite(Party /*who*/, const harness::Hold& /*hold*/,
                       std::shared_ptr<Event> /*answered*/) {}
  /// A place that faults should reach. May wait.
  virtual void Step(int client) = 0;
};

/// What a client says of its request.
AskDetails DetailsOf(const Operation& operation);

/// Asks the lock as the operation says. `stopper`, if there is one, stops the wait. YIELDS.
Result<std::unique_ptr<harness::Hold>> AskFor(const Operation& operation, harness::Lock& lock,
                                              Runtime& runtime,
                                              const std::optional<Stopper>& stopper);

/// Runs the operations in order on the client's own task, from `progress.next` on, which advances
/// with each completed operation, nested ones included. `locks`: the client's lock object for each
/// resource. Returns early on kCancelled. Never asks a lock to extend whose traits say it cannot.
/// REQUIRES: no operation asks a lock without readers as one, stops a wait that cannot be stopped,
/// or is an operator's on a lock without operators.
void RunClient(int client, const ClientPlan& plan, Progress& progress,
               harness::Environment& environment, const harness::Traits& traits,
               std::span<const std::unique_ptr<harness::Lock>> locks, ProgramEvents& events);

}  // namespace interlock::scenarios
