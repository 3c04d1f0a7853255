// SPDX-License-Identifier: MIT
//
// Termination, judged on hand-written histories: deadlines that are kept or overrun, requests that
// send what waiting takes or storm the server. The lease is 1000 ms.
#include "scenarios/judge/termination.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/scenarios/judge/histories.h"

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

constexpr Duration kOverrun = std::chrono::milliseconds(200);
constexpr Duration kStop = std::chrono::milliseconds(60);
constexpr std::int64_t kPerLease = 400;

std::vector<Violation> JudgeDeadlines(const History& history) {
  std::vector<Violation> violations;
  JudgeTermination(history, {kOverrun, kStop}, violations);
  return violations;
}

/// C1 waits from 100 ms on with a deadline at 500 ms.
History WithDeadline(VirtualTime answered) {
  History history = NewHistory();
  history.attempts = {Answered(Asked(0, Ask::kWaitFor, Ms(100)), answered, StatusCode::kTimeout)};
  history.attempts[0].deadline = Ms(500);
  return history;
}

TEST(TerminationTest, AnAnswerWithinTheOverrunBoundIsFine) {
  EXPECT_THAT(JudgeDeadlines(WithDeadline(Ms(500))), IsEmpty());
  EXPECT_THAT(JudgeDeadlines(WithDeadline(Ms(700))), IsEmpty());
}

TEST(TerminationTest, ALaterAnswerIsConvicted) {
  const auto violations = JudgeDeadlines(WithDeadline(Ms(701)));
  ASSERT_THAT(PropertiesOf(violations), ElementsAre(Judged::kTermination));
  EXPECT_EQ(violations[0].at, Ms(700));
  EXPECT_THAT(violations[0].what, HasSubstr("answered at 701.000 ms; 200.000 ms after it"));
}

TEST(TerminationTest, NoAnswerAtAllIsConvicted) {
  History history = WithDeadline(kOpen);
  EXPECT_THAT(PropertiesOf(JudgeDeadlines(history)), ElementsAre(Judged::kTermination));
  history.end = Ms(650);
  EXPECT_THAT(JudgeDeadlines(history), IsEmpty()) << "a run that ends before proves nothing";
}

TEST(TerminationTest, WithoutADeadlineThereIsNoLate) {
  History history = WithDeadline(Ms(90'000));
  history.attempts[0].deadline = kOpen;
  EXPECT_THAT(JudgeDeadlines(history), IsEmpty());
}

TEST(TerminationTest, WhoStoodStillOrDiedIsExcused) {
  History history = WithDeadline(Ms(5000));
  history.pauses = {{0, Ms(300)}};
  EXPECT_THAT(JudgeDeadlines(history), IsEmpty());
  history.pauses = {{1, Ms(300)}};
  EXPECT_THAT(JudgeDeadlines(history), ::testing::SizeIs(1));
  Crash(history, 0, Ms(400));
  EXPECT_THAT(JudgeDeadlines(history), IsEmpty());
}

// While nobody gets through nobody can answer; what another client felt is no excuse.
TEST(TerminationTest, AFaultThatLastsLongerGivesTheOverrunBoundAnew) {
  History history = WithDeadline(Ms(1100));
  history.last_fault = Ms(900);
  history.disturbances = {{0, Ms(50)}};
  EXPECT_THAT(JudgeDeadlines(history), IsEmpty());
  history.attempts[0].answered = Ms(1101);
  EXPECT_THAT(PropertiesOf(JudgeDeadlines(history)), ElementsAre(Judged::kTermination));
  history.disturbances = {{1, Ms(50)}};
  EXPECT_EQ(JudgeDeadlines(history).at(0).at, Ms(700));
}

// Each fault may cost a time-out and a clean-up, also one that is over at once.
TEST(TerminationTest, AFaultAfterTheDeadlineGivesTheOverrunBoundAnew) {
  History history = WithDeadline(Ms(760));
  history.disturbances = {{0, Ms(560)}};
  EXPECT_THAT(JudgeDeadlines(history), IsEmpty());
  history.attempts[0].answered = Ms(761);
  const auto violations = JudgeDeadlines(history);
  ASSERT_THAT(PropertiesOf(violations), ElementsAre(Judged::kTermination));
  EXPECT_EQ(violations[0].at, Ms(760));
  history.disturbances = {{1, Ms(560)}, {0, Ms(300)}, {0, Ms(762)}};
  EXPECT_EQ(JudgeDeadlines(history).at(0).at, Ms(700));
}

TEST(TerminationTest, ATryIsDueWhenItIsMade) {
  History history = NewHistory();
  history.attempts = {
      Answered(Asked(0, Ask::kTry, Ms(0)), Ms(0) + kOverrun, StatusCode::kNotAcquired)};
  EXPECT_THAT(JudgeDeadlines(history), IsEmpty());
  history.attempts[0].answered += Duration(1);
  EXPECT_THAT(PropertiesOf(JudgeDeadlines(history)), ElementsAre(Judged::kTermination));
}

/// C1 waited over [0, `until`) and sent so many commands.
History SentAt(std::int64_t commands, VirtualTime until) {
  History history = NewHistory();
  history.attempts = {Answered(Asked(0, Ask::kWait, Ms(0)), until, StatusCode::kOk)};
  history.attempts[0].commands = commands;
  return history;
}

std::vector<Violation> JudgeCommands(const History& history) {
  std::vector<Violation> violations;
  JudgeStorm(history, kPerLease, violations);
  return violations;
}

TEST(StormTest, TheBoundIsOneShareForEachLeaseThatHasBegunAndOneForEachGrant) {
  EXPECT_EQ(MostCommands(kPerLease, kLease, Ms(0), 0), 400);
  EXPECT_EQ(MostCommands(kPerLease, kLease, Ms(999), 0), 400);
  EXPECT_EQ(MostCommands(kPerLease, kLease, Ms(2500), 0), 1200);
  EXPECT_EQ(MostCommands(kPerLease, kLease, Ms(0), 3), 400 + 3 * kCommandsPerGrant);
}

TEST(StormTest, AsManyCommandsAsTheBoundAllowsAreFine) {
  EXPECT_THAT(JudgeCommands(SentAt(800, Ms(1000))), IsEmpty());
}

TEST(StormTest, OneCommandMoreIsAStorm) {
  const auto violations = JudgeCommands(SentAt(801, Ms(1000)));
  ASSERT_THAT(PropertiesOf(violations), ElementsAre(Judged::kTermination));
  EXPECT_EQ(violations[0].client, 0);
  EXPECT_EQ(violations[0].at, Ms(1000));
  EXPECT_THAT(violations[0].what, HasSubstr("sent 801 commands"));
  EXPECT_THAT(violations[0].what, HasSubstr("the bound is 800 = 400 for each lease"));
}

// Each time somebody else is granted, whoever waits may look.
TEST(StormTest, GrantsToOthersExcuseMoreCommandsAndOnesOwnDoNot) {
  History history = SentAt(900, Ms(1000));
  history.holds = {Believes(1, Ms(500), Ms(600))};
  EXPECT_THAT(JudgeCommands(history), IsEmpty());
  history.holds = {Believes(0, Ms(500), Ms(600))};
  EXPECT_THAT(PropertiesOf(JudgeCommands(history)), ElementsAre(Judged::kTermination));
  history.holds = {Believes(1, Ms(1500), Ms(1600))};  // after the wait
  EXPECT_THAT(PropertiesOf(JudgeCommands(history)), ElementsAre(Judged::kTermination));
}

// A livelock ends with the run, not with an answer.
TEST(StormTest, ARequestWithoutAnAnswerIsJudgedAtTheEndOfTheRun) {
  History history = SentAt(801, kOpen);
  history.end = Ms(1000);
  EXPECT_THAT(PropertiesOf(JudgeCommands(history)), ElementsAre(Judged::kTermination));
  history.end = Ms(2000);
  EXPECT_THAT(JudgeCommands(history), IsEmpty());
}

TEST(StormTest, TheWorstOfSeveralIsNamed) {
  History history = SentAt(500, Ms(100));
  Attempt worse = history.attempts[0];
  worse.client = 1;
  worse.commands = 600;
  history.attempts.push_back(worse);
  const auto violations = JudgeCommands(history);
  ASSERT_EQ(violations.size(), 1U);
  EXPECT_EQ(violations[0].client, 1);
}

TEST(StormTest, StepsThatRanOutWithinAllBoundsAreSaidToProveNothing) {
  History history = SentAt(300, kOpen);
  history.end = Ms(700);
  EXPECT_THAT(WhyStepsRanOut(history, 3000, 300),
              HasSubstr("step limit was reached at 700.000 ms"));
  EXPECT_THAT(WhyStepsRanOut(history, 3000, 300), HasSubstr("1 requests sent 300 commands"));
  EXPECT_THAT(WhyStepsRanOut(history, 1'000'000, 300), HasSubstr("look at its clock"));
}

// A lock that says nothing of its own may wait for time-outs, but only where there are any.
TEST(TerminationTest, ABoundForTimeOutsIsForThoseWhoFeltAFault) {
  const auto judge = [](const History& history) {
    std::vector<Violation> violations;
    JudgeTermination(history, {kWithTimeOuts, kStop}, violations);
    return violations;
  };
  EXPECT_THAT(judge(WithDeadline(Ms(500) + kLastNap + kLease / 4)), IsEmpty());
  History late = WithDeadline(Ms(501) + kLastNap + kLease / 4);
  const auto violations = judge(late);
  ASSERT_THAT(PropertiesOf(violations), ElementsAre(Judged::kTermination));
  EXPECT_THAT(violations[0].what, HasSubstr("750.000 ms after it"));
  late.disturbances = {{0, Ms(200)}};
  EXPECT_THAT(judge(late), IsEmpty());
  late.disturbances = {{1, Ms(200)}};
  EXPECT_THAT(judge(late), ::testing::SizeIs(1)) << "another's fault costs it nothing";
}

}  // namespace
}  // namespace interlock::scenarios
