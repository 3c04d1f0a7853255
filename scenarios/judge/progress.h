// SPDX-License-Identifier: MIT
//
// Liveness once the faults are over. A live, connected waiter is judged by the first of these that
// it suffers:
//   LK008  the resource stays free for longer than the lock's wake-up bound (in a run without
//          faults: its hand-over bound, if it declares one), and its last holder was a client that
//          died;
//   LK009  it stays free as long, and its last holder lived: a deadlock, a lost wake-up;
//   LK012  the waiter waits longer than the computed bound (liveness_bound.h) while others are
//          granted: starvation;
//   LK015  it waits as long and nobody is granted anything: no progress.
//
// A resource is taken while a lease runs that was really asked for, or while a live client holds
// it; a key that never expires does not keep it taken for ever. A grant handed to a client already
// dead, of which no server has heard since, counts only for the time the lock declares it needs to
// pass it over. To a reader the resource is free while only readers have it and, if the lock
// prefers writers, none waits.
//
// Non-guarantee: a user that stays in the section for longer than a program may (it waits for
// something else inside) does not count as starving others.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "scenarios/judge/liveness_bound.h"
#include "scenarios/log/history.h"

namespace interlock::scenarios {

struct ProgressRules {
  Duration wake_up_bound{};   ///< the lock's own
  Duration longest_use{};     ///< of one grant, see LongestUse
  std::int64_t rate_ppm = 0;  ///< of the slowest clock
  /// Where several resources are taken at once: the histories of the others, whose users may block.
  std::vector<const History*> beside = {};
  /// The one among `beside` that each judged request also asks for: while that is taken, the
  /// request may leave the free one alone. nullptr: no such excuse.
  const History* taken_with = nullptr;
  /// The lock's own, for a run without faults; nullopt: the wake-up bound applies.
  std::optional<Duration> hand_over_bound = {};
  /// Subject::PassedOverBound, for a run in which clients die and nothing else goes wrong. A server
  /// that had not heard of the death, and has served a command of the client since, makes it a dead
  /// holder. Only leases longer than the bound show anything, as in `next-in-line`.
  std::optional<Duration> passed_over_bound = {};
};

/// Appends at most one violation, for the waiter that was forgotten first.
void JudgeProgress(const History& history, const ProgressRules& rules,
                   std::vector<Violation>& violations);

}  // namespace interlock::scenarios
