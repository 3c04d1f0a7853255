// SPDX-License-Identifier: MIT
//
// The model of a latch (M11) of n parties: it opens once n distinct parties have counted down, and
// then waits end. In a history both are attempts (see Attempt::counts_for). Nobody holds anything,
// so five properties remain; named cases and guarded resources are about leases and do not apply.
// Removing or closing a latch, and querying the count left, is tested in tests/redis/.
//   LK001  a waiter was let through although a party's count down had not reached the server;
//   LK009  it was known to be open, and a waiter was not let through within the lock's wake-up
//          bound, or never: a lost count, a lost wake-up;
//   LK010  (a) anything but a yes to a client that asked when the latch was known to be open, or
//          that waited until a deadline after that: it must look once more at the deadline; (b) a
//          count down not acknowledged, or a wait told neither yes nor no. Only for clients that
//          no fault has met by then (see WasDisturbed).
//
// A party has counted at the server when the first data-changing command of its call was executed,
// and for sure once somebody was told so; in between nothing is assumed. A short-lived latch
// (LockOptions::life) is remembered for that long after each count down: a client told earlier that
// it is gone, or finding it closed again, was refused; later nothing is held against it. After a
// fault that may make a server forget acknowledged writes, only acknowledgements after the recovery
// count: counting down again must repair a latch.
#pragma once

#include <optional>
#include <vector>

#include "scenarios/cases/goals.h"
#include "scenarios/judge/judged_resource.h"
#include "scenarios/log/history.h"

namespace interlock::scenarios {

struct LatchRules {
  int parties = 1;
  Duration wake_up_bound{};                      ///< the latch's own
  bool forgetful = false;                        ///< the server may lose acknowledged writes
  std::optional<Duration> hand_over_bound = {};  ///< as in ProgressRules
  Duration life{};                               ///< 0: longer than the run
};

/// Appends at most one violation of each property, the earliest. `to_its_end`: the run was not cut
/// short, so a waiter not let through by then never would have been.
void JudgeLatch(const History& history, const LatchRules& rules, bool to_its_end,
                std::vector<Violation>& violations);

/// The goals that latches have instead of those of locks.
void AddLatchGoals(const History& history, const LatchRules& rules, GoalSet& goals);

LatchRules LatchRulesOf(const JudgedResource& resource);

}  // namespace interlock::scenarios
