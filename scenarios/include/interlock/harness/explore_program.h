// SPDX-License-Identifier: MIT
//
// Every order of steps of a program of one's own, and every placing of faults, within budgets:
//
//   const auto verdict = Explore(program, {.faults = {{"crash", 1}, {"pause", 1}}});
//   EXPECT_TRUE(verdict.passed) << verdict.text;
//
// Messages take no time here but for that of faults. A pause, a partition and a jump of a client's
// clock may begin before each command and note and at each reply, a delay is one of a command or
// its reply, and each has one of the lengths in `pauses`; "expiry" ends just after the next key has
// expired. From "replication-stop" on the replicas lag for good, so that a failover loses what was
// written since. Other faults, of the servers' clocks and of servers that are away or refuse for a
// while, are refused: no length stands for all where no time passes by itself.
//
// Guarantee: `passed` means that all runs within the budgets were covered, each state once, that
// none violated an invariant or ended otherwise than it should, and that random paths afterwards
// met no state that had not been seen. Two states are one if the servers' data, the notes in their
// order, and all that each client was told are the same, so what an invariant is shown is part of
// it. A counterexample has the fewest faults of all. REQUIRES: as Program does, and a client's
// waits end: polling up to Program::lasts has too many states. Non-guarantee: nothing is said about
// what is beyond the budgets; the second phase, after the faults, is tried in one order for each
// end of the first. Posix clients cannot be explored. Thread safety: as Simulate.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include <interlock/harness/explore.h>
#include <interlock/harness/simulate.h>

namespace interlock::harness {

struct ExploreProgramOptions {
  /// Of "crash", "restart", "pause", "expiry", "delay-request", "delay-reply", "lost-request",
  /// "lost-reply", "reset-before", "reset-after", "half-open", "partition", "partition-to-server",
  /// "partition-from-server", "client-clock-jump", "server-kill", "failover", "replication-stop",
  /// "evict", "flushall", "admin-del", "script-flush", "client-kill". The dead are back at once, or
  /// never.
  std::vector<FaultBudget> faults = {};
  /// Lengths, each tried. Empty: five quarters of Program::lease.
  std::vector<Duration> pauses = {};
  std::uint64_t most_states = 1'000'000;                 ///< more: inconclusive
  std::optional<std::chrono::milliseconds> budget = {};  ///< real time; too short: inconclusive
};

ExploreVerdict Explore(const Program& program, const ExploreProgramOptions& options = {});

}  // namespace interlock::harness
