// SPDX-License-Identifier: MIT
//
// Deadlock freedom after the faults are over: a live waiter must be granted a free resource within
// the lock's own wake-up bound. If the one who kept it was a dead client, the finding is crash
// recovery (LK008), else a deadlock or lost wake-up (LK009).
//
// A resource is taken while a lease that was really asked for runs, or while a live client holds
// it; a key that never expires does not make it taken for ever.
#pragma once

#include <vector>

#include "scenarios/history.h"

namespace interlock::scenarios {

/// Extra time for clients to notice broken connections and come back.
inline constexpr Duration kSettling = std::chrono::milliseconds(2500);

void JudgeProgress(const History& history, Duration wake_up_bound,
                   std::vector<Violation>& violations);

}  // namespace interlock::scenarios
