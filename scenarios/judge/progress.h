// SPDX-License-Identifier: MIT
//
// Liveness once the faults are over. A live waiter that stays connected is judged by the first of
// these that it suffers:
//   LK008  the resource stays free for longer than the lock's wake-up bound (in a run without any
//          fault: than its hand-over bound, if it declares one), and the last one to
//          hold it was a client that died;
//   LK009  it stays free as long, and its last holder lived: a deadlock, a lost wake-up;
//   LK012  the waiter waits longer than the computed bound (liveness_bound.h) while others are
//          granted: it starves;
//   LK015  it waits as long and nobody is granted anything: whatever goes on, it leads nowhere.
//
// A resource is taken while a lease that was really asked for runs, or while a live client holds
// it; a key that never expires does not make it taken for ever. What was handed over to a client
// that was dead by then, and of which no server has heard since, counts for no longer than the lock
// says that it needs to pass that over. To a reader it is free while only readers have it, and, if
// the lock prefers them, no writer waits for it.
//
// Non-guarantee: a user who stays in the section for longer than a program may (it waits for
// something else inside) is nobody's starvation here.
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
  /// Where several resources are taken at once: of the others, whose users may be in the way, too.
  std::vector<const History*> beside = {};
  /// The one of these that each of the judged requests asks for, which may leave the free one alone
  /// while that is taken; nullptr: it may not.
  const History* taken_with = nullptr;
  /// The lock's own, of a run in which no fault has struck; nullopt: the wake-up bound counts.
  std::optional<Duration> hand_over_bound = {};
  /// Subject::PassedOverBound, of a run in which clients die and nothing else goes wrong. A server
  /// that had not heard of the death and has served a command of the client since makes it a holder
  /// that has died. Only leases longer than the bound show anything, as in `next-in-line`.
  std::optional<Duration> passed_over_bound = {};
};

/// Appends one violation at most: that of the waiter which was forgotten first.
void JudgeProgress(const History& history, const ProgressRules& rules,
                   std::vector<Violation>& violations);

struct Property;
extern const Property kCrashRecoveryProperty;
extern const Property kDeadlockProperty;

}  // namespace interlock::scenarios
