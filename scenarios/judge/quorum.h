// SPDX-License-Identifier: MIT
//
// What the servers of a quorum lock make together: each of them promises for itself, and the lock
// is promised while a quorum of these promises lasts.
//
// Guarantee: the view has one entry for each stretch of time in which a quorum had one owner, with
// the ends that the quorum's entries give it, so that what is judged of one server's entries can be
// judged of it. All instants are exact. Non-guarantee: which servers made the quorum is lost; and a
// quorum that lasts for no time is taken to be over when another one comes at that instant, which
// it need not be where a server has lost its data.
//
// Such locks are judged over independent masters alone: in the scenarios "quorum-..." and those of
// the texts about Redlock. A run takes about ten times as long as others, so a campaign gives them
// an eighth of its runs (Scenario::weight).
#pragma once

#include <vector>

#include "scenarios/cases/goals.h"
#include "scenarios/log/history.h"

namespace interlock::scenarios {

/// The history with the quorum's entries in the place of the servers'.
History QuorumView(const History& history);

/// Server exclusion (LK001): two owners of which not both are readers have the promises of a quorum
/// at one instant; of a semaphore (LK013) one owner more than there are permits. Appends one
/// violation at most, the earliest.
void JudgeQuorums(const History& view, bool semaphore, std::vector<Violation>& violations);

/// What happened to votes: see Goal.
void AddQuorumGoals(const History& history, const History& view, GoalSet& goals);

}  // namespace interlock::scenarios
