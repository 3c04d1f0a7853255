// SPDX-License-Identifier: MIT
//
// The exhaustive search. Its merging of states is only as good as its fingerprints, so it is
// compared with plain enumeration of every path, without merging and without symmetry, wherever
// that is affordable: in verdicts and in all that can become of the clients.
#include "scenarios/search/explore/exhaustive.h"

#include <cstdio>
#include <fstream>
#include <stdexcept>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenarios/search/explore/verdict.h"
#include "tests/scenarios/search/explore_fixture.h"

namespace interlock::scenarios {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class NaiveEnumerationTest : public ExploreTest, public ::testing::WithParamInterface<Case> {};

TEST_P(NaiveEnumerationTest, AgreesWithMergingAndSymmetry) {
  ExploreOptions options = Options(GetParam());
  const Exploration merged = Explore(options);
  options.symmetry = false;
  const Exploration asymmetric = Explore(options);
  options.merge = false;
  const Exploration naive = Explore(options);
  ExpectSame(merged, naive);
  ExpectSame(asymmetric, naive);
  EXPECT_LE(merged.progress.states, asymmetric.progress.states);
  EXPECT_LE(asymmetric.progress.runs, naive.progress.runs);
  RecordProperty("states", static_cast<int>(merged.progress.states));
  RecordProperty("naive_runs", static_cast<int>(naive.progress.runs));
}

INSTANTIATE_TEST_SUITE_P(
    SmallBounds, NaiveEnumerationTest,
    ::testing::Values(
        Case{"MutexThreeClients", "mutex", "chaos", Of(3, 1)},
        Case{"MutexTwoAttempts", "mutex", "chaos", Of(2, 2)},
        Case{"MutexCrash", "mutex", "chaos", WithCrash(Of(2, 1))},
        Case{"MutexLostReply", "mutex", "chaos", WithLostReply(Of(2, 1))},
        Case{"MutexCrashAndLostReply", "mutex", "chaos", WithLostReply(WithCrash(Of(2, 1)))},
        Case{"MutexPause", "mutex", "chaos", WithPause(Of(2, 1))},
        Case{"MutexWaiting", "mutex", "chaos", Waiting(Of(2, 1))},
        Case{"MutexWaitingCrash", "mutex", "chaos", WithCrash(Waiting(Of(2, 1)))},
        Case{"SingleFileWaiting", "single-file", "chaos", Waiting(Of(2, 1))},
        Case{"GetCompareDelPause", "broken/get-compare-del", "pause", WithPause(Of(2, 2))},
        Case{"GetCompareDelCrash", "broken/get-compare-del", "chaos", WithCrash(Of(2, 2))},
        Case{"ExtendFromReplyLostReply", "broken/extend-from-reply", "chaos",
             WithLostReply(Of(2, 2))},
        Case{"ExtendFromReplyLostReplyAndPause", "broken/extend-from-reply", "chaos",
             WithPause(WithLostReply(Of(2, 1)))},
        Case{"SetnxThenExpireCrash", "broken/setnx-then-expire", "crash", WithCrash(Of(2, 1))},
        Case{"ExistsSetExpire", "broken/exists-set-expire", "contention", Of(2, 2)},
        Case{"DelWithoutOwnerPause", "broken/del-without-owner", "pause", WithPause(Of(2, 1))},
        Case{"MutexFailover", "mutex", "failover", WithFailover(Of(2, 1))},
        Case{"MutexFailoverTwoAttempts", "mutex", "failover", WithFailover(Of(2, 2))},
        Case{"MutexFailoverAndCrash", "mutex", "failover", WithCrash(WithFailover(Of(2, 1)))},
        Case{"MutexFailoverAndLostReply", "mutex", "failover",
             WithLostReply(WithFailover(Of(2, 1)))},
        Case{"SingleFileWaitingFailover", "single-file", "failover",
             WithFailover(Waiting(Of(2, 1)))},
        Case{"GetCompareDelFailover", "broken/get-compare-del", "failover", WithFailover(Of(2, 1))},
        Case{"SignalDeletedRestart", "broken/signal-deleted", "data-loss",
             WithRestart(Of(2, 2), sim::Persistence::kNone)},
        Case{"WaitForReplicaFailover", "test/waits-for-replica", "failover",
             WithFailover(Of(2, 1))},
        Case{"MutexForgetfulRestart", "mutex", "data-loss",
             WithRestart(Of(2, 2), sim::Persistence::kNone)},
        Case{"MutexRestart", "mutex", "server-restart",
             WithRestart(Of(2, 2), sim::Persistence::kAofAlways)},
        Case{"SingleFileWaitingForgetfulRestart", "single-file", "data-loss",
             WithRestart(Waiting(Of(2, 1)), sim::Persistence::kNone)}),
    [](const auto& parameter) { return parameter.param.name; });

TEST_F(ExploreTest, TheNumberOfThreadsChangesNeitherStatesNorOutcomes) {
  ExploreOptions options = Options({"", "mutex", "chaos", WithCrash(WithLostReply(Of(2, 2)))});
  const Exploration one = Explore(options);
  options.jobs = 3;
  const Exploration three = Explore(options);
  ExpectSame(one, three);
  EXPECT_EQ(one.progress.states, three.progress.states);
}

// Redis sorts members of one score by their bytes, which are the clients' tokens.
TEST_F(ExploreTest, ClientsAreKeptApartWhereTheirNamesDecide) {
  Bounds bounds = WithPause(Of(3, 2));
  ExploreOptions options = Options({"", "broken/ttl-of-the-first", "permits", bounds});
  const Exploration exploration = Explore(options);
  options.symmetry = false;
  ExpectSame(exploration, Explore(options));
}

// Where nothing takes time, its waiter never comes to the instant of the release.
TEST_F(ExploreTest, WhoGoesRoundInCirclesAtOneInstantIsInconclusive) {
  ExploreOptions options =
      Options({"", "broken/polls-without-rest", "contention", Waiting(Of(2, 1))});
  const Exploration exploration = Explore(options);
  EXPECT_FALSE(exploration.complete);
  EXPECT_THAT(VerdictText(exploration, options.bounds), HasSubstr("round in circles"));
}

TEST_F(ExploreTest, TheVerdictNamesItsBounds) {
  const Case one{"", "mutex", "chaos", Of(2, 2)};
  const Exploration exploration = Explore(Options(one));
  const std::string text = VerdictText(exploration, one.bounds);
  EXPECT_THAT(text, StartsWith("no violation: <= 2 clients, <= 2 attempts, 0 crashes, <= 1 expiry, "
                               "0 lost replies, 0 pauses (sections of 25 %, breaks of 50 % of a "
                               "lease): "));
  EXPECT_THAT(text, HasSubstr("states (complete, hash collision < "));
}

TEST_F(ExploreTest, WhatWasStoppedEarlyIsInconclusiveWithAPercentage) {
  ExploreOptions options = Options({"", "mutex", "chaos", WithCrash(WithLostReply(Of(3, 3)))});
  const std::atomic<bool> stop = true;
  options.stop = &stop;
  const Exploration exploration = Explore(options);
  EXPECT_FALSE(exploration.complete);
  EXPECT_THAT(VerdictText(exploration, options.bounds), StartsWith("inconclusive: "));
  EXPECT_THAT(VerdictText(exploration, options.bounds), HasSubstr(" % of an estimated "));
}

TEST_F(ExploreTest, GetCompareDelFallsWithTwoClientsOneExpiryAndOnePause) {
  ExploreOptions options = Options({"", "broken/get-compare-del", "pause", WithPause(Of(2, 3))});
  options.only = {Judged::kForeignRelease};
  options.minimise = true;
  const Exploration exploration = Explore(options);
  ASSERT_TRUE(exploration.violation.has_value());
  const MinimalCase& found = *exploration.violation;
  EXPECT_TRUE(found.minimal);
  EXPECT_EQ(found.faults, 1);
  EXPECT_EQ(found.bounds.clients, 2);
  sim::Universe universe;
  sim::Choices choices = sim::Choices::FromTape(found.tape);
  const RunResult run = RunOnce(universe, options.run_case, found.workload, choices);
  EXPECT_NE(run.Find(Judged::kForeignRelease), nullptr);
}

// No lock on one server can hold what its server forgets: asked for by name, exclusion falls to a
// replica that lacks the grant, and to nothing less.
TEST_F(ExploreTest, AFailoverGrantsTwiceOnlyIfTheReplicaLagged) {
  ExploreOptions options = Options({"", "mutex", "failover", WithFailover(Of(2, 2))});
  options.only = {Judged::kServerExclusion};
  options.minimise = true;
  const Exploration exploration = Explore(options);
  ASSERT_TRUE(exploration.violation.has_value());
  const MinimalCase& found = *exploration.violation;
  EXPECT_TRUE(found.minimal);
  EXPECT_EQ(found.faults, 2);
  EXPECT_EQ(found.bounds.clients, 1) << "who comes when all is well again is granted it, too";
  FaultSet kinds;
  for (const ClientPlan& client : found.workload.clients) {
    for (const PlannedFault& fault : client.faults) kinds.set(static_cast<std::size_t>(fault.kind));
  }
  EXPECT_TRUE(kinds[static_cast<std::size_t>(sim::FaultKind::kReplicationStop)]);
  EXPECT_TRUE(kinds[static_cast<std::size_t>(sim::FaultKind::kFailover)]);
  sim::Universe universe;
  sim::Choices choices = sim::Choices::FromTape(found.tape);
  const RunResult run = RunOnce(universe, options.run_case, found.workload, choices);
  EXPECT_NE(run.Find(Judged::kServerExclusion), nullptr);

  options.bounds.faults = 1;
  const Exploration in_step = Explore(options);
  EXPECT_TRUE(in_step.complete);
  EXPECT_GT(in_step.exercised[Judged::kServerExclusion], 0U);
  EXPECT_FALSE(in_step.violation.has_value());
}

// Whatever servers forget, nobody may prolong what is another one's: its late extension goes to the
// new primary, where the lock is the next one's by now.
TEST_F(ExploreTest, AForeignExtensionFallsToAFailover) {
  Bounds bounds = WithFailover(Of(2, 3));
  bounds.extend = true;
  bounds.overstay = 37;
  ExploreOptions options = Options({"", "broken/extend-over-whoever", "failover", bounds});
  ASSERT_TRUE(IsPromised(Judged::kForeignExtend, options.run_case));
  options.only = {Judged::kForeignExtend};
  options.minimise = true;
  const Exploration exploration = Explore(options);
  ASSERT_TRUE(exploration.violation.has_value());
  EXPECT_TRUE(exploration.violation->minimal);
  EXPECT_EQ(exploration.violation->faults, 2);
  ExploreOptions sound = Options({"", "mutex", "failover", bounds});
  sound.only = {Judged::kForeignExtend};
  const Exploration held = Explore(sound);
  EXPECT_TRUE(held.complete);
  EXPECT_GT(held.exercised[Judged::kForeignExtend], 0U);
  EXPECT_FALSE(held.violation.has_value()) << held.violation->what;
}

// What is written to disk before it is acknowledged survives, and so does every promise.
TEST_F(ExploreTest, ARestartBreaksExclusionOnlyIfItLosesData) {
  ExploreOptions options =
      Options({"", "mutex", "server-restart", WithRestart(Of(2, 2), sim::Persistence::kAofAlways)});
  options.only = {Judged::kServerExclusion};
  const Exploration kept = Explore(options);
  EXPECT_TRUE(kept.complete);
  EXPECT_FALSE(kept.violation.has_value()) << kept.violation->what;
  options = Options({"", "mutex", "data-loss", WithRestart(Of(2, 2), sim::Persistence::kNone)});
  options.only = {Judged::kServerExclusion};
  options.minimise = true;
  const Exploration lost = Explore(options);
  ASSERT_TRUE(lost.violation.has_value());
  EXPECT_TRUE(lost.violation->minimal);
  EXPECT_EQ(lost.violation->faults, 1);
}

TEST_F(ExploreTest, TheVerdictNamesFaultsOfServers) {
  EXPECT_THAT(ToText(WithFailover(Of(3, 3))), HasSubstr("0 pauses, <= 1 failover"));
  EXPECT_THAT(ToText(WithRestart(Of(3, 3), sim::Persistence::kNone)),
              HasSubstr("0 pauses, <= 1 server restart with all data lost"));
}

TEST_F(ExploreTest, AnInterruptedExplorationGoesOnFromItsCheckpoint) {
  ExploreOptions options = Options({"", "mutex", "chaos", WithCrash(WithLostReply(Of(2, 2)))});
  const Exploration whole = Explore(options);
  options.checkpoint = ::testing::TempDir() + "/interlock-explore-checkpoint";
  std::remove(options.checkpoint.c_str());
  std::atomic<bool> stop = false;
  options.stop = &stop;
  options.progress = [&stop](const ExploreProgress&) { stop = true; };  // after 256 runs
  EXPECT_FALSE(Explore(options).complete);
  stop = false;
  options.progress = nullptr;
  const Exploration resumed = Explore(options);
  ExpectSame(resumed, whole);
  EXPECT_EQ(resumed.progress.states, whole.progress.states);
  EXPECT_EQ(resumed.progress.runs, whole.progress.runs);
  EXPECT_EQ(resumed.progress.done, 1.0);

  options.bounds.crashes = 0;
  EXPECT_THROW(Explore(options), std::runtime_error);
  options.bounds.crashes = 1;
  options.only = {Judged::kServerExclusion};
  EXPECT_THROW(Explore(options), std::runtime_error) << "there more was looked for";
  options.only = {};
  std::fstream file(options.checkpoint, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(200);
  file.put('x');
  file.close();
  EXPECT_THROW(Explore(options), std::runtime_error);
  std::remove(options.checkpoint.c_str());
}

TEST_F(ExploreTest, WhatWasFoundIsFoundAgainFromItsCheckpoint) {
  ExploreOptions options = Options({"", "broken/setnx-then-expire", "crash", WithCrash(Of(2, 1))});
  options.checkpoint = ::testing::TempDir() + "/interlock-explore-found";
  std::remove(options.checkpoint.c_str());
  EXPECT_TRUE(Explore(options).violation.has_value());
  EXPECT_TRUE(Explore(options).violation.has_value());
  std::remove(options.checkpoint.c_str());
}

TEST_F(ExploreTest, AnUnwritableCheckpointIsSeenBeforeTheSearch) {
  ExploreOptions options = Options({"", "mutex", "chaos", Of(2, 1)});
  int told = 0;
  options.progress = [&told](const ExploreProgress&) { ++told; };
  for (const char* path : {"/dev/full", "/dev/zero", "/nowhere/at/all"}) {
    options.checkpoint = path;
    EXPECT_THROW(Explore(options), std::runtime_error) << path;
  }
  EXPECT_EQ(told, 0);
}

// The classic: its section goes on behind a pause, and the next one's has begun.
TEST_F(ExploreTest, APauseInTheSectionLetsSectionsOverlap) {
  ExploreOptions options = Options({"", "mutex", "pause", WithPause(Of(2, 3))});
  options.only = {Judged::kSectionExclusion};
  options.minimise = true;
  const Exploration exploration = Explore(options);
  ASSERT_TRUE(exploration.violation.has_value());
  EXPECT_TRUE(exploration.violation->minimal);
  EXPECT_EQ(exploration.violation->faults, 1);
  EXPECT_EQ(exploration.violation->bounds.clients, 2);
}

}  // namespace
}  // namespace interlock::scenarios
