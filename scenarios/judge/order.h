// SPDX-License-Identifier: MIT
//
// Order (LK012), for locks that declare a bypass bound: a live waiter is not overtaken by more
// later requests than that. With bound 0, waiters are served in the order in which the server
// executed the commands that queued them.
//
// A waiter's place is its first command that changed data or blocked; a request overtakes it if its
// own place is later and the server grants it earlier. Waiters that lost their connection, stood
// still or died may have lost their place with it, and are not judged; nor is what happens when a
// waiter is about to give up. Starvation, of which every lock must keep free, is in progress.h.
//
// A readers/writer lock that says it prefers writers lets no reader in while a live writer stands
// in line, whenever that reader came.
#pragma once

#include <vector>

#include "scenarios/log/history.h"

namespace interlock::scenarios {

/// The instants at which the server granted later requests before this waiter's, in order; empty if
/// it is no waiter, or is not judged.
std::vector<VirtualTime> Overtakings(const History& history, const Attempt& waiter);

/// Two live waiters stood in line at once, so that an order could be broken.
bool WaitedInLine(const History& history);

/// Appends one violation at most, the earliest.
void JudgeOrder(const History& history, int bypass_bound, std::vector<Violation>& violations);

/// The same, of a lock that prefers writers.
void JudgePreference(const History& history, std::vector<Violation>& violations);

struct Property;
extern const Property kOrderProperty;

}  // namespace interlock::scenarios
