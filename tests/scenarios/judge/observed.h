// SPDX-License-Identifier: MIT
//
// What the judge of ownership makes of what was noted during a run.
#pragma once

#include <utility>
#include <vector>

#include <interlock/harness/kind.h>

#include "scenarios/judge/ownership.h"
#include "scenarios/log/history.h"

namespace interlock::scenarios::testing {

/// Moves the observations of the history to `violations`, as their judge tells them.
inline void JudgeObserved(History& history, std::vector<Violation>& violations,
                          const harness::Kind& kind = harness::Exclusive{}) {
  scenarios::JudgeObserved(history, kind, violations);
  history.observed.clear();
}

}  // namespace interlock::scenarios::testing
