// SPDX-License-Identifier: MIT
//
// With several resources most steps of different clients do not concern each other, and the search
// takes them in one order. That must not lose anything: it is compared with the search that takes
// every order, with and without merging, in verdicts, in outcomes, and in every state.
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenarios/search/explore/sleep_set.h"
#include "scenarios/search/explore/verdict.h"
#include "scenarios/search/explore/visited.h"
#include "tests/scenarios/search/explore_fixture.h"

namespace interlock::scenarios {
namespace {

using ::testing::HasSubstr;

Bounds At(int resources, Bounds bounds) {
  bounds.resources = resources;
  return bounds;
}

Bounds Nested(Bounds bounds) {
  bounds.nest = true;
  return bounds;
}

Bounds Extending(Bounds bounds) {
  bounds.extend = true;
  return bounds;
}

class ReducedExploreTest : public ExploreTest {};

class ReductionTest : public ExploreTest, public ::testing::WithParamInterface<Case> {};

TEST_P(ReductionTest, FindsWhatEveryOrderFinds) {
  ExploreOptions options = Options(GetParam());
  const Exploration reduced = Explore(options);
  options.symmetry = false;
  const Exploration asymmetric = Explore(options);
  options.merge = false;
  const Exploration unmerged = Explore(options);
  options.reduce = false;
  const Exploration naive = Explore(options);
  options.merge = true;
  const Exploration merged = Explore(options);
  ExpectSame(reduced, naive);
  ExpectSame(asymmetric, naive);
  ExpectSame(unmerged, naive);
  ExpectSame(merged, naive);
  // Each state is on the way of some order that is taken.
  EXPECT_EQ(asymmetric.progress.states, merged.progress.states);
  EXPECT_LE(unmerged.progress.runs, naive.progress.runs);
  RecordProperty("states", static_cast<int>(reduced.progress.states));
  RecordProperty("merged_runs", static_cast<int>(merged.progress.runs));
  RecordProperty("reduced_runs", static_cast<int>(asymmetric.progress.runs));
  RecordProperty("naive_runs", static_cast<int>(naive.progress.runs));
}

INSTANTIATE_TEST_SUITE_P(
    TwoResources, ReductionTest,
    ::testing::Values(
        Case{"Mutex", "mutex", "chaos", At(2, Of(2, 2))},
        Case{"MutexThreeClients", "mutex", "chaos", At(2, Of(3, 1))},
        Case{"MutexThreeClientsCrash", "mutex", "chaos", At(2, WithCrash(Of(3, 1)))},
        Case{"ExistsSetExpireThreeClients", "broken/exists-set-expire", "contention",
             At(2, Of(3, 1))},
        Case{"GetCompareDelThreeClients", "broken/get-compare-del", "contention", At(2, Of(3, 1))},
        Case{"SetnxThenExpireThreeClients", "broken/setnx-then-expire", "chaos", At(2, Of(3, 1))},
        Case{"MutexThreeResources", "mutex", "chaos", At(3, Of(3, 1))},
        Case{"MutexCrash", "mutex", "chaos", At(2, WithCrash(Of(2, 1)))},
        Case{"MutexLostReply", "mutex", "chaos", At(2, WithLostReply(Of(2, 1)))},
        Case{"MutexPause", "mutex", "chaos", At(2, WithPause(Of(2, 1)))},
        Case{"MutexWaiting", "mutex", "chaos", At(2, Waiting(Of(2, 1)))},
        Case{"MutexNested", "mutex", "chaos", Nested(At(2, Of(2, 1)))},
        Case{"MutexNestedCrash", "mutex", "chaos", Nested(At(2, WithCrash(Of(2, 1))))},
        Case{"MutexNestedWaiting", "mutex", "chaos", Nested(At(2, Waiting(Of(2, 1))))},
        Case{"MutexExtending", "mutex", "chaos", At(2, Extending(Of(2, 1)))},
        Case{"GetCompareDel", "broken/get-compare-del", "pause", At(2, Of(2, 2))},
        Case{"GetCompareDelCrash", "broken/get-compare-del", "chaos", At(2, WithCrash(Of(2, 1)))},
        Case{"GetCompareDelNestedPause", "broken/get-compare-del", "pause",
             Nested(At(2, WithPause(Of(2, 1))))},
        Case{"ExtendFromReplyLostReply", "broken/extend-from-reply", "chaos",
             Nested(At(2, WithLostReply(Of(2, 1))))},
        Case{"ExistsSetExpireNested", "broken/exists-set-expire", "contention",
             Nested(At(2, Of(2, 1)))},
        Case{"DelWithoutOwnerPause", "broken/del-without-owner", "pause",
             Nested(At(2, WithPause(Of(2, 1))))},
        Case{"GetCompareDelFailover", "broken/get-compare-del", "failover",
             At(2, WithFailover(Of(2, 1)))},
        Case{"MutexForgetfulRestart", "mutex", "data-loss",
             At(2, WithRestart(Of(2, 1), sim::Persistence::kNone))}),
    [](const auto& parameter) { return parameter.param.name; });

TEST_F(ReducedExploreTest, StepsThatCommuteAreTakenInOneOrder) {
  ExploreOptions options = Options({"", "mutex", "chaos", At(2, Of(2, 2))});
  const Exploration reduced = Explore(options);
  options.reduce = false;
  EXPECT_LT(reduced.progress.runs, Explore(options).progress.runs);
}

TEST_F(ReducedExploreTest, TheVerdictNamesTheResources) {
  const Case one{"", "mutex", "chaos", Nested(At(2, Of(2, 1)))};
  const Exploration exploration = Explore(Options(one));
  EXPECT_THAT(VerdictText(exploration, one.bounds),
              HasSubstr("<= 1 attempt, 2 resources in turn, the next one inside, "));
}

TEST_F(ReducedExploreTest, WhatIsOfOneResourceFallsWithTwoAsWell) {
  // Who was refused at the first, and then held the second, comes to the first when its lease ends.
  Bounds bounds = At(2, WithPause(Of(3, 3)));
  bounds.hold = 20;
  bounds.think = 40;
  ExploreOptions options = Options({"", "broken/get-compare-del", "pause", bounds});
  options.only = {Judged::kForeignRelease};
  options.minimise = true;
  const Exploration exploration = Explore(options);
  ASSERT_TRUE(exploration.violation.has_value());
  EXPECT_EQ(exploration.violation->faults, 1);
  EXPECT_EQ(exploration.violation->workload.resources, 2);
}

sim::redis::Footprint Writes(std::uint64_t name) {
  sim::redis::Footprint footprint;
  footprint.WriteOther(name);
  return footprint;
}

TEST(SleepSetTest, WhoDependsOnAStepWakes) {
  SleepSet asleep;
  asleep.Add({{0, 0}, Writes(1)});
  asleep.Add({{1, 0}, Writes(2)});
  asleep.Wake({2, 0}, Writes(2));
  EXPECT_TRUE(asleep.Has({0, 0}));
  EXPECT_FALSE(asleep.Has({1, 0}));
}

TEST(SleepSetTest, TasksOfOneProcessDependOnEachOther) {
  SleepSet asleep;
  asleep.Add({{0, 0}, Writes(1)});
  asleep.Wake({0, 1}, Writes(2));
  EXPECT_FALSE(asleep.Has({0, 0}));
}

// The second process stands where the first one stands in a state that is the same.
TEST(SleepSetTest, AStateKnowsTasksByRank) {
  SleepSet one;
  one.Add({{0, 1}, Writes(1)});
  SleepSet other;
  other.Add({{1, 1}, Writes(1)});
  const std::vector<int> ranks = {0, 1};
  const std::vector<int> swapped = {1, 0};
  EXPECT_EQ(one.Mask(ranks), other.Mask(swapped));
  EXPECT_NE(one.Mask(ranks), other.Mask(ranks));
  other.Keep(one.Mask(ranks), swapped);
  EXPECT_TRUE(other.Has({1, 1}));
  other.Keep(one.Mask(ranks), ranks);
  EXPECT_FALSE(other.Has({1, 1}));
}

TEST(VisitedTest, AStateIsLeftToThoseWhoAreAwakeForTheFirstTime) {
  Visited visited;
  const sim::Digest state{1, 2};
  EXPECT_TRUE(visited.Enter(state, 0b011).fresh);
  const Visited::Entry again = visited.Enter(state, 0b110);
  EXPECT_FALSE(again.fresh);
  EXPECT_EQ(again.explore, 0b001U);
  EXPECT_EQ(again.asleep, 0b010U);
  EXPECT_EQ(visited.Enter(state, 0b010).explore, 0U);
  EXPECT_EQ(visited.Enter(state, 0).explore, 0b010U);
}

}  // namespace
}  // namespace interlock::scenarios
