// SPDX-License-Identifier: MIT
//
// Which goals a history reaches, each beside its nearest neighbour that does not reach it.
#include <cstddef>
#include <utility>

#include <gtest/gtest.h>

#include "scenarios/judge/exercised.h"
#include "scenarios/judge/property.h"
#include "tests/scenarios/judge/goals_fixture.h"
#include "tests/scenarios/judge/histories.h"

namespace interlock::scenarios {
namespace {

using testing::Answered;
using testing::Asked;
using testing::Believes;
using testing::Crash;
using testing::Ended;
using testing::GoalsOf;
using testing::kAnySemaphore;
using testing::kLease;
using testing::kOrderedLock;
using testing::Line;
using testing::Ms;
using testing::NewHistory;
using testing::NewHistoryOfPermits;
using testing::OneHold;
using testing::Owns;
using testing::Released;

TEST(GoalsTest, AnEmptyHistoryReachesNone) {
  const GoalSet goals = GoalsOf(NewHistory());
  for (std::size_t i = 0; i < kGoalCount; ++i) {
    EXPECT_FALSE(goals.Has(static_cast<Goal>(i))) << Name(static_cast<Goal>(i));
  }
}

TEST(GoalsTest, ALoneHoldIsNotContended) {
  const GoalSet goals = GoalsOf(OneHold());
  EXPECT_FALSE(goals.Has(Goal::kContended));
  const PerJudged<bool> exercised = Exercised(OneHold(), kOrderedLock, goals);
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
  EXPECT_TRUE(Exercised(history, kOrderedLock, goals)[Judged::kServerExclusion]);
  EXPECT_TRUE(Exercised(history, kAnySemaphore, goals)[Judged::kPermitsServer]);
  EXPECT_FALSE(Exercised(history, kAnySemaphore, goals)[Judged::kServerExclusion]);
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
  EXPECT_TRUE(Exercised(history, kOrderedLock, goals)[Judged::kDeadlock]);
}

TEST(GoalsTest, AWaiterThatFoundItFreeExercisesNoDeadlockFreedom) {
  History history = OneHold();
  history.attempts[0].ask = Ask::kWait;
  const GoalSet goals = GoalsOf(history);
  EXPECT_FALSE(goals.Has(Goal::kWaiterGranted));
  EXPECT_FALSE(Exercised(history, kOrderedLock, goals)[Judged::kDeadlock]);
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
  EXPECT_FALSE(Exercised(history, kOrderedLock, goals)[Judged::kCrashRecovery]);
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
  EXPECT_TRUE(Exercised(history, kOrderedLock, goals)[Judged::kCrashRecovery]);
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
  EXPECT_TRUE(Exercised(LateRelease(Ms(1500)), kOrderedLock, goals)[Judged::kForeignRelease]);
}

TEST(GoalsTest, ALateReleaseBeforeTheNextGrantExercisesNoForeignRelease) {
  const GoalSet goals = GoalsOf(LateRelease(Ms(1050)));
  EXPECT_TRUE(goals.Has(Goal::kLeaseExpiredWhileHeld));
  EXPECT_FALSE(goals.Has(Goal::kReleaseOfLostLease));
}

TEST(GoalsTest, ALateReleaseAfterTheNextPromiseEndedExercisesNoForeignRelease) {
  EXPECT_FALSE(GoalsOf(LateRelease(Ms(2200))).Has(Goal::kReleaseOfLostLease));
}

// The server forgot the grant in the middle of the lease; a replica that has it remembers.
TEST(GoalsTest, AReleaseOfWhatAServerForgotExercisesForeignRelease) {
  History history = NewHistory();
  history.server_holds = {Ended(Owns(0, Ms(10), Ms(1010)), ServerHoldEnd::kLost, Ms(500)),
                          Owns(1, Ms(600), Ms(1600))};
  history.holds = {Released(Believes(0, Ms(11), Ms(1000)), Ms(800), Ms(802), StatusCode::kNotOwner),
                   Believes(1, Ms(601), Ms(1590))};
  EXPECT_TRUE(GoalsOf(history).Has(Goal::kReleaseOfLostLease));
  ServerHold copy = Owns(0, Ms(500), Ms(1010));
  copy.copied = true;
  copy.node = 1;
  history.server_holds.push_back(copy);
  EXPECT_FALSE(GoalsOf(history).Has(Goal::kReleaseOfLostLease));
}

TEST(GoalsTest, ASectionThatOutlivedItsBeliefWasPausedPastItsLease) {
  History history = OneHold();
  EXPECT_FALSE(GoalsOf(history).Has(Goal::kPausedPastLease));
  history.holds[0].belief[0].to = Ms(300);
  EXPECT_TRUE(GoalsOf(history).Has(Goal::kPausedPastLease));
}

/// C1 holds over [10, 1010) and asks for an extension at `called`, answered 2 ms later; a message
/// takes 1 ms at most.
History Renews(VirtualTime called) {
  History history = OneHold();
  history.latency = Ms(1);
  history.renewals = {{.client = 0,
                       .called = called,
                       .answered = called + Ms(2),
                       .sent = called,
                       .promised_until = Ms(1010)}};
  return history;
}

TEST(GoalsTest, AnExtensionThatTheExpiryMeetsOnItsWayRacedIt) {
  for (const auto called : {Ms(1007), Ms(1009), Ms(1010)}) {
    EXPECT_TRUE(GoalsOf(Renews(called)).Has(Goal::kRenewalRacedExpiry)) << called.count();
  }
}

TEST(GoalsTest, AnExtensionInGoodTimeOrTooLateRacedNothing) {
  EXPECT_FALSE(GoalsOf(Renews(Ms(1006))).Has(Goal::kRenewalRacedExpiry));
  EXPECT_FALSE(GoalsOf(Renews(Ms(1011))).Has(Goal::kRenewalRacedExpiry));
}

TEST(GoalsTest, AnExtensionThatWasNeverSentRacedNothing) {
  History history = Renews(Ms(1009));
  history.renewals[0].sent = kOpen;
  EXPECT_FALSE(GoalsOf(history).Has(Goal::kRenewalRacedExpiry));
}

/// A fault struck at `fault`; the server executed C1's release at 500 ms.
History ReleasedUnderAFault(VirtualTime fault) {
  History history = OneHold();
  history.disturbances = {{0, fault}};
  history.holds[0].release_sent = Ms(499);
  return history;
}

TEST(GoalsTest, AReleaseThatWasExecutedAndIsAskedForAgainLostItsReply) {
  History history = ReleasedUnderAFault(Ms(500));
  EXPECT_FALSE(GoalsOf(history).Has(Goal::kReleaseReplyLost));  // it was answered all the same
  history.holds[0].release_sent = Ms(502);
  EXPECT_TRUE(GoalsOf(history).Has(Goal::kReleaseReplyLost));
  history.disturbances.clear();
  EXPECT_FALSE(GoalsOf(history).Has(Goal::kReleaseReplyLost));
}

TEST(GoalsTest, AReleaseWhoseClientDoesNotKnowLostItsReplyOnlyIfItWasExecuted) {
  History history = ReleasedUnderAFault(Ms(500));
  history.holds[0].release_status = StatusCode::kUnknownOutcome;
  EXPECT_TRUE(GoalsOf(history).Has(Goal::kReleaseReplyLost));
  history = ReleasedUnderAFault(Ms(499));  // the request, then
  history.holds[0].release_status = StatusCode::kUnknownOutcome;
  EXPECT_FALSE(GoalsOf(history).Has(Goal::kReleaseReplyLost));
  history = ReleasedUnderAFault(Ms(500));
  history.holds[0].release_status = StatusCode::kUnknownOutcome;
  history.server_holds[0].end = ServerHoldEnd::kExpired;
  EXPECT_FALSE(GoalsOf(history).Has(Goal::kReleaseReplyLost));
}

TEST(GoalsTest, AWaiterWhoseDeadlineMeetsTheReleaseWasWokenAsItTimedOut) {
  for (const auto& [deadline, meets] :
       {std::pair(498, false), {499, true}, {500, true}, {501, true}, {502, false}}) {
    History history = OneHold();
    history.latency = Ms(1);
    history.attempts.push_back(
        Answered(Asked(1, Ask::kWaitFor, Ms(100)), Ms(deadline + 1), StatusCode::kTimeout));
    EXPECT_FALSE(GoalsOf(history).Has(Goal::kWokenAsTimedOut)) << "without a deadline";
    history.attempts[1].deadline = Ms(deadline);
    EXPECT_EQ(GoalsOf(history).Has(Goal::kWokenAsTimedOut), meets) << deadline;
  }
}

TEST(GoalsTest, AWaiterThatWasAnsweredLongBeforeTheReleaseWasNotWoken) {
  History history = OneHold();
  history.latency = Ms(1);
  history.attempts.push_back(
      Answered(Asked(1, Ask::kWaitFor, Ms(100)), Ms(110), StatusCode::kUnavailable));
  history.attempts[1].deadline = Ms(500);
  EXPECT_FALSE(GoalsOf(history).Has(Goal::kWokenAsTimedOut));
}

/// C2 waits from 100 ms on, and dies at 300 ms.
History DiesInLine(Ask ask) {
  History history = NewHistory();
  history.attempts = {Asked(1, ask, Ms(100))};
  history.attempts[0].queued = Ms(101);
  Crash(history, 1, Ms(300));
  return history;
}

TEST(GoalsTest, ADeathInTheLineIsSeen) {
  EXPECT_TRUE(GoalsOf(DiesInLine(Ask::kWait)).Has(Goal::kDiedInLine));
  EXPECT_FALSE(GoalsOf(DiesInLine(Ask::kTry)).Has(Goal::kDiedInLine));
  History history = DiesInLine(Ask::kWait);
  history.attempts[0].answered = Ms(200);
  EXPECT_FALSE(GoalsOf(history).Has(Goal::kDiedInLine)) << "it did not wait any more";
  history = DiesInLine(Ask::kWait);
  history.attempts[0].queued = kOpen;
  EXPECT_FALSE(GoalsOf(history).Has(Goal::kDiedInLine)) << "the server had not heard of it";
}

TEST(GoalsTest, AGrantToAWaiterThatDiesOrIsDeadIsSeen) {
  for (const VirtualTime granted : {Ms(299), Ms(301)}) {
    History history = DiesInLine(Ask::kWait);
    EXPECT_FALSE(GoalsOf(history).Has(Goal::kGrantMetCrash));
    history.server_holds = {Owns(1, granted, granted + kLease)};
    EXPECT_TRUE(GoalsOf(history).Has(Goal::kGrantMetCrash));
  }
  History history = DiesInLine(Ask::kWait);
  history.attempts.push_back(Answered(Asked(1, Ask::kTry, Ms(400)), Ms(410)));
  history.server_holds = {Owns(1, Ms(405), Ms(1405))};
  EXPECT_FALSE(GoalsOf(history).Has(Goal::kGrantMetCrash)) << "that was its next life's";
}

/// C1 and C2 hold two permits; `who` dies at 300 ms.
History TwoPermits(int who) {
  History history = NewHistoryOfPermits(2);
  history.server_holds = {Owns(0, Ms(10), Ms(1010)), Owns(1, Ms(20), Ms(1020))};
  Crash(history, who, Ms(300));
  return history;
}

TEST(GoalsTest, ADeathOfAHolderWhileEveryPermitIsOutIsSeen) {
  EXPECT_TRUE(GoalsOf(TwoPermits(1)).Has(Goal::kFullThenCrash));
}

TEST(GoalsTest, ADeathOfAnotherOrWithAPermitLeftOrOfALockIsNone) {
  EXPECT_FALSE(GoalsOf(TwoPermits(2)).Has(Goal::kFullThenCrash));
  History history = TwoPermits(1);
  history.server_holds[0] = Ended(history.server_holds[0], ServerHoldEnd::kReleased, Ms(200));
  EXPECT_FALSE(GoalsOf(history).Has(Goal::kFullThenCrash));
  history = TwoPermits(1);
  history.limits = Limits(3);
  EXPECT_FALSE(GoalsOf(history).Has(Goal::kFullThenCrash));
  history = OneHold();
  history.server_holds[0] = Owns(0, Ms(10), Ms(1010));
  Crash(history, 0, Ms(300));
  EXPECT_FALSE(GoalsOf(history).Has(Goal::kFullThenCrash));
}

/// C1 believes over [11, 499); its server loses the entry at 300 ms.
History Lost() {
  History history = OneHold();
  history.server_holds[0] = Ended(Owns(0, Ms(10), Ms(1010)), ServerHoldEnd::kLost, Ms(300));
  return history;
}

TEST(GoalsTest, AGrantThatItsServerLostWhileItsClientBelievedIsSeen) {
  EXPECT_TRUE(GoalsOf(Lost()).Has(Goal::kGrantLost));
}

TEST(GoalsTest, AGrantThatTheNextServerHasOrThatNobodyReliesOnIsNotLost) {
  History history = Lost();
  ServerHold copy = Owns(0, Ms(300), Ms(1010));
  copy.copied = true;
  history.server_holds.push_back(copy);
  EXPECT_FALSE(GoalsOf(history).Has(Goal::kGrantLost));
  history = Lost();
  history.server_holds[0].ended = Ms(500);
  EXPECT_FALSE(GoalsOf(history).Has(Goal::kGrantLost));
  history = Lost();
  history.server_holds[0].end = ServerHoldEnd::kExpired;
  EXPECT_FALSE(GoalsOf(history).Has(Goal::kGrantLost));
}

TEST(GoalsTest, ALaterRequestThatIsGrantedFirstOvertakes) {
  EXPECT_TRUE(GoalsOf(Line(Ms(520), Ms(510))).Has(Goal::kOvertaken));
  EXPECT_FALSE(GoalsOf(Line(Ms(510), Ms(520))).Has(Goal::kOvertaken));
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
