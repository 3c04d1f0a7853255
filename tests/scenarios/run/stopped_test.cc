// SPDX-License-Identifier: MIT
//
// Waits that are stopped, judged on hand-written histories: how soon they end, what they may be
// told, and what others are owed meanwhile. The lease is 1000 ms, the bound for a stop 60 ms.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenarios/judge/order.h"
#include "scenarios/judge/progress.h"
#include "scenarios/judge/refusals.h"
#include "scenarios/judge/termination.h"
#include "tests/scenarios/judge/histories.h"

namespace interlock::scenarios {
namespace {

using testing::Answered;
using testing::Asked;
using testing::Believes;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::kLease;
using testing::Ms;
using testing::NewHistory;
using testing::Owns;
using testing::PropertiesOf;
using testing::Released;

constexpr TerminationBounds kBounds{std::chrono::seconds(8), std::chrono::milliseconds(60)};

Attempt StoppedAt(Attempt attempt, VirtualTime stopped) {
  attempt.stopped = stopped;
  return attempt;
}

/// C1 waits from 100 ms on without a deadline, is stopped at 500 ms, and is told so.
History StoppedWait(VirtualTime answered, StatusCode answer = StatusCode::kStopped) {
  History history = NewHistory();
  history.attempts = {
      StoppedAt(Answered(Asked(0, Ask::kWait, Ms(100)), answered, answer), Ms(500))};
  return history;
}

std::vector<Violation> JudgeEnd(const History& history, TerminationBounds bounds = kBounds) {
  std::vector<Violation> violations;
  JudgeTermination(history, bounds, violations);
  return violations;
}

std::vector<Violation> JudgeStoppedWait(const History& history) {
  std::vector<Violation> violations;
  JudgePatience(history, kLease, violations);
  return violations;
}

TEST(StoppedTest, AnAnswerWithinTheBoundForAStopIsFine) {
  EXPECT_THAT(JudgeEnd(StoppedWait(Ms(500))), IsEmpty());
  EXPECT_THAT(JudgeEnd(StoppedWait(Ms(560))), IsEmpty());
  EXPECT_THAT(JudgeEnd(StoppedWait(Ms(560), StatusCode::kOk)), IsEmpty()) << "a grant is an answer";
}

TEST(StoppedTest, ALaterAnswerIsConvictedWhateverItSays) {
  const auto violations = JudgeEnd(StoppedWait(Ms(561)));
  ASSERT_THAT(PropertiesOf(violations), ElementsAre(Judged::kTermination));
  EXPECT_EQ(violations[0].at, Ms(560));
  EXPECT_THAT(violations[0].what, HasSubstr("C1 was stopped at 500.000 ms and was answered"));
  EXPECT_THAT(JudgeEnd(StoppedWait(Ms(561), StatusCode::kOk)), ::testing::SizeIs(1));
  EXPECT_THAT(JudgeEnd(StoppedWait(kOpen)), ::testing::SizeIs(1));
}

TEST(StoppedTest, MessagesTakeTheirTime) {
  History history = StoppedWait(Ms(700));
  history.latency = Ms(6);
  EXPECT_THAT(JudgeEnd(history), IsEmpty());
  history.latency = Ms(5);
  EXPECT_THAT(JudgeEnd(history), ::testing::SizeIs(1));
}

// What keeps a client from the server costs it a time-out and a clean-up.
TEST(StoppedTest, AFaultOfItsOwnGivesTheOverrunBound) {
  History history = StoppedWait(Ms(5000));
  history.disturbances = {{1, Ms(300)}};
  EXPECT_THAT(JudgeEnd(history), ::testing::SizeIs(1)) << "another one's is no excuse";
  history.disturbances = {{0, Ms(300)}};
  EXPECT_THAT(JudgeEnd(history), IsEmpty());
  history.attempts[0].answered = Ms(8501);
  EXPECT_THAT(JudgeEnd(history), ::testing::SizeIs(1));
}

TEST(StoppedTest, ADeadlineThatComesFirstCounts) {
  History history = StoppedWait(Ms(900), StatusCode::kTimeout);
  history.attempts[0].deadline = Ms(400);
  EXPECT_THAT(JudgeEnd(history, {std::chrono::milliseconds(600), kBounds.stop}), IsEmpty());
}

TEST(StoppedTest, WhatWasStoppedBeforeSendsNothingOrSaysSo) {
  History history = StoppedWait(Ms(100));
  history.attempts[0].stopped = Ms(100);
  history.attempts[0].commands = 1;
  EXPECT_THAT(JudgeEnd(history), IsEmpty()) << "it may have asked at that instant, and before";
  history.attempts[0].stopped_before = true;
  const auto violations = JudgeEnd(history);
  ASSERT_THAT(PropertiesOf(violations), ElementsAre(Judged::kTermination));
  EXPECT_THAT(violations[0].what, HasSubstr("has sent 1 commands"));
  TerminationBounds renewing = kBounds;
  renewing.renews = true;
  EXPECT_THAT(JudgeEnd(history, renewing), IsEmpty()) << "it may be a renewal";
  history.attempts[0].answer = StatusCode::kOk;
  EXPECT_THAT(JudgeEnd(history), IsEmpty());
}

TEST(StoppedTest, WhoWasStoppedNeedNotWait) {
  EXPECT_THAT(JudgeStoppedWait(StoppedWait(Ms(500))), IsEmpty());
  EXPECT_THAT(JudgeStoppedWait(StoppedWait(Ms(500), StatusCode::kTimeout)), IsEmpty());
}

TEST(StoppedTest, StoppedWithoutAStopIsConvictedWhateverElseIsWrong) {
  History history = StoppedWait(Ms(499));
  history.disturbances = {{0, Ms(300)}};
  ASSERT_THAT(PropertiesOf(JudgeStoppedWait(history)), ElementsAre(Judged::kSpuriousRefusal));
  history.attempts[0].answer = StatusCode::kTimeout;
  EXPECT_THAT(JudgeStoppedWait(history), IsEmpty());
}

TEST(StoppedTest, StoppedBesideAResourceThatWasFreeAllTheTimeIsARefusal) {
  std::vector<Violation> violations;
  JudgeRefusals(StoppedWait(Ms(500)), violations);
  ASSERT_THAT(PropertiesOf(violations), ElementsAre(Judged::kSpuriousRefusal));
  violations.clear();
  History soon = StoppedWait(Ms(170));
  soon.attempts[0].stopped = Ms(170);
  JudgeRefusals(soon, violations);
  EXPECT_THAT(violations, IsEmpty()) << "an answer could hardly have come";
}

TEST(StoppedTest, AGrantThatIsKeptAlthoughItSaidStoppedIsConvicted) {
  History history = StoppedWait(Ms(500));
  history.server_holds = {Owns(0, Ms(499), Ms(1499))};
  std::vector<Violation> violations;
  JudgeRefusals(history, violations);
  EXPECT_THAT(PropertiesOf(violations), ElementsAre(Judged::kSpuriousRefusal));
}

TEST(StoppedTest, WhoWasStoppedStandsInNoLineAnyMore) {
  History history = StoppedWait(Ms(520));
  history.attempts[0].queued = Ms(101);
  history.attempts.push_back(Answered(Asked(1, Ask::kWait, Ms(200)), Ms(511)));
  history.attempts[1].queued = Ms(201);
  history.server_holds = {Owns(1, Ms(510), Ms(1510))};
  std::vector<Violation> violations;
  JudgeOrder(history, 0, violations);
  EXPECT_THAT(violations, IsEmpty());
  history.attempts[0].stopped = Ms(515);
  JudgeOrder(history, 0, violations);
  EXPECT_THAT(PropertiesOf(violations), ElementsAre(Judged::kOrder));
}

// A waiter takes the wake-up, is stopped, tries once more and hands it on: that is messages, and no
// lease.
TEST(StoppedTest, AHandOverAcrossAStopMayTakeMoreMessages) {
  History history = NewHistory();
  history.latency = Ms(1);
  history.holds = {Released(Believes(0, Ms(0), Ms(600)), Ms(600), Ms(600)),
                   Believes(1, Ms(675), Ms(1600))};
  history.server_holds = {
      testing::Ended(Owns(0, Ms(0), Ms(1000)), ServerHoldEnd::kReleased, Ms(600)),
      Owns(1, Ms(675), Ms(1675))};
  history.attempts = {Answered(Asked(0, Ask::kTry, Ms(0)), Ms(0)),
                      Answered(Asked(1, Ask::kWait, Ms(100)), Ms(675))};
  ProgressRules rules{kLease, kLease, 0};
  rules.hand_over_bound = std::chrono::milliseconds(64);
  std::vector<Violation> violations;
  JudgeProgress(history, rules, violations);
  ASSERT_THAT(PropertiesOf(violations), ElementsAre(Judged::kDeadlock));
  violations.clear();
  history.attempts.push_back(
      StoppedAt(Answered(Asked(2, Ask::kWait, Ms(100)), Ms(610), StatusCode::kStopped), Ms(600)));
  JudgeProgress(history, rules, violations);
  EXPECT_THAT(violations, IsEmpty());
}

}  // namespace
}  // namespace interlock::scenarios
