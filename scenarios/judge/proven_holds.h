// SPDX-License-Identifier: MIT
//
// Server exclusion (LK001, LK013 at the server) from outside: at the server a grant proves a hold
// (see ProvenHold). Two of them must not overlap, and no request may be granted while others' holds
// covered all of the time from its call to its return; and there must be an order in which a server
// can have given all answers, see lease_model.h. Thread safety: pure functions.
#pragma once

#include "scenarios/judge/outside.h"

namespace interlock::scenarios {

/// Appends at most one violation of exclusion, the earliest, and at most one that no order
/// explains.
void JudgeProvenHolds(const SeenFromOutside& of, OutsideVerdict& verdict);

}  // namespace interlock::scenarios
