// SPDX-License-Identifier: MIT
//
// What clients of real servers were told that cannot be true, or came too late: releases and
// extensions of leases that were long over or that others have ended, tokens, validities, refusals
// of what was free, waits that ended too early or too late.
//
// Each rule leaves no innocent explanation, given what befell the run (RealRules): what a stopped
// server or a proxy has held back may take effect later, and then says nothing. Thread safety: pure
// functions.
#pragma once

#include <vector>

#include "scenarios/log/history.h"
#include "scenarios/run/processes/judge.h"
#include "scenarios/run/processes/real_history.h"

namespace interlock::scenarios::real {

/// Appends the earliest violation of each property.
void JudgeClaims(const RealHistory& history, const RealRules& rules,
                 std::vector<Violation>& violations);

/// Whether it is known when a lease had ended: a server may still have an older request to extend
/// it, and a lock that renews by itself has asked for more than anybody saw.
bool EndsAreSure(const RealRules& rules);

}  // namespace interlock::scenarios::real
