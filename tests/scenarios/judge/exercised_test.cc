// SPDX-License-Identifier: MIT
//
// Which properties a history with these goals put to the test. A property that is held exercised
// when it was not would be a false green.
#include "scenarios/judge/exercised.h"

#include <vector>

#include <gtest/gtest.h>

#include "scenarios/judge/property.h"
#include "tests/scenarios/judge/goals_fixture.h"
#include "tests/scenarios/judge/histories.h"

namespace interlock::scenarios {
namespace {

using testing::Answered;
using testing::Asked;
using testing::Believes;
using testing::Inside;
using testing::kAnySemaphore;
using testing::kOrderedLock;
using testing::Line;
using testing::Ms;
using testing::NewHistory;
using testing::OneHold;

TEST(ExercisedTest, AnOrderNeedsTwoThatWaitAtOnce) {
  EXPECT_TRUE(Exercised(Line(Ms(510), Ms(520)), kOrderedLock, {})[Judged::kOrder]);
  EXPECT_FALSE(Exercised(Line(Ms(25), Ms(520)), kOrderedLock, {})[Judged::kOrder]);
}

TEST(ExercisedTest, WithoutAPromisedOrderItIsAWaiterThatMayStarve) {
  const harness::Traits unordered;
  EXPECT_FALSE(Exercised(Line(Ms(510), Ms(520)), unordered, {})[Judged::kOrder]);
  GoalSet goals;
  goals.Add(Goal::kWaiterGranted);
  EXPECT_TRUE(Exercised(NewHistory(), unordered, goals)[Judged::kOrder]);
  EXPECT_FALSE(Exercised(NewHistory(), kOrderedLock, goals)[Judged::kOrder]);
}

TEST(ExercisedTest, SectionsNeedMoreEntriesThanPermits) {
  History history = OneHold();
  GoalSet goals;
  goals.Add(Goal::kContended);
  EXPECT_FALSE(Exercised(history, kOrderedLock, goals)[Judged::kSectionExclusion]);
  history.holds.push_back(Inside(Believes(1, Ms(600), Ms(700)), Ms(600), Ms(700)));
  EXPECT_TRUE(Exercised(history, kOrderedLock, goals)[Judged::kSectionExclusion]);
  history.limits = Limits(2);
  EXPECT_FALSE(Exercised(history, kAnySemaphore, goals)[Judged::kPermitsSection]);
}

TEST(ExercisedTest, WithoutSeenOwnershipTheServerIsNotJudged) {
  History history = OneHold();
  history.server_holds.clear();
  GoalSet goals;
  goals.Add(Goal::kContended);
  const PerJudged<bool> exercised = Exercised(history, kOrderedLock, goals);
  EXPECT_FALSE(exercised[Judged::kServerExclusion]);
  EXPECT_TRUE(exercised[Judged::kKeys]);
  EXPECT_TRUE(exercised[Judged::kBeliefExclusion]);
}

// A timely extension proves nothing about a late one.
TEST(ExercisedTest, OnlyALateExtensionExercisesForeignExtend) {
  GoalSet goals;
  goals.Add(Goal::kExtended);
  EXPECT_FALSE(Exercised(NewHistory(), kOrderedLock, goals)[Judged::kForeignExtend]);
  goals.Add(Goal::kExtendAfterLoss);
  EXPECT_TRUE(Exercised(NewHistory(), kOrderedLock, goals)[Judged::kForeignExtend]);
}

TEST(ExercisedTest, ALockThatExtendsNothingMayDoSoByARequest) {
  GoalSet goals;
  goals.Add(Goal::kContended);
  EXPECT_TRUE(Exercised(NewHistory(), {}, goals)[Judged::kForeignExtend]);
  EXPECT_FALSE(Exercised(NewHistory(), {.renews = true}, goals)[Judged::kForeignExtend]);
  EXPECT_FALSE(Exercised(NewHistory(), kOrderedLock, goals)[Judged::kForeignExtend]);
}

TEST(ExercisedTest, ALatchIsJudgedByFiveProperties) {
  History history = NewHistory();
  history.attempts = {Answered(Asked(1, Ask::kWaitFor, Ms(100)), Ms(200), StatusCode::kTimeout)};
  GoalSet goals;
  for (std::size_t i = 0; i < kGoalCount; ++i) goals.Add(static_cast<Goal>(i));
  const PerJudged<bool> exercised = Exercised(history, {.kind = harness::Latch{}}, goals);
  std::vector<Judged> judged;
  for (const Judged property : kAllJudged) {
    if (exercised[property]) judged.push_back(property);
  }
  EXPECT_EQ(judged, (std::vector{Judged::kServerExclusion, Judged::kKeys, Judged::kSpuriousRefusal,
                                 Judged::kTermination, Judged::kDeadlock}));
}

}  // namespace
}  // namespace interlock::scenarios
