// SPDX-License-Identifier: MIT
//
// Latches: the model, judged on hand-written histories of two parties.
#include "scenarios/judge/latch.h"

#include <chrono>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenarios/judge/property.h"
#include "scenarios/judge/refusals.h"
#include "tests/scenarios/judge/histories.h"

namespace interlock::scenarios {
namespace {

using std::chrono::milliseconds;
using testing::Answered;
using testing::Asked;
using testing::Crash;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::Ms;
using testing::NewHistory;
using ::testing::Not;
using testing::PropertiesOf;

constexpr LatchRules kTwoParties{2, testing::kLease};

/// Client i counts down for party i: it asks, the server hears of it, and it is told so.
Attempt CountsDown(int client, VirtualTime asked, VirtualTime executed, VirtualTime answered,
                   StatusCode answer = StatusCode::kOk) {
  Attempt attempt = Answered(Asked(client, Ask::kTry, asked), answered, answer);
  attempt.counts_for = client;
  attempt.queued = executed;
  return attempt;
}

/// Both parties have counted down: the server knows at 200 ms, and somebody was told at 201 ms.
History Opened() {
  History history = NewHistory();
  history.attempts = {CountsDown(0, Ms(99), Ms(100), Ms(101)),
                      CountsDown(1, Ms(199), Ms(200), Ms(201))};
  return history;
}

History With(History history, Attempt attempt) {
  history.attempts.push_back(attempt);
  return history;
}

std::vector<Violation> Breaks(const History& history, LatchRules rules = kTwoParties,
                              bool to_its_end = true) {
  std::vector<Violation> violations;
  JudgeLatch(history, rules, to_its_end, violations);
  return violations;
}

TEST(LatchOracleTest, WhoIsLetThroughWhenAllHaveCountedIsFine) {
  EXPECT_THAT(Breaks(With(Opened(), Answered(Asked(2, Ask::kWait, Ms(50)), Ms(200)))), IsEmpty());
}

TEST(LatchOracleTest, WhoIsLetThroughBeforeTheLastOneCountsIsConvicted) {
  const auto violations = Breaks(With(Opened(), Answered(Asked(2, Ask::kWait, Ms(50)), Ms(199))));
  ASSERT_THAT(PropertiesOf(violations), ElementsAre(Judged::kServerExclusion));
  EXPECT_EQ(violations[0].client, 2);
  EXPECT_EQ(violations[0].at, Ms(199));
  EXPECT_THAT(violations[0].what, HasSubstr("had not counted down before 200.000 ms"));
}

/// It is remembered for 500 ms, less what clocks may differ by, after each count down.
constexpr LatchRules kShortLived{2, testing::kLease, false, {}, milliseconds(500)};

TEST(LatchOracleTest, AnOpenLatchIsRememberedForItsLifeAfterTheLastCountDown) {
  const auto looks = [](VirtualTime asked, StatusCode answer) {
    return Breaks(With(Opened(), Answered(Asked(2, Ask::kTry, asked), asked + Ms(2), answer)),
                  kShortLived);
  };
  for (const StatusCode no : {StatusCode::kTimeout, StatusCode::kInvalidArgument}) {
    const auto violations = looks(Ms(680), no);
    EXPECT_THAT(PropertiesOf(violations), ElementsAre(Judged::kSpuriousRefusal));
    EXPECT_THAT(looks(Ms(690), no), IsEmpty());
    EXPECT_THAT(looks(Ms(202), no), Not(IsEmpty()));
  }
  EXPECT_THAT(looks(Ms(680), StatusCode::kOk), IsEmpty());
}

TEST(LatchOracleTest, WhoeverCountsDownAgainKeepsItForItsLife) {
  History history = With(Opened(), CountsDown(0, Ms(600), Ms(601), Ms(602)));
  history = With(history, Answered(Asked(2, Ask::kTry, Ms(1080)), Ms(1082), StatusCode::kTimeout));
  EXPECT_THAT(PropertiesOf(Breaks(history, kShortLived)), ElementsAre(Judged::kSpuriousRefusal));
  // The one count down came too late for certain: then both parties have to say it again.
  history.attempts[2] = CountsDown(0, Ms(690), Ms(691), Ms(692));
  EXPECT_THAT(Breaks(history, kShortLived), IsEmpty());
  history.attempts.insert(history.attempts.begin() + 3, CountsDown(1, Ms(700), Ms(701), Ms(702)));
  EXPECT_THAT(PropertiesOf(Breaks(history, kShortLived)), ElementsAre(Judged::kSpuriousRefusal));
}

TEST(LatchOracleTest, ACountDownThatTookAsLongAsALifeKeepsNothing) {
  History history = NewHistory();
  history.attempts = {CountsDown(0, Ms(99), Ms(100), Ms(601)),
                      CountsDown(1, Ms(599), Ms(600), Ms(602)),
                      Answered(Asked(2, Ask::kTry, Ms(650)), Ms(651), StatusCode::kTimeout)};
  EXPECT_THAT(Breaks(history, kShortLived), IsEmpty());
  history.attempts[0] = CountsDown(0, Ms(550), Ms(551), Ms(601));
  EXPECT_THAT(PropertiesOf(Breaks(history, kShortLived)), ElementsAre(Judged::kSpuriousRefusal));
}

TEST(LatchOracleTest, AWaiterMustNotMissTheLifeOfAnOpenLatch) {
  LatchRules rules = kShortLived;
  rules.hand_over_bound = milliseconds(60);
  const auto waits = [&](VirtualTime answered) {
    return Breaks(With(Opened(), Answered(Asked(2, Ask::kWait, Ms(50)), answered,
                                          StatusCode::kInvalidArgument)),
                  rules);
  };
  EXPECT_THAT(PropertiesOf(waits(Ms(800))), ElementsAre(Judged::kDeadlock));
  EXPECT_THAT(waits(Ms(800))[0].what, HasSubstr("the bound is"));
  rules.life = milliseconds(60);  // it was gone before anybody had to be told
  EXPECT_THAT(waits(Ms(800)), IsEmpty());
}

TEST(LatchOracleTest, APartyThatCountsTwiceIsOneParty) {
  History history = NewHistory();
  history.attempts = {CountsDown(0, Ms(99), Ms(100), Ms(101), StatusCode::kUnknownOutcome),
                      CountsDown(0, Ms(102), Ms(103), Ms(104)),
                      Answered(Asked(0, Ask::kTry, Ms(105)), Ms(106))};
  history.disturbances = {{0, Ms(100)}};
  EXPECT_THAT(PropertiesOf(Breaks(history)), ElementsAre(Judged::kServerExclusion));
}

TEST(LatchOracleTest, ACountThatNeverReachedTheServerOpensNothing) {
  History history = Opened();
  history.attempts[1].queued = kOpen;
  history.attempts[1].answer = StatusCode::kUnknownOutcome;
  history.disturbances = {{1, Ms(200)}};
  EXPECT_THAT(PropertiesOf(Breaks(With(history, Answered(Asked(2, Ask::kWait, Ms(50)), Ms(300))))),
              ElementsAre(Judged::kServerExclusion));
}

TEST(LatchOracleTest, AWaiterMayBeWokenAsLateAsTheLatchAllowsItself) {
  const VirtualTime due = Ms(201) + Ms(1000) + Ms(2500);  // told, wake-up bound, settling
  EXPECT_THAT(Breaks(With(Opened(), Answered(Asked(2, Ask::kWait, Ms(50)), due))), IsEmpty());
  const auto violations =
      Breaks(With(Opened(), Answered(Asked(2, Ask::kWait, Ms(50)), due + Ms(1))));
  ASSERT_THAT(PropertiesOf(violations), ElementsAre(Judged::kDeadlock));
  EXPECT_EQ(violations[0].at, due);
}

TEST(LatchOracleTest, WhereNothingGoesWrongALatchIsHeldToItsHandOver) {
  LatchRules rules = kTwoParties;
  rules.hand_over_bound = Ms(50);
  const History history = With(Opened(), Answered(Asked(2, Ask::kWait, Ms(50)), Ms(201) + Ms(51)));
  EXPECT_THAT(PropertiesOf(Breaks(history, rules)), ElementsAre(Judged::kDeadlock));
  EXPECT_THAT(Breaks(history), IsEmpty());
}

TEST(LatchOracleTest, AWaiterThatIsNeverWokenIsConvictedUnlessItDied) {
  History history = With(Opened(), Asked(2, Ask::kWait, Ms(50)));
  EXPECT_THAT(PropertiesOf(Breaks(history)), ElementsAre(Judged::kDeadlock));
  Crash(history, 2, Ms(300));
  EXPECT_THAT(Breaks(history), IsEmpty());
}

// It ran out of steps: who waits might have been let through, who was let through was so early.
TEST(LatchOracleTest, InARunThatWasCutShortNobodyIsLateAndWhoIsEarlyIsConvicted) {
  EXPECT_THAT(Breaks(With(Opened(), Asked(2, Ask::kWait, Ms(50))), kTwoParties, false), IsEmpty());
  const History early = With(Opened(), Answered(Asked(2, Ask::kWait, Ms(50)), Ms(199)));
  EXPECT_THAT(PropertiesOf(Breaks(early, kTwoParties, false)),
              ElementsAre(Judged::kServerExclusion));
}

TEST(LatchOracleTest, NobodyIsLateWhileAPartyIsMissing) {
  History history = Opened();
  history.attempts.pop_back();
  EXPECT_THAT(Breaks(With(history, Asked(2, Ask::kWait, Ms(50)))), IsEmpty());
}

TEST(LatchOracleTest, WhatAServerForgotMustBeCountedAgainAndThenOpens) {
  History history = With(Opened(), Asked(2, Ask::kWait, Ms(50)));
  history.last_fault = Ms(1000);
  LatchRules rules = kTwoParties;
  rules.forgetful = true;
  EXPECT_THAT(Breaks(history, rules), IsEmpty());
  history.attempts.push_back(CountsDown(0, Ms(1100), Ms(1101), Ms(1102)));
  EXPECT_THAT(Breaks(history, rules), IsEmpty()) << "one of two";
  history.attempts.push_back(CountsDown(1, Ms(1103), Ms(1104), Ms(1105)));
  EXPECT_THAT(PropertiesOf(Breaks(history, rules)), ElementsAre(Judged::kDeadlock));
}

TEST(LatchOracleTest, ANoAfterTheLatchIsKnownToBeOpenIsConvicted) {
  const auto refused = [](VirtualTime asked) {
    return Answered(Asked(2, Ask::kTry, asked), Ms(210), StatusCode::kTimeout);
  };
  EXPECT_THAT(Breaks(With(Opened(), refused(Ms(201)))), IsEmpty()) << "at that very instant";
  const History history = With(Opened(), refused(Ms(202)));
  EXPECT_THAT(PropertiesOf(Breaks(history)), ElementsAre(Judged::kSpuriousRefusal));
  History disturbed = history;
  disturbed.disturbances.push_back({2, Ms(205)});
  EXPECT_THAT(Breaks(disturbed), IsEmpty());
}

TEST(LatchOracleTest, AnErrorInPlaceOfAYesIsNoBetterThanANo) {
  for (const StatusCode answer :
       {StatusCode::kUnavailable, StatusCode::kUnknownOutcome, StatusCode::kInvalidArgument}) {
    const History history = With(Opened(), Answered(Asked(2, Ask::kTry, Ms(202)), Ms(210), answer));
    EXPECT_THAT(PropertiesOf(Breaks(history)), ElementsAre(Judged::kSpuriousRefusal));
  }
}

Attempt TimesOut(VirtualTime asked, VirtualTime deadline) {
  Attempt attempt = Answered(Asked(2, Ask::kWaitFor, asked), deadline, StatusCode::kTimeout);
  attempt.deadline = deadline;
  return attempt;
}

TEST(LatchOracleTest, WhoseTimeIsUpLooksOnceMore) {
  History history = Opened();
  history.latency = Ms(10);
  EXPECT_THAT(Breaks(With(history, TimesOut(Ms(50), Ms(201) + Ms(39)))), IsEmpty())
      << "there was no time for another look";
  const History late = With(history, TimesOut(Ms(50), Ms(201) + Ms(40)));
  EXPECT_THAT(PropertiesOf(Breaks(late)), ElementsAre(Judged::kSpuriousRefusal));
  History disturbed = late;
  disturbed.disturbances.push_back({2, Ms(60)});
  EXPECT_THAT(Breaks(disturbed), IsEmpty());
}

TEST(LatchOracleTest, AnErrorIsNoAnswerAlsoBeforeItIsOpen) {
  const Attempt failed =
      Answered(Asked(2, Ask::kTry, Ms(50)), Ms(52), StatusCode::kInvalidArgument);
  EXPECT_THAT(PropertiesOf(Breaks(With(Opened(), failed))), ElementsAre(Judged::kSpuriousRefusal));
}

TEST(LatchOracleTest, WhatAFaultBrokeIsMendedSomeTimeAfterAllOfThem) {
  History history = Opened();
  history.disturbances = {{2, Ms(100)}};
  history.healed = Ms(1000);
  const VirtualTime late = history.healed + kLongestRecovery;
  for (int i = 0; i < kExcused; ++i) {
    history.attempts.push_back(
        Answered(Asked(2, Ask::kTry, Ms(1000 + i)), Ms(1002 + i), StatusCode::kUnavailable));
  }
  EXPECT_THAT(Breaks(history), IsEmpty());
  history.attempts.push_back(
      Answered(Asked(2, Ask::kTry, late), late + Ms(2), StatusCode::kTimeout));
  history.end = late + Ms(10);
  EXPECT_THAT(PropertiesOf(Breaks(history)), ElementsAre(Judged::kSpuriousRefusal));
}

TEST(LatchOracleTest, OnlyThoseWhoWaitThenAreWokenOneAfterTheOther) {
  LatchRules rules = kTwoParties;
  rules.hand_over_bound = Ms(50);
  History history = Opened();
  history.latency = Ms(1);
  // It tries, and another one comes when all is over: neither is woken before anybody.
  history.attempts.push_back(Answered(Asked(3, Ask::kTry, Ms(150)), Ms(152), StatusCode::kTimeout));
  history.attempts.push_back(Answered(Asked(4, Ask::kWait, Ms(5000)), Ms(5002)));
  const VirtualTime due = Ms(201) + Ms(50) + 8 * history.latency;
  EXPECT_THAT(Breaks(With(history, Answered(Asked(2, Ask::kWait, Ms(50)), due)), rules), IsEmpty());
  const auto late = With(history, Answered(Asked(2, Ask::kWait, Ms(50)), due + Ms(1)));
  EXPECT_THAT(PropertiesOf(Breaks(late, rules)), ElementsAre(Judged::kDeadlock));
}

TEST(LatchOracleTest, WhomAFaultExcusesShowsNothingOfAnOpenLatch) {
  const auto seen = [](const History& history) {
    GoalSet goals;
    AddLatchGoals(history, kTwoParties, goals);
    return goals.Has(Goal::kAwaitedOpen);
  };
  History history = With(Opened(), Answered(Asked(2, Ask::kTry, Ms(210)), Ms(212)));
  EXPECT_TRUE(seen(history));
  history.disturbances.push_back({2, Ms(205)});
  EXPECT_FALSE(seen(history));
}

TEST(LatchOracleTest, WhoHasBeenToldThatItIsTheLastOneMayBeRefusedNoMore) {
  EXPECT_THAT(PropertiesOf(Breaks(With(Opened(), Answered(Asked(1, Ask::kTry, Ms(201)), Ms(203),
                                                          StatusCode::kTimeout)))),
              ElementsAre(Judged::kSpuriousRefusal));
}

TEST(LatchOracleTest, WhoIsToldInTheSameInstantThatItWasTheLastMayHaveAskedBefore) {
  History history = NewHistory();
  history.attempts = {CountsDown(0, Ms(99), Ms(100), Ms(101)),
                      Answered(Asked(1, Ask::kTry, Ms(200)), Ms(200), StatusCode::kTimeout),
                      CountsDown(1, Ms(200), Ms(200), Ms(200))};
  EXPECT_THAT(Breaks(history), IsEmpty());
}

TEST(LatchOracleTest, ACountDownIsRefusedOnlyToThoseWhomAFaultHasMet) {
  History history = Opened();
  history.attempts[1].answer = StatusCode::kUnavailable;
  EXPECT_THAT(PropertiesOf(Breaks(history)), ElementsAre(Judged::kSpuriousRefusal));
  history.disturbances.push_back({1, Ms(150)});
  EXPECT_THAT(Breaks(history), IsEmpty());
}

}  // namespace
}  // namespace interlock::scenarios
