// SPDX-License-Identifier: MIT
//
// False validity (LK014) and termination (LK015), judged on hand-written histories.
#include "scenarios/oracles/validity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenarios/oracles/termination.h"
#include "tests/scenarios/histories.h"

namespace interlock::scenarios {
namespace {

using testing::Answered;
using testing::Asked;
using testing::Believes;
using testing::Crash;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::kLease;
using testing::Ms;
using testing::NewHistory;
using testing::PropertiesOf;

std::vector<Violation> Judge(const History& history) {
  std::vector<Violation> violations;
  JudgeFalseValidity(history, violations);
  return violations;
}

/// C1 is told "granted" `elapsed` after its request went out at 10 ms.
History ToldAfter(Duration elapsed) {
  History history = NewHistory();
  history.holds = {Believes(0, Ms(10) + elapsed, Ms(10) + elapsed)};
  history.holds[0].sent = Ms(10);
  history.holds[0].elapsed = elapsed;
  return history;
}

TEST(ValidityTest, AGrantWithSomethingLeftIsFine) {
  EXPECT_THAT(Judge(ToldAfter(kLease - Duration(1))), IsEmpty());
}

TEST(ValidityTest, AGrantOfWhichNothingIsLeftIsConvicted) {
  const auto violations = Judge(ToldAfter(kLease));
  ASSERT_THAT(PropertiesOf(violations), ElementsAre(Judged::kFalseValidity));
  EXPECT_EQ(violations[0].at, Ms(1010));
  EXPECT_THAT(violations[0].what, HasSubstr("1000.000 ms before"));
}

TEST(ValidityTest, TheDriftAllowanceIsTakenOff) {
  History history = ToldAfter(Ms(990));
  EXPECT_THAT(Judge(history), IsEmpty());
  history.drift_allowance = Ms(10);
  EXPECT_THAT(PropertiesOf(Judge(history)), ElementsAre(Judged::kFalseValidity));
}

TEST(ValidityTest, AGrantThatTheServerNeverMadeIsConvicted) {
  History history = ToldAfter(Ms(2));
  history.holds[0].sent = kOpen;
  EXPECT_THAT(PropertiesOf(Judge(history)), ElementsAre(Judged::kFalseValidity));
}

TEST(ValidityTest, AGrantThatNobodyCouldSeeIsNotJudged) {
  History history = ToldAfter(Ms(2));
  history.holds[0].sent = kOpen;
  history.ownership_seen = false;
  EXPECT_THAT(Judge(history), IsEmpty());
}

TEST(ValidityTest, ValidIsToldUntilTheEndOfTheValidity) {
  std::vector<Violation> violations;
  JudgeCalledValid(0, Ms(1000), Ms(999), violations);
  JudgeCalledValid(0, Ms(1000), Ms(1000) + kNotice, violations);
  EXPECT_THAT(violations, IsEmpty());
  JudgeCalledValid(0, Ms(1000), Ms(1000) + kNotice + Duration(1), violations);
  ASSERT_THAT(PropertiesOf(violations), ElementsAre(Judged::kFalseValidity));
  EXPECT_THAT(violations[0].what, HasSubstr("had ended at 1000.000 ms"));
}

constexpr Duration kOverrun = std::chrono::milliseconds(200);

std::vector<Violation> JudgeEnd(const History& history) {
  std::vector<Violation> violations;
  JudgeTermination(history, kOverrun, violations);
  return violations;
}

/// C1 waits from 100 ms on with a deadline at 500 ms.
History AnsweredAt(VirtualTime when) {
  History history = NewHistory();
  history.attempts = {Answered(Asked(0, Ask::kWaitFor, Ms(100)), when, StatusCode::kTimeout)};
  history.attempts[0].deadline = Ms(500);
  return history;
}

TEST(TerminationTest, AnAnswerWithinTheOverrunBoundIsFine) {
  EXPECT_THAT(JudgeEnd(AnsweredAt(Ms(500))), IsEmpty());
  EXPECT_THAT(JudgeEnd(AnsweredAt(Ms(700))), IsEmpty());
}

TEST(TerminationTest, ALaterAnswerIsConvicted) {
  const auto violations = JudgeEnd(AnsweredAt(Ms(701)));
  ASSERT_THAT(PropertiesOf(violations), ElementsAre(Judged::kTermination));
  EXPECT_EQ(violations[0].at, Ms(700));
  EXPECT_THAT(violations[0].what, HasSubstr("answered at 701.000 ms; 200.000 ms late"));
}

TEST(TerminationTest, NoAnswerAtAllIsConvicted) {
  History history = AnsweredAt(kOpen);
  EXPECT_THAT(PropertiesOf(JudgeEnd(history)), ElementsAre(Judged::kTermination));
  history.end = Ms(650);
  EXPECT_THAT(JudgeEnd(history), IsEmpty()) << "a run that ends before proves nothing";
}

TEST(TerminationTest, WithoutADeadlineThereIsNoLate) {
  History history = AnsweredAt(Ms(90'000));
  history.attempts[0].deadline = kOpen;
  EXPECT_THAT(JudgeEnd(history), IsEmpty());
}

TEST(TerminationTest, WhoStoodStillOrDiedIsExcused) {
  History history = AnsweredAt(Ms(5000));
  history.pauses = {{0, Ms(300)}};
  EXPECT_THAT(JudgeEnd(history), IsEmpty());
  history.pauses = {{1, Ms(300)}};
  EXPECT_THAT(JudgeEnd(history), ::testing::SizeIs(1));
  Crash(history, 0, Ms(400));
  EXPECT_THAT(JudgeEnd(history), IsEmpty());
}

}  // namespace
}  // namespace interlock::scenarios
