// SPDX-License-Identifier: MIT
//
// What a semaphore that keeps its limit in the server owes to those who give another one, or set it
// (see limits.h). Spurious refusal (LK010):
//   a  a client was told that another limit than its own is in force (or none, though it follows
//      whichever is) while that was at no instant of its request so; where a limit lasts only as
//      long as permits are out, while no other client's was;
//   b  setting a limit was denied, or not answered, though no fault had met the client by then;
//   c  ... or was told to have changed nothing, and had.
// Who takes the place of those who are refused, and who waits though a larger limit lets it in, is
// judged by the ledger (LK013) and by progress.h (LK009).
#pragma once

#include <vector>

#include "scenarios/cases/goals.h"
#include "scenarios/log/history.h"

namespace interlock::scenarios {

/// Appends one violation at most, the earliest.
void JudgeLimit(const History& history, std::vector<Violation>& violations);

void AddLimitGoals(const History& history, GoalSet& goals);

}  // namespace interlock::scenarios
