// SPDX-License-Identifier: MIT
//
// Forgotten waiters (LK008, LK009) from outside: delays count unless the machine or the server may
// have made them. Thread safety: pure functions.
#pragma once

#include "scenarios/judge/outside.h"

namespace interlock::scenarios {

void JudgeDelays(const SeenFromOutside& of, OutsideVerdict& verdict);

/// The same for a latch, and whether it opened too early (LK001). A party counts as having counted
/// down when it first says so, and for sure when it is told: see judge/latch.h.
void JudgeLatchFromOutside(const SeenFromOutside& of, OutsideVerdict& verdict);

}  // namespace interlock::scenarios
