// SPDX-License-Identifier: MIT
//
// Whether a run put a property to the test at all. A property that no run exercised is
// inconclusive, never green.
#pragma once

#include <interlock/harness/traits.h>

#include "scenarios/cases/goals.h"
#include "scenarios/judge/judged_resource.h"
#include "scenarios/log/history.h"

namespace interlock::scenarios {

/// Adds the goals that can be seen from the whole history; the recorder has added the others.
void AddGoals(const History& history, GoalSet& goals);

/// The same, with what is particular to locks of this kind.
void AddGoals(const JudgedResource& resource, GoalSet& goals);

/// By the rows of the properties that locks of these traits have.
PerJudged<bool> Exercised(const History& history, const harness::Traits& traits,
                          const GoalSet& goals);

}  // namespace interlock::scenarios
