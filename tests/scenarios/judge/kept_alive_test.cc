// SPDX-License-Identifier: MIT
//
// What locks owe that renew by themselves (LK014 d, LK006 c), judged on hand-written histories.
#include "scenarios/judge/kept_alive.h"

#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenarios/log/answers.h"
#include "tests/scenarios/judge/histories.h"
#include "tests/scenarios/judge/observed.h"

namespace interlock::scenarios {
namespace {

using testing::Believes;
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
using ::testing::SizeIs;

/// C1 holds from 0 ms on and does not let go; its lease runs out at `end`.
History RanOutAt(VirtualTime end) {
  History history = NewHistory();
  history.holds = {Believes(0, Ms(0), end)};
  history.server_holds = {Ended(Owns(0, Ms(0), end), ServerHoldEnd::kExpired, end)};
  return history;
}

std::vector<Violation> JudgeRenewals(const History& history) {
  std::vector<Violation> violations;
  JudgeKeptAlive(history, {3 * kLease, 3 * kLease, kLease / 4}, violations);
  return violations;
}

TEST(KeptAliveTest, ALeaseThatLastsAsLongAsTheLockSaysIsFine) {
  EXPECT_THAT(JudgeRenewals(RanOutAt(Ms(3000))), IsEmpty());
  EXPECT_THAT(JudgeRenewals(RanOutAt(Ms(2875))), IsEmpty()) << "what is short is not renewed";
}

TEST(KeptAliveTest, ALeaseThatRunsOutBeforeIsConvicted) {
  const auto violations = JudgeRenewals(RanOutAt(Ms(1000)));
  ASSERT_THAT(PropertiesOf(violations), ElementsAre(Judged::kFalseValidity));
  EXPECT_EQ(violations[0].at, Ms(1000));
  EXPECT_THAT(violations[0].what, HasSubstr("ran out at 1000.000 ms while it was held"));
  EXPECT_THAT(JudgeRenewals(RanOutAt(Ms(2000))), SizeIs(1)) << "renewed once";
}

TEST(KeptAliveTest, ALeaseThatIsProlongedForLongerThanTheLockSaysIsConvicted) {
  EXPECT_THAT(JudgeRenewals(RanOutAt(Ms(3125))), IsEmpty()) << "clocks differ";
  const auto violations = JudgeRenewals(RanOutAt(Ms(3126)));
  ASSERT_THAT(PropertiesOf(violations), ElementsAre(Judged::kFalseValidity));
  EXPECT_THAT(violations[0].what, HasSubstr("until 3126.000 ms, though the lock says"));
}

TEST(KeptAliveTest, ItsHolderMayMakeItLonger) {
  History history = RanOutAt(Ms(3500));
  history.renewals = {{.client = 0, .called = Ms(2000)}};
  EXPECT_THAT(JudgeRenewals(history), IsEmpty());
  history.renewals = {{.client = 1, .called = Ms(2000)}};
  EXPECT_THAT(JudgeRenewals(history), SizeIs(1)) << "somebody else's";
}

TEST(KeptAliveTest, WhoHasLetGoOrDiedNeedsNoRenewal) {
  History history = RanOutAt(Ms(1000));
  history.holds[0].release_called = Ms(999);
  EXPECT_THAT(JudgeRenewals(history), IsEmpty());
  history = RanOutAt(Ms(1000));
  history.holds[0].dropped = Ms(999);
  EXPECT_THAT(JudgeRenewals(history), IsEmpty()) << "its renewal may end with it";
  history = RanOutAt(Ms(3126));
  history.holds[0].dropped = Ms(500);
  EXPECT_THAT(JudgeRenewals(history), SizeIs(1)) << "or go on, up to what the lock says";
  history = RanOutAt(Ms(1000));
  Crash(history, 0, Ms(999));
  EXPECT_THAT(JudgeRenewals(history), IsEmpty());
  history = RanOutAt(Ms(1000));
  history.holds.clear();
  EXPECT_THAT(JudgeRenewals(history), IsEmpty()) << "nobody knows of the grant";
}

TEST(KeptAliveTest, AFaultOfItsOwnExcusesIt) {
  History history = RanOutAt(Ms(1000));
  history.disturbances = {{1, Ms(500)}};
  EXPECT_THAT(JudgeRenewals(history), SizeIs(1)) << "another one's";
  history.disturbances = {{0, Ms(500)}};
  EXPECT_THAT(JudgeRenewals(history), IsEmpty());
  history = RanOutAt(Ms(1000));
  history.server_clock_moved = true;
  EXPECT_THAT(JudgeRenewals(history), IsEmpty());
}

TEST(KeptAliveTest, WhatWasTakenAwayDidNotRunOut) {
  History history = RanOutAt(Ms(1000));
  history.server_holds[0] = Ended(history.server_holds[0], ServerHoldEnd::kForced, Ms(500));
  EXPECT_THAT(JudgeRenewals(history), IsEmpty());
}

/// ... and a fault has met it, of which it heard at once or not, after the last thing it sent.
std::vector<Violation> RanOutAfterAFault(VirtualTime at, bool unheard) {
  History history = RanOutAt(Ms(1000));
  history.disturbances = {{0, at, unheard}};
  history.server_holds[0].last_sent = at;
  return JudgeRenewals(history);
}

TEST(KeptAliveTest, APassingFaultExcusesNobodyWhoSendsNothingMore) {
  const auto violations = RanOutAfterAFault(Ms(333), false);
  ASSERT_THAT(PropertiesOf(violations), ElementsAre(Judged::kFalseValidity));
  EXPECT_THAT(violations[0].what, HasSubstr("has sent nothing since 333.000 ms"));
}

TEST(KeptAliveTest, WhoRenewsEachHalfAndHearsOfAFaultThenIsExcused) {
  EXPECT_THAT(RanOutAfterAFault(Ms(500), false), IsEmpty());
  EXPECT_THAT(RanOutAfterAFault(Ms(375), false), IsEmpty());
  EXPECT_THAT(RanOutAfterAFault(Ms(374), false), SizeIs(1));
}

TEST(KeptAliveTest, WhoWaitsForALostAnswerIsExcusedForAsLongAsThatTakes) {
  EXPECT_THAT(RanOutAfterAFault(Ms(333), true), IsEmpty()) << "heard of at 583 ms";
  EXPECT_THAT(RanOutAfterAFault(Ms(100), true), SizeIs(1)) << "heard of at 350 ms";
}

TEST(KeptAliveTest, WhoTriedAgainIsExcused) {
  History history = RanOutAt(Ms(1000));
  history.disturbances = {{0, Ms(333)}};
  history.server_holds[0].last_sent = Ms(666);
  EXPECT_THAT(JudgeRenewals(history), IsEmpty());
}

TEST(KeptAliveTest, AnOutageExcusesUntilItIsOver) {
  History history = RanOutAt(Ms(1000));
  history.disturbances = {{0, Ms(10)}};
  history.outages = {{0, {Ms(10), Ms(200)}}};
  EXPECT_THAT(JudgeRenewals(history), IsEmpty()) << "and for as long as an answer may take";
  history.outages = {{0, {Ms(10), Ms(100)}}};
  EXPECT_THAT(JudgeRenewals(history), SizeIs(1));
}

/// What is said when C1 is told that its lease, which the server promised until 1000 ms, is valid
/// until then.
std::vector<Violation> ToldRenewedUntil(VirtualTime until, History history) {
  std::vector<Violation> violations;
  CompareRenewed(history.holds[0], until, Ms(900), history);
  testing::JudgeObserved(history, violations);
  return violations;
}

TEST(RenewedTest, ABeliefWithinThePromiseIsFine) {
  const History history = RanOutAt(Ms(1000));
  EXPECT_THAT(ToldRenewedUntil(Ms(1000), history), IsEmpty());
  EXPECT_THAT(ToldRenewedUntil(Ms(1016), history), IsEmpty()) << "clocks differ";
}

TEST(RenewedTest, ABeliefBeyondThePromiseIsConvicted) {
  const auto violations = ToldRenewedUntil(Ms(1017), RanOutAt(Ms(1000)));
  ASSERT_THAT(PropertiesOf(violations), ElementsAre(Judged::kForeignExtend));
  EXPECT_THAT(violations[0].what, HasSubstr("promised it until 1000.000 ms only"));
}

TEST(RenewedTest, AnotherOnesEntryIsNoPromise) {
  History history = RanOutAt(Ms(1000));
  history.server_holds.push_back(Owns(1, Ms(1000), Ms(2000)));
  EXPECT_THAT(ToldRenewedUntil(Ms(1900), history), SizeIs(1));
  history.server_holds.push_back(Owns(0, Ms(1000), Ms(2000)));
  EXPECT_THAT(ToldRenewedUntil(Ms(1900), history), IsEmpty());
}

TEST(RenewedTest, OfAQuorumOneServersPromiseIsNotEnough) {
  History history = RanOutAt(Ms(1000));
  history.nodes = 3;
  history.quorum = 2;
  for (const int node : {1, 2}) {
    history.server_holds.push_back(Owns(0, Ms(0), Ms(1000)));
    history.server_holds.back().node = node;
  }
  history.server_holds[2].promised_until = Ms(2000);
  EXPECT_THAT(ToldRenewedUntil(Ms(1900), history), SizeIs(1));
  history.server_holds[1].promised_until = Ms(2000);
  EXPECT_THAT(ToldRenewedUntil(Ms(1900), history), IsEmpty());
}

TEST(RenewedTest, WhatAServerForgotOrNobodySawIsNotJudged) {
  History history = RanOutAt(Ms(1000));
  history.server_changed = true;
  EXPECT_THAT(ToldRenewedUntil(Ms(1900), history), IsEmpty());
  history = RanOutAt(Ms(1000));
  history.server_holds.clear();
  EXPECT_THAT(ToldRenewedUntil(Ms(1900), history), IsEmpty());
}

}  // namespace
}  // namespace interlock::scenarios
