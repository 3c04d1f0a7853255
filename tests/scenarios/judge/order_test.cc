// SPDX-License-Identifier: MIT
//
// The order of those who wait, judged on hand-written histories: C1 holds first, C2 and C3 stand in
// line behind it, and any further client comes later.
#include "scenarios/judge/order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenarios/search/campaign.h"
#include "tests/scenarios/hand_over_subject.h"
#include "tests/scenarios/judge/histories.h"

namespace interlock::scenarios {
namespace {

using testing::Answered;
using testing::Asked;
using testing::Crash;
using ::testing::ElementsAre;
using testing::Ended;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::kLease;
using testing::Ms;
using testing::NewHistory;
using testing::Owns;
using testing::PropertiesOf;

/// A request that stood in line from 1 ms after it was asked.
Attempt InLine(int client, VirtualTime asked, Ask ask = Ask::kWait) {
  Attempt attempt = Asked(client, ask, asked);
  attempt.queued = asked + Ms(1);
  return attempt;
}

/// The server grants it at `when`; its client hears of it 2 ms later, and gives it back 20 ms
/// later.
void Grant(History& history, Attempt attempt, VirtualTime when) {
  history.attempts.push_back(Answered(attempt, when + Ms(2), StatusCode::kOk));
  history.server_holds.push_back(
      Ended(Owns(attempt.client, when, when + kLease), ServerHoldEnd::kReleased, when + Ms(20)));
}

/// C1 was granted at 10 ms.
History OneHolds() {
  History history = NewHistory();
  history.latency = Ms(1);
  Grant(history, InLine(0, Ms(9)), Ms(10));
  return history;
}

std::vector<Violation> OrderVerdict(const History& history, int bypass_bound = 0) {
  std::vector<Violation> violations;
  JudgeOrder(history, bypass_bound, violations);
  return violations;
}

History ServedInOrder() {
  History history = OneHolds();
  Grant(history, InLine(1, Ms(12)), Ms(30));
  Grant(history, InLine(2, Ms(14)), Ms(50));
  return history;
}

/// C3 stands behind C2 and is served first.
History OvertakenInLine() {
  History history = OneHolds();
  Grant(history, InLine(1, Ms(12)), Ms(50));
  Grant(history, InLine(2, Ms(14)), Ms(30));
  return history;
}

TEST(OrderTest, FirstComeFirstServedIsFine) {
  EXPECT_THAT(OrderVerdict(ServedInOrder()), IsEmpty());
}

TEST(OrderTest, AWaiterThatALaterOneOvertakesIsReportedWhenThatIsGranted) {
  const auto violations = OrderVerdict(OvertakenInLine());
  ASSERT_THAT(PropertiesOf(violations), ElementsAre(Judged::kOrder));
  EXPECT_EQ(violations[0].client, 1);
  EXPECT_EQ(violations[0].at, Ms(30));
  EXPECT_THAT(violations[0].what, HasSubstr("C2 stood in line from 13.000 ms on, and 1 later"));
}

TEST(OrderTest, WhoseTurnAnOperatorTookAwayHasHadIt) {
  History history = OvertakenInLine();
  history.attempts[1].queued_with = "EVALSHA ask t1";
  ServerHold turn = Ended(Owns(1, Ms(20), Ms(1020)), ServerHoldEnd::kForced, Ms(25));
  turn.client = -1;
  history.server_holds.push_back(turn);
  history.forces = {Force{}};
  EXPECT_THAT(OrderVerdict(history), IsEmpty());
  history.attempts[1].queued_again = Ms(26);
  EXPECT_THAT(OrderVerdict(history), IsEmpty()) << "the other one stood there before it";
  history.attempts[1].queued_again = Ms(13);
  EXPECT_THAT(PropertiesOf(OrderVerdict(history)), ElementsAre(Judged::kOrder));
  history.attempts[1].queued_again = kOpen;
  history.server_holds.back().granted = Ms(35);  // when it had been overtaken
  history.server_holds.back().ended = Ms(40);
  EXPECT_THAT(PropertiesOf(OrderVerdict(history)), ElementsAre(Judged::kOrder));
}

TEST(OrderTest, AsManyOvertakingsAsAreDeclaredAreFine) {
  EXPECT_THAT(OrderVerdict(OvertakenInLine(), 1), IsEmpty());
  History history = OvertakenInLine();
  Grant(history, InLine(3, Ms(20)), Ms(40));
  EXPECT_THAT(OrderVerdict(history, 2), IsEmpty());
  const auto violations = OrderVerdict(history, 1);
  ASSERT_THAT(PropertiesOf(violations), ElementsAre(Judged::kOrder));
  EXPECT_EQ(violations[0].at, Ms(40));
}

// The enqueue decides, not the call: a request that was asked earlier may be queued later.
TEST(OrderTest, ThePlaceCountsFromTheCommandThatQueued) {
  History history = OneHolds();
  Attempt slow = InLine(1, Ms(12));
  slow.queued = Ms(25);
  Grant(history, slow, Ms(50));
  Grant(history, InLine(2, Ms(14)), Ms(30));
  EXPECT_THAT(OrderVerdict(history), IsEmpty());
}

// The grant is what the server does, not when its client hears of it.
TEST(OrderTest, ASlowReplyIsNoOvertaking) {
  History history = ServedInOrder();
  history.attempts[1].answered = Ms(90);
  EXPECT_THAT(OrderVerdict(history), IsEmpty());
}

TEST(OrderTest, ATryThatDoesNotWaitStandsInNoLine) {
  History history = OvertakenInLine();
  history.attempts[1].ask = Ask::kTry;
  EXPECT_THAT(OrderVerdict(history), IsEmpty());
}

TEST(OrderTest, ATryThatSucceedsBeforeAWaiterOvertakesIt) {
  History history = OvertakenInLine();
  history.attempts[2].ask = Ask::kTry;
  EXPECT_THAT(PropertiesOf(OrderVerdict(history)), ElementsAre(Judged::kOrder));
}

TEST(OrderTest, AWaiterThatWasNeverQueuedHasNoPlace) {
  History history = OvertakenInLine();
  history.attempts[1].queued = kOpen;
  EXPECT_THAT(OrderVerdict(history), IsEmpty());
}

TEST(OrderTest, AWaiterThatLostItsConnectionMayLoseItsPlace) {
  History history = OvertakenInLine();
  history.disturbances = {{1, Ms(20)}};
  EXPECT_THAT(OrderVerdict(history), IsEmpty());
  history.disturbances = {{2, Ms(20)}, {1, Ms(200)}};  // another's; long after
  EXPECT_THAT(PropertiesOf(OrderVerdict(history)), ElementsAre(Judged::kOrder));
}

TEST(OrderTest, AWaiterThatIsCutOffFromBeforeItAskedMayLoseItsPlace) {
  History history = OvertakenInLine();
  history.outages = {{1, {Ms(5), Ms(11)}}};  // over by then
  EXPECT_THAT(PropertiesOf(OrderVerdict(history)), ElementsAre(Judged::kOrder));
  history.outages = {{1, {Ms(5), Ms(400)}}};
  EXPECT_THAT(OrderVerdict(history), IsEmpty());
}

TEST(OrderTest, ADeadWaiterIsNotOvertaken) {
  History history = OvertakenInLine();
  history.attempts[1].answered = kOpen;
  history.server_holds[1].granted = kOpen;
  EXPECT_THAT(PropertiesOf(OrderVerdict(history)), ElementsAre(Judged::kOrder));
  Crash(history, 1, Ms(20));
  EXPECT_THAT(OrderVerdict(history), IsEmpty());
}

/// C2 gives up at 200 ms; C3 is granted at `when`.
History GivesUp(VirtualTime when) {
  History history = OneHolds();
  Attempt waiter = InLine(1, Ms(12), Ask::kWaitFor);
  waiter.deadline = Ms(200);
  history.attempts.push_back(Answered(waiter, Ms(201), StatusCode::kTimeout));
  Grant(history, InLine(2, Ms(14)), when);
  return history;
}

TEST(OrderTest, AWaiterThatGivesUpWasOvertakenBefore) {
  EXPECT_THAT(PropertiesOf(OrderVerdict(GivesUp(Ms(30)))), ElementsAre(Judged::kOrder));
}

TEST(OrderTest, AWaiterThatIsAboutToGiveUpHasLeftTheLine) {
  EXPECT_THAT(OrderVerdict(GivesUp(Ms(199))), IsEmpty());
}

// Two permits come free at once: who enters first of those that were let in together means nothing.
TEST(OrderTest, WithSeveralPermitsOnlyAWaiterThatIsLeftBehindIsOvertaken) {
  History history = OneHolds();
  history.limits = Limits(2);
  Grant(history, InLine(1, Ms(12)), Ms(33));
  Grant(history, InLine(2, Ms(14)), Ms(30));
  EXPECT_THAT(OrderVerdict(history), IsEmpty());
  history = OvertakenInLine();
  history.limits = Limits(2);
  EXPECT_THAT(PropertiesOf(OrderVerdict(history)), ElementsAre(Judged::kOrder));
}

TEST(OrderTest, WithoutASightOfTheGrantsNothingIsSaid) {
  History history = OvertakenInLine();
  history.ownership_seen = false;
  EXPECT_THAT(OrderVerdict(history), IsEmpty());
}

TEST(OrderTest, TheLineIsThereOnlyWithTwoWaitersAtATime) {
  EXPECT_TRUE(WaitedInLine(ServedInOrder()));
  EXPECT_FALSE(WaitedInLine(OneHolds()));
  History history = OneHolds();
  Grant(history, InLine(1, Ms(12)), Ms(30));
  Grant(history, InLine(2, Ms(40)), Ms(50));
  EXPECT_FALSE(WaitedInLine(history));
}

/// C1 reads from 10 ms on, C2 stands in line as a writer from 13 ms on and is granted at 50 ms, and
/// C3 is let in as a reader at `when`.
History ReaderComes(VirtualTime when) {
  History history = NewHistory();
  history.latency = Ms(1);
  const auto read = [&history](Attempt attempt, VirtualTime at) {
    attempt.shared = true;
    Grant(history, attempt, at);
    history.server_holds.back().shared = true;
  };
  read(InLine(0, Ms(9)), Ms(10));
  Grant(history, InLine(1, Ms(12)), Ms(50));
  read(InLine(2, when - Ms(5)), when);
  return history;
}

std::vector<Violation> JudgePreferenceOf(const History& history) {
  std::vector<Violation> violations;
  JudgePreference(history, violations);
  return violations;
}

TEST(PreferenceTest, AReaderThatIsLetInWhileAWriterStandsInLineIsReported) {
  const auto violations = JudgePreferenceOf(ReaderComes(Ms(30)));
  ASSERT_THAT(PropertiesOf(violations), ElementsAre(Judged::kOrder));
  EXPECT_EQ(violations[0].client, 1);
  EXPECT_EQ(violations[0].at, Ms(30));
  EXPECT_THAT(violations[0].what, HasSubstr("C3 was let in as a reader at 30.000 ms"));
}

TEST(PreferenceTest, AReaderMayComeBeforeTheWriterStandsThereAndAfterItWasServed) {
  EXPECT_THAT(JudgePreferenceOf(ReaderComes(Ms(12))), IsEmpty());
  EXPECT_THAT(JudgePreferenceOf(ReaderComes(Ms(60))), IsEmpty());
}

// It stands in line for whole milliseconds, and a last look may still find it free.
TEST(PreferenceTest, AWriterThatIsGrantedAtItsDeadlineMayHaveLeftTheLineJustBefore) {
  History history = ReaderComes(Ms(49));
  history.attempts[1].deadline = Ms(51);
  EXPECT_THAT(JudgePreferenceOf(history), IsEmpty());
  history.attempts[1].deadline = Ms(60);
  EXPECT_THAT(PropertiesOf(JudgePreferenceOf(history)), ElementsAre(Judged::kOrder));
}

TEST(PreferenceTest, AWriterThatOnlyTriesOrLostItsConnectionKeepsNobodyOut) {
  History history = ReaderComes(Ms(30));
  history.disturbances = {{1, Ms(20)}};
  EXPECT_THAT(JudgePreferenceOf(history), IsEmpty());
  history = ReaderComes(Ms(30));
  history.attempts[1].ask = Ask::kTry;
  EXPECT_THAT(JudgePreferenceOf(history), IsEmpty());
}

TEST(PreferenceTest, AnotherWriterIsNoReader) {
  History history = ReaderComes(Ms(30));
  history.server_holds[2].shared = false;
  EXPECT_THAT(JudgePreferenceOf(history), IsEmpty());
}

TEST(PreferenceTest, WithoutASightOfTheGrantsNothingIsSaid) {
  History history = ReaderComes(Ms(30));
  history.ownership_seen = false;
  EXPECT_THAT(JudgePreferenceOf(history), IsEmpty());
}

// Sound control of the specimens that claim to be fair: this one is.
TEST(OrderTest, ALockThatHandsOverInOrderKeepsTheOrderItDeclares) {
  CampaignOptions options;
  options.entries = {{testing::HandOverSubject(), false, {}}};
  options.scenarios = {FindScenario("crowd")};
  options.runs = 500;
  const CampaignResult result = RunCampaign(options);
  bool judged = false;
  for (const reports::ResultRow& row : result.report.results) {
    EXPECT_EQ(row.verdict, reports::Verdict::kHolds) << row.property << row.reason;
    if (row.property != "order") continue;
    judged = true;
    EXPECT_GT(row.exercised, 100U);
  }
  EXPECT_TRUE(judged);
}

}  // namespace
}  // namespace interlock::scenarios
