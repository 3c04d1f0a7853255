// SPDX-License-Identifier: MIT
//
// The model of a latch (M11) of n parties: it is open once n different ones have counted down, and
// a wait ends when it is. In a history both are attempts, see Attempt::counts_for. Nobody holds
// anything, so five properties are left; named cases and guarded resources are stories of leases,
// and not for latches. Removing or closing a latch, and asking how many are missing, is tested in
// tests/redis/.
//   LK001  somebody was let through while a party's count down had not reached the server;
//   LK009  it was known to be open, and a waiter was not let through for longer than the lock's
//          wake-up bound, or never: a lost count, a lost wake-up;
//   LK010  (a) anything but a yes to who asked when it was known to be open, or waited until a
//          deadline before which that was known: it is to look once more then; (b) a count down
//          that was not acknowledged, or a wait that was told neither yes nor no. Only of clients
//          that no fault has met by then (see WasDisturbed).
//
// A party has counted at the server when the first command of its call that changed data was
// executed, and for sure when somebody was told so: in between nothing is assumed. A latch of a
// short life (LockOptions::life) is remembered for that long after each count down: who is told
// sooner that it is gone, or finds it closed again, was refused; later nothing is held against it.
// After a fault
// at which a server may have forgotten what it acknowledged, only those acknowledgements count that
// come when all is well again: counting down once more must repair a latch.
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
  std::optional<Duration> hand_over_bound = {};  ///< as ProgressRules has it
  Duration life{};                               ///< 0: longer than the run
};

/// Appends one violation of each property at most, the earliest. `to_its_end`: the run was not cut
/// short, so that who was not let through was not going to be.
void JudgeLatch(const History& history, const LatchRules& rules, bool to_its_end,
                std::vector<Violation>& violations);

/// What latches have in place of the goals of locks.
void AddLatchGoals(const History& history, const LatchRules& rules, GoalSet& goals);

LatchRules LatchRulesOf(const JudgedResource& resource);

}  // namespace interlock::scenarios
