// SPDX-License-Identifier: MIT
//
// Belief exclusion (LK002, LK013) and section exclusion (LK003, LK013): a sweep over intervals
// after the run. Server exclusion is the ledger's.
#pragma once

#include <vector>

#include "scenarios/log/history.h"

namespace interlock::scenarios {

/// Appends one violation per level at most: the earliest instant with more than the limit that
/// was in force.
/// Readers do not count for each other.
void JudgeExclusion(const History& history, bool semaphore, std::vector<Violation>& violations);

/// Of a semaphore: several may hold permits at once. With one permit it is a lock, and over a
/// quorum that would say nothing of several.
bool MayBeSeveral(const History& history);

struct Property;
extern const Property kBeliefExclusionProperty;
extern const Property kSectionExclusionProperty;
extern const Property kPermitsBeliefProperty;
extern const Property kPermitsSectionProperty;

}  // namespace interlock::scenarios
