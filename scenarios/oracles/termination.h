// SPDX-License-Identifier: MIT
//
// Termination (LK015), first half: an operation with a deadline returns by then, or at most the
// lock's own overrun bound later, on the client's own clock. While the client stands still it
// cannot return, so an attempt during which it was paused is not judged.
#pragma once

#include <vector>

#include "scenarios/history.h"

namespace interlock::scenarios {

/// Appends one violation at most, the earliest.
void JudgeTermination(const History& history, Duration overrun_bound,
                      std::vector<Violation>& violations);

}  // namespace interlock::scenarios
