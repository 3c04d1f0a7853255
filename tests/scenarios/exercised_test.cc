// SPDX-License-Identifier: MIT
//
// Which goals a history reaches, and which properties it therefore put to the test. A property that
// is held exercised when it was not would be a false green.
#include "scenarios/oracles/exercised.h"

#include <gtest/gtest.h>

#include "tests/scenarios/histories.h"

namespace interlock::scenarios {
namespace {

using testing::Answered;
using testing::Asked;
using testing::Believes;
using testing::Crash;
using testing::Ended;
using testing::Inside;
using testing::Ms;
using testing::NewHistory;
using testing::Owns;
using testing::Released;

GoalSet GoalsOf(const History& history) {
  GoalSet goals;
  AddGoals(history, goals);
  return goals;
}

/// C1 holds over [10, 500) and releases.
History OneHold() {
  History history = NewHistory();
  history.attempts = {Answered(Asked(0, Ask::kTry, Ms(9)), Ms(11), StatusCode::kOk)};
  history.server_holds = {Ended(Owns(0, Ms(10), Ms(1010)), ServerHoldEnd::kReleased, Ms(500))};
  history.holds = {
      Released(Inside(Believes(0, Ms(11), Ms(499)), Ms(11), Ms(499)), Ms(499), Ms(501))};
  return history;
}

TEST(GoalsTest, AnEmptyHistoryReachesNone) {
  const GoalSet goals = GoalsOf(NewHistory());
  for (std::size_t i = 0; i < kGoalCount; ++i) {
    EXPECT_FALSE(goals.Has(static_cast<Goal>(i))) << Name(static_cast<Goal>(i));
  }
}

TEST(GoalsTest, ALoneHoldIsNotContended) {
  const GoalSet goals = GoalsOf(OneHold());
  EXPECT_FALSE(goals.Has(Goal::kContended));
  const PerJudged<bool> exercised = Exercised(OneHold(), false, goals);
  for (const Judged judged : kAllJudged) {
    EXPECT_EQ(exercised[judged], judged == Judged::kKeys) << Slug(judged);
  }
}

TEST(GoalsTest, ARefusalWhileAnotherHeldIsContended) {
  History history = OneHold();
  history.attempts.push_back(
      Answered(Asked(1, Ask::kTry, Ms(100)), Ms(101), StatusCode::kNotAcquired));
  const GoalSet goals = GoalsOf(history);
  EXPECT_TRUE(goals.Has(Goal::kContended));
  EXPECT_TRUE(goals.Has(Goal::kRefused));
  EXPECT_FALSE(goals.Has(Goal::kWaiterTimedOut));
  EXPECT_TRUE(Exercised(history, false, goals)[Judged::kServerExclusion]);
  EXPECT_TRUE(Exercised(history, true, goals)[Judged::kPermitsServer]);
  EXPECT_FALSE(Exercised(history, true, goals)[Judged::kServerExclusion]);
}

TEST(GoalsTest, AnAttemptAfterTheReleaseIsNotContended) {
  History history = OneHold();
  history.attempts.push_back(Answered(Asked(1, Ask::kTry, Ms(501)), Ms(503), StatusCode::kOk));
  EXPECT_FALSE(GoalsOf(history).Has(Goal::kContended));
}

TEST(GoalsTest, AWaiterGrantedWhatWasTakenExercisesDeadlockFreedom) {
  History history = OneHold();
  history.attempts.push_back(Answered(Asked(1, Ask::kWait, Ms(100)), Ms(503), StatusCode::kOk));
  const GoalSet goals = GoalsOf(history);
  EXPECT_TRUE(goals.Has(Goal::kWaiterGranted));
  EXPECT_TRUE(Exercised(history, false, goals)[Judged::kDeadlock]);
}

TEST(GoalsTest, AWaiterThatFoundItFreeExercisesNoDeadlockFreedom) {
  History history = OneHold();
  history.attempts[0].ask = Ask::kWait;
  const GoalSet goals = GoalsOf(history);
  EXPECT_FALSE(goals.Has(Goal::kWaiterGranted));
  EXPECT_FALSE(Exercised(history, false, goals)[Judged::kDeadlock]);
}

TEST(GoalsTest, ATimeoutOfAWaiterAndOfATryDiffer) {
  History history = OneHold();
  history.attempts = {Answered(Asked(1, Ask::kWaitFor, Ms(100)), Ms(200), StatusCode::kTimeout)};
  EXPECT_TRUE(GoalsOf(history).Has(Goal::kWaiterTimedOut));
  EXPECT_FALSE(GoalsOf(history).Has(Goal::kRefused));
  history.attempts[0].ask = Ask::kTry;
  EXPECT_FALSE(GoalsOf(history).Has(Goal::kWaiterTimedOut));
  EXPECT_TRUE(GoalsOf(history).Has(Goal::kRefused));
}

TEST(GoalsTest, AnUnknownOutcomeIsSeen) {
  History history = OneHold();
  history.attempts[0].answer = StatusCode::kUnknownOutcome;
  EXPECT_TRUE(GoalsOf(history).Has(Goal::kUnknownOutcome));
}

TEST(GoalsTest, AGrantThatItsLiveClientNeverLearnedOfIsALostReply) {
  History history = OneHold();
  EXPECT_FALSE(GoalsOf(history).Has(Goal::kReplyLostAfterGrant));
  history.holds.clear();
  EXPECT_TRUE(GoalsOf(history).Has(Goal::kReplyLostAfterGrant));
  Crash(history, 0, Ms(11));
  EXPECT_FALSE(GoalsOf(history).Has(Goal::kReplyLostAfterGrant));
}

TEST(GoalsTest, ACrashInTheSectionIsACrashWhileHolding) {
  History history = OneHold();
  history.server_holds[0] = Ended(history.server_holds[0], ServerHoldEnd::kExpired, Ms(1010));
  history.holds[0].section.to = Ms(300);
  history.holds[0].release_called = kOpen;
  history.holds[0].release_returned = kOpen;
  Crash(history, 0, Ms(300));
  const GoalSet goals = GoalsOf(history);
  EXPECT_TRUE(goals.Has(Goal::kCrashWhileHolding));
  EXPECT_TRUE(goals.Has(Goal::kCrashInSection));
  EXPECT_FALSE(goals.Has(Goal::kRecoveredAfterCrash));
  EXPECT_FALSE(Exercised(history, false, goals)[Judged::kCrashRecovery]);
}

TEST(GoalsTest, ACrashAfterTheReleaseIsNoCrashWhileHolding) {
  History history = OneHold();
  Crash(history, 0, Ms(700));
  EXPECT_FALSE(GoalsOf(history).Has(Goal::kCrashWhileHolding));
}

TEST(GoalsTest, AGrantAfterTheDeathOfAHolderExercisesCrashRecovery) {
  History history = OneHold();
  history.server_holds[0] = Ended(history.server_holds[0], ServerHoldEnd::kExpired, Ms(1010));
  history.holds[0].release_called = kOpen;
  Crash(history, 0, Ms(300));
  history.holds.push_back(Believes(1, Ms(1020), Ms(2000)));
  const GoalSet goals = GoalsOf(history);
  EXPECT_TRUE(goals.Has(Goal::kRecoveredAfterCrash));
  EXPECT_TRUE(Exercised(history, false, goals)[Judged::kCrashRecovery]);
}

/// C1's lease ended at 1010 ms, C2 was granted at 1100 ms, C1 releases at `release`.
History LateRelease(VirtualTime release) {
  History history = NewHistory();
  history.server_holds = {Ended(Owns(0, Ms(10), Ms(1010)), ServerHoldEnd::kExpired, Ms(1010)),
                          Owns(1, Ms(1100), Ms(2100))};
  history.holds = {
      Released(Believes(0, Ms(11), Ms(1000)), release, release + Ms(2), StatusCode::kNotOwner),
      Believes(1, Ms(1101), Ms(2090))};
  return history;
}

TEST(GoalsTest, AReleaseWhileAnotherHoldsExercisesForeignRelease) {
  const GoalSet goals = GoalsOf(LateRelease(Ms(1500)));
  EXPECT_TRUE(goals.Has(Goal::kLeaseExpiredWhileHeld));
  EXPECT_TRUE(goals.Has(Goal::kReleaseOfLostLease));
  EXPECT_TRUE(Exercised(LateRelease(Ms(1500)), false, goals)[Judged::kForeignRelease]);
}

TEST(GoalsTest, ALateReleaseBeforeTheNextGrantExercisesNoForeignRelease) {
  const GoalSet goals = GoalsOf(LateRelease(Ms(1050)));
  EXPECT_TRUE(goals.Has(Goal::kLeaseExpiredWhileHeld));
  EXPECT_FALSE(goals.Has(Goal::kReleaseOfLostLease));
}

TEST(GoalsTest, ALateReleaseAfterTheNextPromiseEndedExercisesNoForeignRelease) {
  EXPECT_FALSE(GoalsOf(LateRelease(Ms(2200))).Has(Goal::kReleaseOfLostLease));
}

TEST(GoalsTest, ASectionThatOutlivedItsBeliefWasPausedPastItsLease) {
  History history = OneHold();
  EXPECT_FALSE(GoalsOf(history).Has(Goal::kPausedPastLease));
  history.holds[0].belief[0].to = Ms(300);
  EXPECT_TRUE(GoalsOf(history).Has(Goal::kPausedPastLease));
}

TEST(ExercisedTest, SectionsNeedMoreEntriesThanPermits) {
  History history = OneHold();
  GoalSet goals;
  goals.Add(Goal::kContended);
  EXPECT_FALSE(Exercised(history, false, goals)[Judged::kSectionExclusion]);
  history.holds.push_back(Inside(Believes(1, Ms(600), Ms(700)), Ms(600), Ms(700)));
  EXPECT_TRUE(Exercised(history, false, goals)[Judged::kSectionExclusion]);
  history.permits = 2;
  EXPECT_FALSE(Exercised(history, true, goals)[Judged::kPermitsSection]);
}

TEST(ExercisedTest, WithoutSeenOwnershipTheServerIsNotJudged) {
  History history = OneHold();
  history.server_holds.clear();
  GoalSet goals;
  goals.Add(Goal::kContended);
  const PerJudged<bool> exercised = Exercised(history, false, goals);
  EXPECT_FALSE(exercised[Judged::kServerExclusion]);
  EXPECT_TRUE(exercised[Judged::kKeys]);
  EXPECT_TRUE(exercised[Judged::kBeliefExclusion]);
}

// A timely extension proves nothing about a late one.
TEST(ExercisedTest, OnlyALateExtensionExercisesForeignExtend) {
  GoalSet goals;
  goals.Add(Goal::kExtended);
  EXPECT_FALSE(Exercised(NewHistory(), false, goals)[Judged::kForeignExtend]);
  goals.Add(Goal::kExtendAfterLoss);
  EXPECT_TRUE(Exercised(NewHistory(), false, goals)[Judged::kForeignExtend]);
}

TEST(GoalsTest, CountsAddUpOverRuns) {
  GoalCounts counts{};
  GoalSet goals;
  goals.Add(Goal::kRefused);
  Count(goals, counts);
  goals.Add(Goal::kExtended);
  Count(goals, counts);
  EXPECT_EQ(counts[static_cast<std::size_t>(Goal::kRefused)], 2U);
  EXPECT_EQ(counts[static_cast<std::size_t>(Goal::kExtended)], 1U);
  EXPECT_EQ(counts[static_cast<std::size_t>(Goal::kContended)], 0U);
}

}  // namespace
}  // namespace interlock::scenarios
