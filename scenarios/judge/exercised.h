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

/// Adds the goals that take the whole history to see; the recorder has added the others.
void AddGoals(const History& history, GoalSet& goals);

/// The same, plus goals specific to this kind of lock.
void AddGoals(const JudgedResource& resource, GoalSet& goals);

/// Adds the goals that a request and its answer reach wherever it is made. `contended`: whether
/// another client held the lock meanwhile.
void AddAnswerGoals(const Attempt& attempt, bool contended, GoalSet& goals);

/// Indexed by the properties that apply to locks with these traits.
PerJudged<bool> Exercised(const History& history, const harness::Traits& traits,
                          const GoalSet& goals);

}  // namespace interlock::scenarios
