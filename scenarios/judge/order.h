// SPDX-License-Identifier: MIT
//
// Order (LK012), for locks that declare a bypass bound: a live waiter is not overtaken by more
// later requests than that. With bound 0, waiters are served in the order in which the server
// executed the commands that queued them.
//
// A waiter's place is its first command that changed data or blocked; a request overtakes it if its
// own place is later and the server grants it earlier. Waiters that were disconnected, paused or
// killed may have lost their place and are not judged, and neither is the time when a waiter is
// about to give up. Starvation, which no lock may allow, is in progress.h.
//
// A readers/writer lock that declares writer preference admits no reader while a live writer is
// queued, whenever that reader arrived.
#pragma once

#include <vector>

#include "scenarios/log/history.h"

namespace interlock::scenarios {

/// When the server granted later requests before this waiter's, in order; empty if it is not a
/// waiter or is not judged.
std::vector<VirtualTime> Overtakings(const History& history, const Attempt& waiter);

/// Whether two live waiters were queued at once, so that an order could be broken.
bool WaitedInLine(const History& history);

/// Appends at most one violation, the earliest.
void JudgeOrder(const History& history, int bypass_bound, std::vector<Violation>& violations);

/// The same for a lock that prefers writers.
void JudgePreference(const History& history, std::vector<Violation>& violations);

}  // namespace interlock::scenarios
