// SPDX-License-Identifier: MIT
//
// Spurious refusal (LK010), judged on hand-written histories. The lease is 1000 ms, so a message is
// given 20 ms to arrive.
#include "scenarios/judge/refusals.h"

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
using testing::Ended;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::Ms;
using testing::NewHistory;
using testing::Owns;
using testing::PropertiesOf;
using testing::Released;

std::vector<Violation> RefusalVerdict(const History& history) {
  std::vector<Violation> violations;
  JudgeRefusals(history, violations);
  return violations;
}

/// C1 holds over [10, 500) and releases; C2 is refused over [asked, asked + 2].
History RefusedAt(VirtualTime asked, StatusCode answer = StatusCode::kNotAcquired) {
  History history = NewHistory();
  history.server_holds = {Ended(Owns(0, Ms(10), Ms(1010)), ServerHoldEnd::kReleased, Ms(500))};
  history.attempts = {Answered(Asked(0, Ask::kTry, Ms(9)), Ms(11), StatusCode::kOk),
                      Answered(Asked(1, Ask::kTry, asked), asked + Ms(2), answer)};
  return history;
}

TEST(RefusalsTest, ARefusalOfWhatIsTakenIsFine) {
  EXPECT_THAT(RefusalVerdict(RefusedAt(Ms(100))), IsEmpty());
}

TEST(RefusalsTest, ARefusalOfAFreeResourceIsConvicted) {
  const auto violations = RefusalVerdict(RefusedAt(Ms(600)));
  ASSERT_THAT(PropertiesOf(violations), ElementsAre(Judged::kSpuriousRefusal));
  EXPECT_EQ(violations[0].at, Ms(602));
  EXPECT_EQ(violations[0].client, 1);
  EXPECT_THAT(violations[0].what, HasSubstr("free all the time"));
}

// Who asks for two resources, all or none.
TEST(RefusalsTest, ARefusalForWhatIsTakenWithItIsFine) {
  History other = NewHistory();
  other.server_holds = {Ended(Owns(2, Ms(10), Ms(1010)), ServerHoldEnd::kReleased, Ms(700))};
  other.attempts = {Answered(Asked(1, Ask::kTry, Ms(600)), Ms(602), StatusCode::kNotAcquired)};
  other.attempts[0].beside = true;
  const auto verdict = [&] {
    std::vector<Violation> violations;
    JudgeRefusals(RefusedAt(Ms(600)), violations, &other);
    return PropertiesOf(violations);
  };
  EXPECT_THAT(verdict(), IsEmpty());
  other.server_holds[0].ended = Ms(300);
  EXPECT_THAT(verdict(), ElementsAre(Judged::kSpuriousRefusal));
}

TEST(RefusalsTest, TimeoutOfATryIsARefusal) {
  EXPECT_THAT(RefusalVerdict(RefusedAt(Ms(600), StatusCode::kTimeout)),
              ElementsAre(::testing::Field(&Violation::property, Judged::kSpuriousRefusal)));
}

TEST(RefusalsTest, WhatIsNotKnownIsNoRefusal) {
  EXPECT_THAT(RefusalVerdict(RefusedAt(Ms(600), StatusCode::kUnknownOutcome)), IsEmpty());
  EXPECT_THAT(RefusalVerdict(RefusedAt(Ms(600), StatusCode::kUnavailable)), IsEmpty());
}

TEST(RefusalsTest, ARefusalAcrossTheReleaseIsFine) {
  EXPECT_THAT(RefusalVerdict(RefusedAt(Ms(499))), IsEmpty());
  EXPECT_THAT(RefusalVerdict(RefusedAt(Ms(510))), IsEmpty());
}

TEST(RefusalsTest, APromiseThatAForeignCommandRemovedStillTakesTheResource) {
  History history = RefusedAt(Ms(600));
  history.server_holds[0].end = ServerHoldEnd::kForeign;
  EXPECT_THAT(RefusalVerdict(history), IsEmpty());
}

TEST(RefusalsTest, AnotherWhoAsksMayStandAhead) {
  History history = RefusedAt(Ms(600));
  history.attempts.push_back(Asked(2, Ask::kWait, Ms(550)));
  EXPECT_THAT(RefusalVerdict(history), IsEmpty());
  history.attempts.back() = Answered(history.attempts.back(), Ms(560), StatusCode::kTimeout);
  EXPECT_THAT(RefusalVerdict(history), ::testing::SizeIs(1));
  // Its place in the queue could not be given up.
  history.attempts.back() = Answered(history.attempts.back(), Ms(560), StatusCode::kUnknownOutcome);
  EXPECT_THAT(RefusalVerdict(history), IsEmpty());
}

TEST(RefusalsTest, AFaultOfItsOwnExcusesTheClient) {
  History history = RefusedAt(Ms(600));
  history.disturbances = {{1, Ms(601)}};
  EXPECT_THAT(RefusalVerdict(history), IsEmpty());
  history.disturbances = {{2, Ms(601)}};
  EXPECT_THAT(RefusalVerdict(history), ::testing::SizeIs(1));
}

TEST(RefusalsTest, ASemaphoreWithAFreePermitMustNotRefuse) {
  History history = RefusedAt(Ms(100));
  history.limits = Limits(2);
  EXPECT_THAT(PropertiesOf(RefusalVerdict(history)), ElementsAre(Judged::kSpuriousRefusal));
  history.server_holds.push_back(Owns(2, Ms(20), Ms(1020)));
  EXPECT_THAT(RefusalVerdict(history), IsEmpty());
}

TEST(RefusalsTest, AWaiterThatGaveUpBeforeAnAnswerCouldComeWasNotRefused) {
  History history = RefusedAt(Ms(600), StatusCode::kTimeout);
  history.attempts[1].ask = Ask::kWaitFor;
  history.attempts[1].deadline = Ms(601);
  EXPECT_THAT(RefusalVerdict(history), IsEmpty());
  history.attempts[1].deadline = Ms(700);
  EXPECT_THAT(RefusalVerdict(history), ::testing::SizeIs(1));
}

/// C2's request was granted at 601, and it was told at 602 that it was not.
History GrantedAndDenied(StatusCode answer) {
  History history = RefusedAt(Ms(600), answer);
  history.server_holds.push_back(Owns(1, Ms(601), Ms(1601)));
  return history;
}

TEST(RefusalsTest, ADenialOfWhatWasGrantedIsConvicted) {
  for (const StatusCode answer :
       {StatusCode::kNotAcquired, StatusCode::kTimeout, StatusCode::kUnavailable}) {
    History history = GrantedAndDenied(answer);
    history.disturbances = {{1, Ms(601)}};  // A lost reply is a reason to say "unknown".
    const auto violations = RefusalVerdict(history);
    ASSERT_THAT(PropertiesOf(violations), ElementsAre(Judged::kSpuriousRefusal));
    EXPECT_EQ(violations[0].at, Ms(602));
    EXPECT_THAT(violations[0].what, HasSubstr("the server had granted at 601.000 ms"));
  }
}

TEST(RefusalsTest, AnUnknownGrantIsFine) {
  EXPECT_THAT(RefusalVerdict(GrantedAndDenied(StatusCode::kUnknownOutcome)), IsEmpty());
}

// The request of the first attempt was still under way when the second was refused.
TEST(RefusalsTest, AGrantThatAnEarlierUnknownAttemptMayHaveMadeIsNotTheLaterOnes) {
  History history = GrantedAndDenied(StatusCode::kNotAcquired);
  history.attempts.push_back(
      Answered(Asked(1, Ask::kTry, Ms(590)), Ms(599), StatusCode::kUnknownOutcome));
  EXPECT_THAT(RefusalVerdict(history), IsEmpty());
  history.attempts.back().answered = Ms(570);
  EXPECT_THAT(RefusalVerdict(history), ::testing::SizeIs(1)) << "too long ago to be under way";
  history.delays = {{1, {Ms(565), Ms(605)}}};
  EXPECT_THAT(RefusalVerdict(history), IsEmpty());
}

TEST(RefusalsTest, AGrantThatIsUndoneAtOnceIsFine) {
  History history = GrantedAndDenied(StatusCode::kTimeout);
  history.server_holds[1] = Ended(history.server_holds[1], ServerHoldEnd::kReleased, Ms(610));
  EXPECT_THAT(RefusalVerdict(history), IsEmpty());
}

TEST(RefusalsTest, WhoDiesBeforeItCanUndoIsExcused) {
  History history = GrantedAndDenied(StatusCode::kTimeout);
  Crash(history, 1, Ms(605));
  EXPECT_THAT(RefusalVerdict(history), IsEmpty());
}

TEST(RefusalsTest, AnOldFaultDoesNotExcuseWhoHasNotEvenAsked) {
  History history = RefusedAt(Ms(9000));
  history.disturbances = {{1, Ms(7900)}};
  EXPECT_THAT(PropertiesOf(RefusalVerdict(history)), ElementsAre(Judged::kSpuriousRefusal));
  history.attempts[1].commands = 1;
  EXPECT_THAT(RefusalVerdict(history), IsEmpty()) << "it went over what the fault had broken";
  history.attempts[1].commands = 0;
  history.disturbances = {{1, Ms(8100)}};
  EXPECT_THAT(RefusalVerdict(history), IsEmpty())
      << "what became of an earlier command is in doubt";
}

/// C1 calls release at 500 and is answered at 520; its entry ends at `ended`.
History ReleaseAnswered(StatusCode status, VirtualTime ended,
                        ServerHoldEnd end = ServerHoldEnd::kReleased) {
  History history = NewHistory();
  history.server_holds = {Ended(Owns(0, Ms(10), Ms(1010)), end, ended)};
  history.holds = {Released(Believes(0, Ms(11), Ms(500)), Ms(500), Ms(520), status)};
  return history;
}

TEST(RefusalsTest, NotOwnerOfAReleaseThatTookEffectIsConvicted) {
  const auto violations = RefusalVerdict(ReleaseAnswered(StatusCode::kNotOwner, Ms(501)));
  ASSERT_THAT(PropertiesOf(violations), ElementsAre(Judged::kSpuriousRefusal));
  EXPECT_EQ(violations[0].at, Ms(520));
  EXPECT_THAT(violations[0].what, HasSubstr("though it had released at 501.000 ms"));
}

TEST(RefusalsTest, OtherAnswersOfAReleaseThatTookEffectAreFine) {
  for (const StatusCode status :
       {StatusCode::kOk, StatusCode::kUnknownOutcome, StatusCode::kLeaseLost}) {
    EXPECT_THAT(RefusalVerdict(ReleaseAnswered(status, Ms(501))), IsEmpty());
  }
}

TEST(RefusalsTest, NotOwnerOfAReleaseThatFoundNothingIsFine) {
  EXPECT_THAT(RefusalVerdict(ReleaseAnswered(StatusCode::kNotOwner, Ms(400))), IsEmpty());
  EXPECT_THAT(
      RefusalVerdict(ReleaseAnswered(StatusCode::kNotOwner, Ms(501), ServerHoldEnd::kForeign)),
      IsEmpty());
}

TEST(RefusalsTest, NotOwnerIsTrueOnceTheLeaseWouldBeOverAnyway) {
  History history = ReleaseAnswered(StatusCode::kNotOwner, Ms(501));
  history.holds[0].release_returned = Ms(1010);
  EXPECT_THAT(RefusalVerdict(history), IsEmpty());
}

TEST(RefusalsTest, OfAQuorumAnOperatorMayHaveTakenAwayTheOtherVotes) {
  History history = ReleaseAnswered(StatusCode::kNotOwner, Ms(501));
  history.quorum = 2;
  EXPECT_THAT(PropertiesOf(RefusalVerdict(history)), ElementsAre(Judged::kSpuriousRefusal));
  Force force;
  force.token = history.holds[0].token;
  force.called = Ms(521);
  history.forces = {force};
  EXPECT_THAT(PropertiesOf(RefusalVerdict(history)), ElementsAre(Judged::kSpuriousRefusal))
      << "too late";
  history.forces[0].called = Ms(510);
  EXPECT_THAT(RefusalVerdict(history), IsEmpty());
  history.forces[0].called = Ms(400);
  history.forces[0].answered = Ms(410);
  EXPECT_THAT(PropertiesOf(RefusalVerdict(history)), ElementsAre(Judged::kSpuriousRefusal))
      << "too early";
}

TEST(RefusalsTest, NotOwnerOfAnExtendThatProlongedIsConvicted) {
  History history = NewHistory();
  Renewal renewal;
  renewal.called = Ms(500);
  renewal.answered = Ms(502);
  renewal.prolonged = Ms(501);
  renewal.answer = StatusCode::kNotOwner;
  history.renewals = {renewal};
  ASSERT_THAT(PropertiesOf(RefusalVerdict(history)), ElementsAre(Judged::kSpuriousRefusal));
  EXPECT_THAT(RefusalVerdict(history)[0].what,
              HasSubstr("though it had prolonged the lease at 501.000 ms"));
  history.renewals[0].answer = StatusCode::kUnknownOutcome;
  EXPECT_THAT(RefusalVerdict(history), IsEmpty());
  history.renewals[0].answer = StatusCode::kNotOwner;
  history.renewals[0].prolonged = kOpen;
  EXPECT_THAT(RefusalVerdict(history), IsEmpty());
}

/// C1 holds until 900 ms, its lease would end at 1010 ms. C2 asks at 50 ms to wait until
/// `deadline`, and is refused at 700 ms.
History EndedBefore(VirtualTime deadline, StatusCode answer = StatusCode::kTimeout) {
  History history = NewHistory();
  history.server_holds = {Ended(Owns(0, Ms(10), Ms(1010)), ServerHoldEnd::kReleased, Ms(900))};
  history.attempts = {Answered(Asked(1, Ask::kWaitFor, Ms(50)), Ms(700), answer)};
  history.attempts[0].deadline = deadline;
  return history;
}

std::vector<Violation> RefusedWait(const History& history) {
  std::vector<Violation> violations;
  JudgePatience(history, Ms(300), violations);
  return violations;
}

TEST(PatienceTest, AWaitThatEndsWithTimeForAnotherLookIsConvicted) {
  for (const StatusCode answer : {StatusCode::kTimeout, StatusCode::kNotAcquired}) {
    const auto violations = RefusedWait(EndedBefore(Ms(1'021), answer));
    ASSERT_THAT(PropertiesOf(violations), ElementsAre(Judged::kSpuriousRefusal));
    EXPECT_EQ(violations[0].at, Ms(700));
    EXPECT_THAT(violations[0].what, HasSubstr("would have waited until 1021.000 ms"));
  }
}

TEST(PatienceTest, AWaitThatEndsAtItsDeadlineOrALookBeforeIsFine) {
  EXPECT_THAT(RefusedWait(EndedBefore(Ms(700))), IsEmpty());
  EXPECT_THAT(RefusedWait(EndedBefore(Ms(1'020))), IsEmpty());
}

TEST(PatienceTest, AWaitWithoutADeadlineHasNoEnd) {
  History history = EndedBefore(kOpen);
  history.attempts[0].ask = Ask::kWait;
  EXPECT_THAT(RefusedWait(history), ::testing::SizeIs(1));
  history.attempts[0].ask = Ask::kTry;
  EXPECT_THAT(RefusedWait(history), IsEmpty());
}

TEST(PatienceTest, WhatIsNoRefusalOrFollowsAFaultIsFine) {
  for (const StatusCode answer :
       {StatusCode::kOk, StatusCode::kUnavailable, StatusCode::kUnknownOutcome}) {
    EXPECT_THAT(RefusedWait(EndedBefore(Ms(5'000), answer)), IsEmpty()) << ToString(answer);
  }
  History history = EndedBefore(Ms(5'000));
  history.disturbances = {{1, Ms(600)}};
  EXPECT_THAT(RefusedWait(history), IsEmpty());
  history.disturbances = {{0, Ms(600)}};
  EXPECT_THAT(RefusedWait(history), ::testing::SizeIs(1));
}

}  // namespace
}  // namespace interlock::scenarios
