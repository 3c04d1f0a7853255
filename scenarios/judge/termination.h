// SPDX-License-Identifier: MIT
//
// Termination (LK015). (a) An operation with a deadline, or one whose wait is stopped, returns by
// then or at most the lock's own overrun bound later, on the client's own clock; if its client has
// felt a fault, that bound after the last fault of the run is soon enough. A try, which does not
// wait, is due at once. Attempts during which the client was paused are not judged, since it could
// not return. (b) A request, a release or an extension sends no more commands than the lock's own
// bound allows for the time that it took and the grants that a request saw made to others: a retry
// storm, a livelock. (c) If a run ended because its steps were used up, was that the locks' doing?
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include <interlock/harness/lock.h>

#include "scenarios/log/history.h"

namespace interlock::scenarios {

/// An overrun bound this long, the default of harness::Subject, allows for a socket timeout and a
/// clean-up. A client that has felt no fault needs neither: it may be late by the last sleep
/// between two looks, and by a fraction of the lease.
inline constexpr Duration kWithTimeOuts = std::chrono::seconds(5);
inline constexpr Duration kLastNap = std::chrono::milliseconds(500);

/// Commands that a grant to somebody else may cost each waiter: it wakes, tries, fails, cleans up
/// and waits again.
inline constexpr std::int64_t kCommandsPerGrant = 100;

/// Messages that stopping a wait may cost: ending a sleep, one more try, leaving the queue and
/// passing on a hand-over, some of it twice or over new connections.
inline constexpr int kMessagesOfAStop = 24;

struct TerminationBounds {
  Duration overrun{};
  /// For a stopped wait of a client that has felt no fault; excludes the time of its messages.
  Duration stop{};
  bool renews = false;  ///< the lock may send commands while it is asked for nothing
};

TerminationBounds BoundsOf(const harness::Subject& subject, const harness::LockOptions& options);

/// (a), and: a wait that was stopped before it began, and is told so, has sent nothing. Appends at
/// most one violation of each, the earliest.
void JudgeTermination(const History& history, const TerminationBounds& bounds,
                      std::vector<Violation>& violations);

/// The most commands that one call may send in `waited`, while others are granted `grants` times.
std::int64_t MostCommands(std::int64_t commands_per_lease, Duration lease, Duration waited,
                          std::int64_t grants);

/// (b). Appends at most one violation, the worst.
void JudgeStorm(const History& history, std::int64_t commands_per_lease,
                std::vector<Violation>& violations);

/// (c), called when (b) has found nothing: why a run that used up its steps proves nothing against
/// the lock. A stuck client uses no steps, so somebody was working, within its bounds, or asked for
/// the time on and on. `steps` are all calls of the run that the simulator has seen, `executed` the
/// servers' commands.
std::string WhyStepsRanOut(const History& history, std::uint64_t steps, std::uint64_t executed);

}  // namespace interlock::scenarios
