// SPDX-License-Identifier: MIT
//
// The goals that a run reached, as far as its clients' reports show; see outside.h. Thread safety:
// pure function.
#pragma once

#include "scenarios/cases/goals.h"
#include "scenarios/log/history.h"

namespace interlock::scenarios {

GoalSet OutsideGoals(const History& history);

}  // namespace interlock::scenarios
