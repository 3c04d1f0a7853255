// SPDX-License-Identifier: MIT
//
// Termination (LK015). (a) An operation with a deadline, or one whose wait is stopped, returns by
// then, or at most the lock's own overrun bound later, on the client's own clock; if its client has
// felt a fault, not before that bound after the last fault of the run. A try, which does not wait,
// is due at once. While the client stands still it cannot return, so an attempt during which it was
// paused is not judged. (b) A request, a release or an extension does not send more commands than
// the lock's own bound allows for the time that it took and the grants that a request saw made to
// others: a retry storm, a livelock. (c) of a run that ended because its steps were used up: was
// that its locks' doing?
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <interlock/harness/lock.h>

#include "scenarios/log/history.h"

namespace interlock::scenarios {

/// An overrun bound of so much, the default of harness::Subject, allows for a socket time-out and a
/// clean-up. A client that has felt no fault waits for neither: it may be late by a last nap
/// between two looks, and by a part of the lease.
inline constexpr Duration kWithTimeOuts = std::chrono::seconds(5);
inline constexpr Duration kLastNap = std::chrono::milliseconds(500);

/// A grant to somebody else may cause so many commands of each waiter: it is woken, tries, fails,
/// tidies up and waits again.
inline constexpr std::int64_t kCommandsPerGrant = 100;

/// A wait that is stopped may have to end a sleep, try once more, leave what stands for it, and
/// hand on what was meant for it, some of it twice or over new connections: so many messages.
inline constexpr int kMessagesOfAStop = 24;

struct TerminationBounds {
  Duration overrun{};
  /// Of a wait that is stopped, by a client that has felt no fault; but for its messages.
  Duration stop{};
  bool renews = false;  ///< the lock sends what it has to also while it is asked for nothing
};

TerminationBounds BoundsOf(const harness::Subject& subject, const harness::LockOptions& options);

/// (a), and: a wait that was stopped before it was asked for, and is told so, has sent nothing.
/// Appends one violation at most of each, the earliest.
void JudgeTermination(const History& history, const TerminationBounds& bounds,
                      std::vector<Violation>& violations);

/// The most commands that one call may send in `waited`, while others are granted `grants` times.
std::int64_t MostCommands(std::int64_t commands_per_lease, Duration lease, Duration waited,
                          std::int64_t grants);

/// (b). Appends one violation at most, the worst.
void JudgeStorm(const History& history, std::int64_t commands_per_lease,
                std::vector<Violation>& violations);

/// (c), to be asked after (b) has found nothing: why a run that used up its steps proves nothing
/// against the lock. What stands still uses no steps, so somebody worked: within its bounds.
std::string WhyStepsRanOut(const History& history);

struct Property;
extern const Property kTerminationProperty;

}  // namespace interlock::scenarios
