// SPDX-License-Identifier: MIT
//
// What a semaphore that keeps its limit in the server owes to clients that give a different one, or
// set it (see limits.h). Spurious refusal (LK010):
//   a  a client was told that a different limit is in force (or, if it follows whichever is, that
//      none is) though that was never so during its request; where a limit lasts only while
//      permits are out, though no other client's was;
//   b  setting a limit was denied or not answered, though no fault had met the client by then;
//   c  setting a limit was answered as changing nothing, though it changed something.
// The ledger judges grants made in place of the refused clients (LK013), and progress.h judges
// waiters that a larger limit would let in (LK009).
#pragma once

#include <vector>

#include "scenarios/cases/goals.h"
#include "scenarios/log/history.h"

namespace interlock::scenarios {

/// Appends at most one violation, the earliest.
void JudgeLimit(const History& history, std::vector<Violation>& violations);

void AddLimitGoals(const History& history, GoalSet& goals);

}  // namespace interlock::scenarios
