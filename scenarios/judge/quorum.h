// SPDX-License-Identifier: MIT
//
// What the servers of a quorum lock make together: each promises for itself, and the lock is
// promised while a quorum of these promises lasts.
//
// Guarantee: the view has one entry for each span in which a quorum had one owner, ending as the
// quorum's entries do, so whatever can be judged of one server's entries can be judged of it. All
// instants are exact. Non-guarantee: it does not tell which servers formed the quorum; and a quorum
// of zero duration is taken to end before another one formed at that instant, which need not be so
// if a server has lost its data.
//
// Quorum locks are judged over independent masters only: in the "quorum-..." scenarios and those
// from the texts about Redlock. A run takes about ten times as long as others, so a campaign gives
// them an eighth of its runs (Scenario::weight).
#pragma once

#include <vector>

#include <interlock/harness/kind.h>

#include "scenarios/cases/goals.h"
#include "scenarios/log/history.h"

namespace interlock::scenarios {

/// The history with the quorum's entries in place of the servers'.
History QuorumView(const History& history);

/// Server exclusion (LK001): two owners, not both readers, hold a quorum of promises at the same
/// instant; for a semaphore (LK013), more owners than permits. Appends at most one violation, the
/// earliest.
void JudgeQuorums(const History& view, const harness::Kind& kind,
                  std::vector<Violation>& violations);

/// What happened to the votes: see Goal.
void AddQuorumGoals(const History& history, const History& view, GoalSet& goals);

}  // namespace interlock::scenarios
