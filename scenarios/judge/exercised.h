// SPDX-License-Identifier: MIT
//
// Whether a run put a property to the test at all. A property that no run exercised is
// inconclusive, never green.
#pragma once

#include "scenarios/cases/goals.h"
#include "scenarios/log/history.h"

namespace interlock::scenarios {

/// Adds the goals that can be seen from the whole history; the recorder has added the others.
void AddGoals(const History& history, GoalSet& goals);

PerJudged<bool> Exercised(const History& history, bool semaphore, const GoalSet& goals);

}  // namespace interlock::scenarios
