// SPDX-License-Identifier: MIT
//
// Deadlock freedom, judged on hand-written histories. The lease is 1000 ms, the wake-up bound 1000
// ms, so a waiter is forgotten once the resource has been free for longer than 1000 ms + kSettling.
#include "scenarios/judge/progress.h"

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
using testing::kLease;
using testing::Ms;
using testing::NewHistory;
using testing::NewHistoryOfPermits;
using testing::Owns;
using testing::PropertiesOf;
using testing::Released;

constexpr Duration kBound = std::chrono::milliseconds(1000);
constexpr ProgressRules kRules = {.wake_up_bound = kBound, .longest_use = kLease};
const ProgressRules kPassesOver = {
    .wake_up_bound = kBound, .longest_use = kLease, .passed_over_bound = Ms(700)};

std::vector<Violation> ProgressVerdict(const History& history,
                                       const ProgressRules& rules = kRules) {
  std::vector<Violation> violations;
  JudgeProgress(history, rules, violations);
  return violations;
}

/// C1 holds from 10 ms and releases at 500 ms; C2 waits from 100 ms on, for ever.
History ReleasedWhileWaiting() {
  History history = NewHistory();
  history.server_holds = {Ended(Owns(0, Ms(10), Ms(1010)), ServerHoldEnd::kReleased, Ms(500))};
  history.holds = {Released(Believes(0, Ms(11), Ms(1000)), Ms(499), Ms(501))};
  history.attempts = {Answered(Asked(0, Ask::kTry, Ms(9)), Ms(11), StatusCode::kOk),
                      Asked(1, Ask::kWait, Ms(100))};
  return history;
}

void GrantToWaiter(History& history, VirtualTime when) {
  history.attempts[1] = Answered(history.attempts[1], when, StatusCode::kOk);
  history.holds.push_back(Released(Believes(1, when, when + kLease), when + Ms(5), when + Ms(6)));
  history.server_holds.push_back(
      Ended(Owns(1, when, when + kLease), ServerHoldEnd::kReleased, when + Ms(5)));
}

TEST(ProgressTest, AWaiterForgottenAfterAReleaseIsADeadlock) {
  const auto violations = ProgressVerdict(ReleasedWhileWaiting());
  ASSERT_THAT(PropertiesOf(violations), ElementsAre(Judged::kDeadlock));
  EXPECT_EQ(violations[0].client, 1);
  EXPECT_EQ(violations[0].at, Ms(501) + kBound + kSettling);
}

// Who asks for two resources waits for both.
TEST(ProgressTest, WhatIsTakenWithATakenOneIsNotFree) {
  History other = NewHistory();
  other.server_holds = {Ended(Owns(2, Ms(10), Ms(3010)), ServerHoldEnd::kReleased, Ms(3000))};
  other.server_holds[0].renewed = Ms(2010);
  ProgressRules both = kRules;
  both.taken_with = &other;
  const auto violations = ProgressVerdict(ReleasedWhileWaiting(), both);
  ASSERT_THAT(PropertiesOf(violations), ElementsAre(Judged::kDeadlock));
  EXPECT_EQ(violations[0].at, Ms(3000) + kBound + kSettling);
}

TEST(ProgressTest, AWaiterGrantedInTimeIsFine) {
  History history = ReleasedWhileWaiting();
  GrantToWaiter(history, Ms(502));
  EXPECT_THAT(ProgressVerdict(history), IsEmpty());
}

TEST(ProgressTest, AWaiterGrantedAtTheBoundIsFine) {
  History history = ReleasedWhileWaiting();
  GrantToWaiter(history, Ms(501) + kBound + kSettling);
  EXPECT_THAT(ProgressVerdict(history), IsEmpty());
}

TEST(ProgressTest, WhereNothingGoesWrongALockIsHeldToItsHandOver) {
  ProgressRules rules = kRules;
  rules.hand_over_bound = Ms(50);
  History history = ReleasedWhileWaiting();
  GrantToWaiter(history, Ms(501) + Ms(51));
  const auto violations = ProgressVerdict(history, rules);
  ASSERT_THAT(PropertiesOf(violations), ElementsAre(Judged::kDeadlock));
  EXPECT_THAT(violations[0].what, HasSubstr("hand-over without faults 50.000 ms"));
  EXPECT_THAT(ProgressVerdict(history), IsEmpty());
}

TEST(ProgressTest, AWaiterWhoseTurnAnOperatorTookAwayLooksAgainWhenItWould) {
  ProgressRules rules = kRules;
  rules.hand_over_bound = Ms(50);
  History history = ReleasedWhileWaiting();
  history.attempts[1].queued_with = "EVALSHA ask t1";
  GrantToWaiter(history, Ms(501) + Ms(60));
  ServerHold turn = Ended(Owns(1, Ms(500), Ms(1500)), ServerHoldEnd::kForced, Ms(503));
  turn.client = -1;
  history.server_holds.push_back(turn);
  history.forces = {Force{}};
  EXPECT_THAT(ProgressVerdict(history, rules), IsEmpty());
  history.server_holds.back().client = 1;
  EXPECT_THAT(PropertiesOf(ProgressVerdict(history, rules)), ElementsAre(Judged::kDeadlock))
      << "it had it";
  history.server_holds.back().client = -1;
  history.server_holds.back().end = ServerHoldEnd::kReleased;
  EXPECT_THAT(PropertiesOf(ProgressVerdict(history, rules)), ElementsAre(Judged::kDeadlock));
}

TEST(ProgressTest, AWaiterGrantedAfterTheBoundWasForgotten) {
  History history = ReleasedWhileWaiting();
  GrantToWaiter(history, Ms(501) + kBound + kSettling + Ms(2));
  EXPECT_THAT(PropertiesOf(ProgressVerdict(history)), ElementsAre(Judged::kDeadlock));
}

/// C3 dies in line at 300 ms, and is granted the lock at 500 ms with a lease that outlasts it.
History HandedToTheDead() {
  History history = ReleasedWhileWaiting();
  history.lease = 20 * kLease;
  Crash(history, 2, Ms(300));
  ServerHold hold = Owns(-1, Ms(500), Ms(500) + history.lease);
  hold.asked_by = 2;
  hold.made_by = 0;
  history.server_holds.push_back(hold);
  history.attempts.push_back(Asked(2, Ask::kWait, Ms(50)));
  return history;
}

std::vector<Violation> JudgeToTheLeasesEnd(History history, const ProgressRules& rules) {
  history.end = Ms(500) + history.lease + kBound;
  return ProgressVerdict(history, rules);
}

TEST(ProgressTest, AGrantToTheDeadMayBeInTheWayForSoLongOnly) {
  const auto violations = ProgressVerdict(HandedToTheDead(), kPassesOver);
  ASSERT_THAT(PropertiesOf(violations), ElementsAre(Judged::kCrashRecovery));
  EXPECT_EQ(violations[0].at, Ms(500) + Ms(700) + kBound + kSettling);
  EXPECT_EQ(violations[0].client, 1);
}

TEST(ProgressTest, AGrantToTheDeadCountsToItsEndWhereNobodyPassesOver) {
  EXPECT_THAT(JudgeToTheLeasesEnd(HandedToTheDead(), kRules), IsEmpty());
}

TEST(ProgressTest, AGrantThatAServerGaveToTheDeadIsOneOfADeadHolder) {
  History history = HandedToTheDead();
  history.deaths.front().last_served = Ms(500);
  EXPECT_THAT(JudgeToTheLeasesEnd(history, kPassesOver), IsEmpty());
}

TEST(ProgressTest, AGrantThatItsOwnCommandMadeIsOneOfADeadHolder) {
  History history = HandedToTheDead();
  history.server_holds.back().made_by = 2;
  EXPECT_THAT(JudgeToTheLeasesEnd(history, kPassesOver), IsEmpty());
}

TEST(ProgressTest, AGrantToOneWhoDiesWithItIsOneOfADeadHolder) {
  History history = HandedToTheDead();
  history.deaths.front().at = Ms(500);
  EXPECT_THAT(JudgeToTheLeasesEnd(history, kPassesOver), IsEmpty());
}

TEST(ProgressTest, ATryIsNoWaiter) {
  History history = ReleasedWhileWaiting();
  history.attempts[1].ask = Ask::kTry;
  EXPECT_THAT(ProgressVerdict(history), IsEmpty());
}

TEST(ProgressTest, ADeadWaiterIsOwedNothing) {
  History history = ReleasedWhileWaiting();
  Crash(history, 1, Ms(200));
  EXPECT_THAT(ProgressVerdict(history), IsEmpty());
}

TEST(ProgressTest, ARunThatEndsWithinTheBoundProvesNothing) {
  History history = ReleasedWhileWaiting();
  history.end = Ms(501) + kBound + kSettling;
  EXPECT_THAT(ProgressVerdict(history), IsEmpty());
}

// It still believes, but the server has nothing of it any more: it keeps nobody out.
TEST(ProgressTest, AWaiterBehindAHolderWhoOverstaysItsValidityMustBeServed) {
  History history = NewHistory();
  history.holds = {Believes(0, Ms(11), Ms(1000))};
  history.attempts = {Answered(Asked(0, Ask::kTry, Ms(9)), Ms(11), StatusCode::kOk),
                      Asked(1, Ask::kWait, Ms(100))};
  EXPECT_THAT(PropertiesOf(ProgressVerdict(history)), ElementsAre(Judged::kDeadlock));
}

TEST(ProgressTest, AWaiterBehindAHolderOfALockWithoutLeasesIsFine) {
  History history = NewHistory();
  history.holds = {Believes(0, Ms(11), kOpen)};
  history.attempts = {Answered(Asked(0, Ask::kTry, Ms(9)), Ms(11), StatusCode::kOk),
                      Asked(1, Ask::kWait, Ms(100))};
  EXPECT_THAT(ProgressVerdict(history), IsEmpty());
}

TEST(ProgressTest, ABoundedWaiterThatTimedOutWhileTheResourceWasFreeIsADeadlock) {
  History history = ReleasedWhileWaiting();
  history.attempts[1] =
      Answered(Asked(1, Ask::kWaitFor, Ms(100)), Ms(10'000), StatusCode::kTimeout);
  EXPECT_THAT(PropertiesOf(ProgressVerdict(history)), ElementsAre(Judged::kDeadlock));
}

TEST(ProgressTest, ABoundedWaiterThatTimedOutSoonAfterTheReleaseIsFine) {
  History history = ReleasedWhileWaiting();
  history.attempts[1] = Answered(Asked(1, Ask::kWaitFor, Ms(100)), Ms(900), StatusCode::kTimeout);
  EXPECT_THAT(ProgressVerdict(history), IsEmpty());
}

/// C1 is granted at 10 ms and dies at 200 ms; C2 waits. `deadline` is that of C1's entry.
History DeadHolder(VirtualTime deadline) {
  History history = NewHistory();
  history.server_holds = {Owns(0, Ms(10), deadline)};
  history.holds = {Believes(0, Ms(11), Ms(200))};
  history.attempts = {Answered(Asked(0, Ask::kTry, Ms(9)), Ms(11), StatusCode::kOk),
                      Asked(1, Ask::kWait, Ms(100))};
  Crash(history, 0, Ms(200));
  history.last_fault = Ms(200);
  return history;
}

TEST(ProgressTest, AWaiterForgottenAfterTheHoldersDeathIsCrashRecovery) {
  const auto violations = ProgressVerdict(DeadHolder(Ms(1010)));
  ASSERT_THAT(PropertiesOf(violations), ElementsAre(Judged::kCrashRecovery));
  EXPECT_EQ(violations[0].client, 1);
}

// A key without a TTL must not make the resource taken for ever: that is the very fault to be
// found.
TEST(ProgressTest, ADeadHoldersKeyWithoutDeadlineIsCrashRecovery) {
  EXPECT_THAT(PropertiesOf(ProgressVerdict(DeadHolder(kOpen))),
              ElementsAre(Judged::kCrashRecovery));
}

TEST(ProgressTest, AWaiterGrantedWhenTheDeadHoldersLeaseEndsIsFine) {
  History history = DeadHolder(Ms(1010));
  history.server_holds[0] = Ended(history.server_holds[0], ServerHoldEnd::kExpired, Ms(1010));
  GrantToWaiter(history, Ms(1015));
  EXPECT_THAT(ProgressVerdict(history), IsEmpty());
}

TEST(ProgressTest, AWaiterGrantedLongAfterTheDeadHoldersLeaseIsCrashRecovery) {
  History history = DeadHolder(Ms(1010));
  history.server_holds[0] = Ended(history.server_holds[0], ServerHoldEnd::kExpired, Ms(1010));
  GrantToWaiter(history, Ms(9000));
  EXPECT_THAT(PropertiesOf(ProgressVerdict(history)), ElementsAre(Judged::kCrashRecovery));
}

TEST(ProgressTest, TheBoundCountsFromTheLastFault) {
  History history = ReleasedWhileWaiting();
  history.last_fault = Ms(20'000);
  GrantToWaiter(history, Ms(20'000) + kBound + kSettling);
  EXPECT_THAT(ProgressVerdict(history), IsEmpty());
}

// A silent connection lasts until phase 2: until then nothing is owed, and after it everything.
TEST(ProgressTest, WhatNeedsHealingIsJudgedFromTheHealingOn) {
  History history = ReleasedWhileWaiting();
  history.needs_healing = true;
  history.healed = Ms(50'000);
  GrantToWaiter(history, Ms(50'010));
  EXPECT_THAT(ProgressVerdict(history), IsEmpty());
}

TEST(ProgressTest, AWaiterForgottenAfterTheHealingIsADeadlock) {
  History history = ReleasedWhileWaiting();
  history.needs_healing = true;
  history.healed = Ms(50'000);
  const auto violations = ProgressVerdict(history);
  ASSERT_THAT(PropertiesOf(violations), ElementsAre(Judged::kDeadlock));
  EXPECT_EQ(violations[0].at, Ms(50'000) + kBound + kSettling);
}

TEST(ProgressTest, ARunThatWasNeverHealedIsNotJudged) {
  History history = ReleasedWhileWaiting();
  history.needs_healing = true;
  EXPECT_THAT(ProgressVerdict(history), IsEmpty());
}

TEST(ProgressTest, ASecondPermitLeftFreeIsADeadlock) {
  History history = NewHistoryOfPermits(2);
  history.holds = {Believes(0, Ms(11), Ms(1000))};
  history.attempts = {Answered(Asked(0, Ask::kTry, Ms(9)), Ms(11), StatusCode::kOk),
                      Asked(1, Ask::kWait, Ms(100))};
  EXPECT_THAT(PropertiesOf(ProgressVerdict(history)), ElementsAre(Judged::kDeadlock));
}

// A free stretch in the middle of a wait is as bad as one at its end.
TEST(ProgressTest, AWaiterForgottenInTheMiddleOfItsWaitIsADeadlock) {
  History history = ReleasedWhileWaiting();
  history.holds.push_back(Released(Believes(2, Ms(6000), Ms(7000)), Ms(6100), Ms(6101)));
  GrantToWaiter(history, Ms(6102));
  const auto violations = ProgressVerdict(history);
  ASSERT_THAT(PropertiesOf(violations), ElementsAre(Judged::kDeadlock));
  EXPECT_EQ(violations[0].at, Ms(501) + kBound + kSettling);
}

/// C1 holds first; from 500 ms on C3 is granted again and again, each time 3 s after the last hold
/// of 1 s has ended, so nothing is ever free for longer than the wake-up bound and the settling.
/// C2 waits from 100 ms until `answered`.
History OthersAreGranted(int times, VirtualTime answered) {
  History history = NewHistory();
  history.holds = {Released(Believes(0, Ms(11), Ms(1000)), Ms(499), Ms(500))};
  history.attempts = {Answered(Asked(0, Ask::kTry, Ms(9)), Ms(11), StatusCode::kOk),
                      Asked(1, Ask::kWait, Ms(100))};
  for (int i = 0; i < times; ++i) {
    const VirtualTime from = Ms(3500) + i * Ms(4000);
    history.attempts.push_back(Answered(Asked(2, Ask::kWait, from - Ms(1)), from, StatusCode::kOk));
    history.holds.push_back(
        Released(Believes(2, from, from + kLease), from + Ms(999), from + Ms(1000)));
  }
  if (answered != kOpen) {
    history.attempts[1] = Answered(history.attempts[1], answered, StatusCode::kOk);
    history.holds.push_back(
        Released(Believes(1, answered, answered + kLease), answered + Ms(5), answered + Ms(6)));
    history.end = answered + Ms(100);
  }
  return history;
}

// 3500 ms + 6 x (1000 ms + 1000 ms) is the bound for the last of six.
TEST(ProgressTest, AWaiterThatGetsNothingWhileOthersAreGrantedStarves) {
  const auto violations = ProgressVerdict(OthersAreGranted(5, Ms(20'000)));
  ASSERT_THAT(PropertiesOf(violations), ElementsAre(Judged::kOrder));
  EXPECT_EQ(violations[0].client, 1);
  EXPECT_EQ(violations[0].at, Ms(100 + 3500 + 6 * 2000));
  EXPECT_THAT(violations[0].what, HasSubstr("5 other requests were granted; the bound is 15500"));
}

TEST(ProgressTest, AWaiterWithinTheComputedBoundDoesNotStarve) {
  EXPECT_THAT(ProgressVerdict(OthersAreGranted(2, Ms(100 + 9500))), IsEmpty());
  EXPECT_THAT(PropertiesOf(ProgressVerdict(OthersAreGranted(2, Ms(100 + 9501)))),
              ElementsAre(Judged::kOrder));
}

/// C1 has released at 500 ms, yet its entry is prolonged until `until`; C2 waits from 100 ms on.
History Prolonged(VirtualTime until) {
  History history = ReleasedWhileWaiting();
  history.server_holds[0] = Owns(0, Ms(10), until);
  history.server_holds[0].renewed = until - kLease;
  return history;
}

// 1000 ms for the lease, 2000 ms for its own turn and 2500 ms to come back: nobody else asks.
TEST(ProgressTest, AWaiterBehindWhatIsProlongedForEverIsALivelock) {
  const auto violations = ProgressVerdict(Prolonged(Ms(99'000)));
  ASSERT_THAT(PropertiesOf(violations), ElementsAre(Judged::kTermination));
  EXPECT_EQ(violations[0].at, Ms(100 + 5500));
  EXPECT_THAT(violations[0].what, HasSubstr("nobody was granted anything"));
}

TEST(ProgressTest, AWaiterBehindWhatIsProlongedWithinTheBoundIsFine) {
  History history = Prolonged(Ms(5599));
  GrantToWaiter(history, Ms(5600));
  EXPECT_THAT(ProgressVerdict(history), IsEmpty());
}

// Four codes could be meant; the one that says most comes first.
TEST(ProgressTest, AFreeResourceIsNamedBeforeStarvation) {
  History history = OthersAreGranted(5, kOpen);
  EXPECT_THAT(PropertiesOf(ProgressVerdict(history)), ElementsAre(Judged::kDeadlock));
  Crash(history, 2, Ms(20'200));  // inside its last hold
  history.holds.back().release_called = kOpen;
  history.holds.back().release_returned = kOpen;
  history.last_fault = Ms(20'200);
  EXPECT_THAT(PropertiesOf(ProgressVerdict(history)), ElementsAre(Judged::kCrashRecovery));
}

// What its user does inside is not the lock's affair.
TEST(ProgressTest, AHolderThatStaysForLongerThanItsProgramMayStarvesNobody) {
  History history = NewHistory();
  history.holds = {Released(Believes(0, Ms(11), Ms(50'000)), Ms(50'000), Ms(50'001))};
  history.attempts = {Answered(Asked(0, Ask::kTry, Ms(9)), Ms(11), StatusCode::kOk),
                      Asked(1, Ask::kWait, Ms(100))};
  GrantToWaiter(history, Ms(50'002));
  EXPECT_THAT(ProgressVerdict(history), IsEmpty());
}

}  // namespace
}  // namespace interlock::scenarios
