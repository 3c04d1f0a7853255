// SPDX-License-Identifier: MIT
//
// Termination, judged on hand-written histories: deadlines that are kept or overrun, requests that
// send what waiting takes or storm the server. The lease is 1000 ms.
#include "scenarios/oracles/termination.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

constexpr Duration kOverrun = std::chrono::milliseconds(50);
constexpr std::int64_t kPerLease = 400;

/// C1 asked at 0 ms with a deadline of 200 ms, and was answered.
History WithDeadline(VirtualTime answered) {
  History history = NewHistory();
  history.attempts = {Answered(Asked(0, Ask::kWaitFor, Ms(0)), answered, StatusCode::kTimeout)};
  history.attempts[0].deadline = Ms(200);
  return history;
}

std::vector<Violation> JudgeDeadlines(const History& history) {
  std::vector<Violation> violations;
  JudgeTermination(history, kOverrun, violations);
  return violations;
}

TEST(TerminationTest, AnAnswerWithinTheOverrunBoundIsFine) {
  EXPECT_THAT(JudgeDeadlines(WithDeadline(Ms(250))), IsEmpty());
}

TEST(TerminationTest, AnAnswerAfterTheOverrunBoundIsLate) {
  const auto violations = JudgeDeadlines(WithDeadline(Ms(251)));
  ASSERT_THAT(PropertiesOf(violations), ElementsAre(Judged::kTermination));
  EXPECT_EQ(violations[0].at, Ms(250));
}

TEST(TerminationTest, NoAnswerAtAllIsLateToo) {
  EXPECT_THAT(PropertiesOf(JudgeDeadlines(WithDeadline(kOpen))), ElementsAre(Judged::kTermination));
}

TEST(TerminationTest, AClientThatStoodStillOrDiedCannotAnswer) {
  History history = WithDeadline(Ms(900));
  history.pauses = {{0, Ms(100)}};
  EXPECT_THAT(JudgeDeadlines(history), IsEmpty());
  history.pauses.clear();
  Crash(history, 0, Ms(100));
  EXPECT_THAT(JudgeDeadlines(history), IsEmpty());
}

/// C1 waited over [0, `until`) and sent so many commands.
History Sent(std::int64_t commands, VirtualTime until) {
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
  EXPECT_THAT(JudgeCommands(Sent(800, Ms(1000))), IsEmpty());
}

TEST(StormTest, OneCommandMoreIsAStorm) {
  const auto violations = JudgeCommands(Sent(801, Ms(1000)));
  ASSERT_THAT(PropertiesOf(violations), ElementsAre(Judged::kTermination));
  EXPECT_EQ(violations[0].client, 0);
  EXPECT_EQ(violations[0].at, Ms(1000));
  EXPECT_THAT(violations[0].what, HasSubstr("sent 801 commands"));
  EXPECT_THAT(violations[0].what, HasSubstr("the bound is 800 = 400 for each lease"));
}

// Each time somebody else is granted, whoever waits may look.
TEST(StormTest, GrantsToOthersExcuseMoreCommandsAndOnesOwnDoNot) {
  History history = Sent(900, Ms(1000));
  history.holds = {Believes(1, Ms(500), Ms(600))};
  EXPECT_THAT(JudgeCommands(history), IsEmpty());
  history.holds = {Believes(0, Ms(500), Ms(600))};
  EXPECT_THAT(PropertiesOf(JudgeCommands(history)), ElementsAre(Judged::kTermination));
  history.holds = {Believes(1, Ms(1500), Ms(1600))};  // after the wait
  EXPECT_THAT(PropertiesOf(JudgeCommands(history)), ElementsAre(Judged::kTermination));
}

// A livelock ends with the run, not with an answer.
TEST(StormTest, ARequestWithoutAnAnswerIsJudgedAtTheEndOfTheRun) {
  History history = Sent(801, kOpen);
  history.end = Ms(1000);
  EXPECT_THAT(PropertiesOf(JudgeCommands(history)), ElementsAre(Judged::kTermination));
  history.end = Ms(2000);
  EXPECT_THAT(JudgeCommands(history), IsEmpty());
}

TEST(StormTest, TheWorstOfSeveralIsNamed) {
  History history = Sent(500, Ms(100));
  Attempt worse = history.attempts[0];
  worse.client = 1;
  worse.commands = 600;
  history.attempts.push_back(worse);
  const auto violations = JudgeCommands(history);
  ASSERT_EQ(violations.size(), 1U);
  EXPECT_EQ(violations[0].client, 1);
}

TEST(StormTest, StepsThatRanOutWithinAllBoundsAreSaidToProveNothing) {
  History history = Sent(300, kOpen);
  history.end = Ms(700);
  EXPECT_THAT(WhyStepsRanOut(history), HasSubstr("step limit was reached at 700.000 ms"));
  EXPECT_THAT(WhyStepsRanOut(history), HasSubstr("1 requests sent 300 commands"));
}

}  // namespace
}  // namespace interlock::scenarios
