// SPDX-License-Identifier: MIT
//
// Answers to clients of real servers that cannot be true, or came too late: releases and extensions
// of leases long over or ended by others, tokens, validities, refusals of what was free, waits that
// ended too early or too late.
//
// Each rule leaves no innocent explanation, given the run's faults (RealRules): what a stopped
// server or a proxy held back may take effect later, and then proves nothing. Thread safety: pure
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

/// Whether the end of a lease is known: a server may still have an older request to extend it, and
/// a lock that renews by itself has asked for more than was seen.
bool EndsAreSure(const RealRules& rules);

}  // namespace interlock::scenarios::real
