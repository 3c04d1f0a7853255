// SPDX-License-Identifier: MIT
//
// Every order of steps and every placing of faults within given bounds, as a function call:
//
//   TEST(JobLockTest, NothingGoesWrongBetweenTwoClientsAndACrash) {
//     const auto verdict = interlock::harness::Explore(std::make_shared<MySubject>(),
//                                                      {.scenario = "crash"});
//     EXPECT_TRUE(verdict.passed) << verdict.text;
//   }
//
// Guarantee: `passed` means that all runs within the bounds were covered, each state once, and that
// none of them violated what is judged; `text` names the bounds. A counterexample has the fewest
// faults, then clients, then attempts that any run within the bounds needs. Non-guarantee: nothing
// is said about what is beyond the bounds. REQUIRES a deterministic lock: it decides by nothing but
// what its Environment gave it. No watchdog, as for Check (interlock/harness/check.h). Thread
// safety: may be called from any thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include <interlock/harness/lock.h>

namespace interlock::harness {

struct ExploreOptions {
  /// The scenario whose properties are judged, and whose faults there are. Empty: "chaos",
  /// "guarded" with writes, "failover" or "data-loss" where servers fail, each with "quorum-"
  /// before it for a lock by quorum. "chaos@valkey-9.1": on such a server.
  std::string scenario = {};
  std::string synchrony = {};  ///< "none", "bounded", "arbitrary"; empty: its weakest class
  std::string property = {};   ///< "LK005" or a slug: look for its violations alone
  int clients = 2;             ///< 1 to 8
  int attempts = 2;            ///< for each client, 1 to 8
  int resources = 1;           ///< 1 to 3: each client's attempts go over them in turn
  int masters = 0;             ///< for a lock by quorum, 3 to 9; 0: as many as the scenario has
  int readers = 0;             ///< how many clients ask as readers, if the lock has such
  int setters = 0;             ///< how many clients set one permit more in place of asking
  int other_limits = 0;        ///< how many clients take one permit more for the limit
  bool follow = false;         ///< all but the first follow the limit in force
  bool nest = false;           ///< in each section the client asks for the next resource, too
  bool waits = false;          ///< clients wait for the lock instead of trying
  bool extend = false;         ///< clients extend in the middle of the section
  /// "unfenced", "fenced" or "checked": holders write to what the lock guards, which accepts all,
  /// no token below the highest, or no write that follows another client's read. "none": they do
  /// not write.
  std::string writes = "none";
  // Lengths, in hundredths of a lease.
  int wait = 300;    ///< how patient waiters are, with `waits`
  int hold = 25;     ///< the length of the section
  int think = 50;    ///< between two attempts
  int life = 0;      ///< the life of a latch; 0: longer than any run
  int overstay = 0;  ///< after its validity each client comes back once; 0: not, but for 37 where
                     ///< the scenario has that, and no pauses
  int expiries = 1;  ///< leases of living clients that run out
  // The most faults of each kind. Not given: one crash and one lost reply if the scenario has such
  // faults, and none of the last four.
  std::optional<int> crashes = {};
  std::optional<int> lost_replies = {};
  std::optional<int> lost_requests = {};
  std::optional<int> silent_losses = {};
  std::optional<int> pauses = {};        ///< to just past the end of a lease
  std::optional<int> short_pauses = {};  ///< of half a lease
  int failovers = 0;  ///< of a primary to its replica, which may lack the last writes
  int restarts = 0;   ///< of the server, with what the scenario lets it keep
  int jobs = 1;       ///< threads; the verdict does not depend on it
  std::optional<std::chrono::milliseconds> budget = {};  ///< real time; too short: inconclusive
  std::string program = {};                              ///< as CheckOptions::program
};

struct ExploreVerdict {
  bool passed = false;       ///< all was explored, put to the test and found in order
  bool violated = false;     ///< false and not passed: inconclusive, or `text` says what is wrong
  std::uint64_t states = 0;  ///< visited
  std::string token;         ///< the smallest counterexample, for Replay; else empty
  std::string text;          ///< the verdict with its bounds, after the counterexample
};

ExploreVerdict Explore(std::shared_ptr<const Subject> subject, const ExploreOptions& options = {});

}  // namespace interlock::harness
