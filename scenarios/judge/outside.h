// SPDX-License-Identifier: MIT
//
// Judging by what clients report alone, without a look at the servers: on a real server only the
// two ends of each call are known. What lies between is bounded (see run/processes/real_history.h),
// and a row of the property table convicts only of what has no innocent explanation within the
// bounds, given the run's faults: what a stopped server or a proxy held back may take effect later,
// and then proves nothing. What does leave one, such as a section that outlived its lease because
// the machine was busy, is undecided.
//
// Non-guarantee: a server that loses acknowledged writes is not excused here; the report must say
// what is then demanded. Thread safety: pure functions.
#pragma once

#include <chrono>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <interlock/harness/lock.h>

#include "scenarios/cases/goals.h"
#include "scenarios/cases/judged.h"
#include "scenarios/judge/keys.h"
#include "scenarios/judge/termination.h"
#include "scenarios/log/history.h"
#include "sim/redis/server.h"

namespace interlock::scenarios {

struct OutsideRules {
  harness::Traits traits;
  int parties = 0;  ///< parties of a latch; 0: not a latch
  Duration wake_up_bound{};
  Duration stays_taken_for{};  ///< see harness::Bounds::StaysTakenFor
  TerminationBounds termination{.overrun = std::chrono::seconds(5)};
  std::int64_t commands_per_lease = std::numeric_limits<std::int32_t>::max();
  KeyLimits key_limits;
  std::string disturbed;         ///< why delays say nothing; empty: they count
  bool forgetful = false;        ///< servers may have lost acknowledged writes
  bool calm = true;              ///< no fault struck anybody
  bool servers_answered = true;  ///< no fault struck servers or links
  /// Others may have used the resource, with leases of their own: only what reports contradict
  /// counts, neither waits nor what all answers together leave open.
  bool partial = false;

  /// Whether the end of a lease is known: a server may still have an older request to extend it,
  /// and a lock that renews by itself has asked for more than was seen.
  bool EndsAreSure() const { return !traits.renews && servers_answered && disturbed.empty(); }
};

/// The lock's own bounds; nothing went wrong.
OutsideRules RulesFor(const harness::Subject& subject, const harness::LockOptions& options);

/// The clients' observations of one run.
struct SeenFromOutside {
  const History& history;
  const OutsideRules& rules;
  /// At the end, with their remaining ms to live.
  const std::vector<sim::redis::Server::KeyInfo>& keys;
};

struct OutsideVerdict {
  std::vector<Violation> violations;  ///< in order of time
  PerJudged<std::string> undecided;   ///< why; empty: decided
  PerJudged<bool> exercised;
  GoalSet goals;

  const Violation* Find(Judged property) const { return FindViolation(violations, property); }
};

/// Judges by all rows of the property table.
OutsideVerdict JudgeFromOutside(const SeenFromOutside& of);

/// The goals that a run reached, as far as its clients' reports show.
GoalSet OutsideGoals(const History& history);

// The judges that have a file of their own.

/// Server exclusion (LK001, LK013 at the server): at the server a grant proves a hold (see
/// ProvenHold). Two of them must not overlap, and no request may be granted while others' holds
/// covered all of the time from its call to its return; and there must be an order in which a
/// server can have given all answers, see lease_model.h. Appends at most one violation of
/// exclusion, the earliest, and at most one that no order explains.
void JudgeProvenHolds(const SeenFromOutside& of, OutsideVerdict& verdict);
/// Forgotten waiters (LK008, LK009): delays count unless the machine or the server may have made
/// them.
void JudgeDelays(const SeenFromOutside& of, OutsideVerdict& verdict);
/// The same for a latch, and whether it opened too early (LK001). A party counts as having counted
/// down when it first says so, and for sure when it is told: see judge/latch.h.
void JudgeLatchFromOutside(const SeenFromOutside& of, OutsideVerdict& verdict);

/// What the runs of a scenario on real servers are like.
struct OutsideSetting {
  const harness::Traits& traits;
  bool faults = false;         ///< any at all
  bool servers_answer = true;  ///< the only faults are pauses and deaths of clients
  bool comes_late = false;     ///< some clients come back after their leases' ends
};

/// Why no such run can show the property; empty if one can.
std::string_view WhyHidden(Judged property, const OutsideSetting& setting);

/// Clocks of client and server drift apart, within a lease, by less than a lease divided by this.
inline constexpr int kDriftPart = 100;

/// The latest end of the server's lease, as last extended by then; kOpen: the outcome of an
/// extension is not known.
VirtualTime LatestEnd(const History& history, const ServerHold& hold);

/// When this grant proves that the server kept the resource for it: until its release was called,
/// if that was answered "released", otherwise as long as the promise surely lasted.
Interval ProvenHold(const ServerHold& hold);

}  // namespace interlock::scenarios
