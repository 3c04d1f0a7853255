// SPDX-License-Identifier: MIT
//
// Belief exclusion (LK002, LK013) and section exclusion (LK003, LK013): a sweep over intervals
// after the run. The ledger judges server exclusion.
#pragma once

#include <vector>

#include <interlock/harness/kind.h>

#include "scenarios/log/history.h"

namespace interlock::scenarios {

/// Appends at most one violation per level: the earliest instant with more holders than the limit
/// then in force. Readers do not conflict with each other.
void JudgeExclusion(const History& history, const harness::Kind& kind,
                    std::vector<Violation>& violations);

/// Whether several clients may hold permits at once. A semaphore with one permit is a lock, and
/// over a quorum exceeding it would not show anything about several permits.
bool MayBeSeveral(const History& history);

}  // namespace interlock::scenarios
