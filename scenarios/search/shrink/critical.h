// SPDX-License-Identifier: MIT
//
// Finds the critical step: the choices after each prefix of a failing run are redrawn several
// times; where the share of failing runs jumps, the violation became (nearly) certain.
//
// Determinism: a function of its inputs. Thread safety: that of Trial.
#pragma once

#include <string>

#include "scenarios/search/shrink/trial.h"

namespace interlock::scenarios {

/// "step 14 of 52, C2 sends SET at 1100.000 ms: 4 % of redrawn schedules fail before it, 100 %
/// after it"; empty if the run made no choices.
std::string CriticalStep(Trial& trial, const TrialCase& one, const RunResult& run);

}  // namespace interlock::scenarios
