// SPDX-License-Identifier: MIT
//
// Judges the history of a run on a real server, by rules that give no false alarm: the client
// processes' observations must leave no innocent explanation. Those that do leave one, such as a
// section that outlived its lease because the machine was busy, are undecided.
//
// A latch's party counts as having counted down when it first says so, and for sure when it is
// told: see judge/latch.h. Otherwise, beliefs and sections are judged as in the simulation,
// sections only while their lease was valid. At the server a grant proves a hold (see ProvenHold);
// two of them must not overlap, and no request may be granted while others' holds covered all of
// the time from its call to its return. Non-guarantee: a server that loses acknowledged writes is
// not excused here: the row must say what is then demanded; RealRun::broken covers a clock that was
// set. Thread safety: pure functions.
#pragma once

#include <chrono>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <interlock/harness/lock.h>

#include "scenarios/cases/goals.h"
#include "scenarios/judge/judged.h"
#include "scenarios/judge/keys.h"
#include "scenarios/judge/termination.h"
#include "scenarios/log/history.h"
#include "scenarios/run/processes/real_history.h"
#include "sim/redis/server.h"

namespace interlock::scenarios::real {

struct RealRules {
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
};

struct RealVerdict {
  std::vector<Violation> violations;  ///< in order of time
  PerJudged<std::string> undecided;   ///< why; empty: decided
  PerJudged<bool> exercised;
  GoalSet goals;

  const Violation* Find(Judged property) const;
};

/// `keys` are those at the end, with their remaining ms to live.
RealVerdict JudgeReal(const RealHistory& history, const RealRules& rules,
                      const std::vector<sim::redis::Server::KeyInfo>& keys);

/// The goals that are visible from outside.
GoalSet RealGoals(const RealHistory& history);

}  // namespace interlock::scenarios::real
