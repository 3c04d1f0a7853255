// SPDX-License-Identifier: MIT
//
// Deadlock freedom, judged on hand-written histories. The lease is 1000 ms, the wake-up bound 1000
// ms, so a waiter is forgotten once the resource has been free for longer than 1000 ms + kSettling.
#include "scenarios/oracles/progress.h"

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
using testing::Ended;
using ::testing::IsEmpty;
using testing::kLease;
using testing::Ms;
using testing::NewHistory;
using testing::NewHistoryOfPermits;
using testing::Owns;
using testing::PropertiesOf;
using testing::Released;

constexpr Duration kBound = std::chrono::milliseconds(1000);

std::vector<Violation> Judge(const History& history) {
  std::vector<Violation> violations;
  JudgeProgress(history, kBound, violations);
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
  const auto violations = Judge(ReleasedWhileWaiting());
  ASSERT_THAT(PropertiesOf(violations), ElementsAre(Judged::kDeadlock));
  EXPECT_EQ(violations[0].client, 1);
  EXPECT_EQ(violations[0].at, Ms(501) + kBound + kSettling);
}

TEST(ProgressTest, AWaiterGrantedInTimeIsFine) {
  History history = ReleasedWhileWaiting();
  GrantToWaiter(history, Ms(502));
  EXPECT_THAT(Judge(history), IsEmpty());
}

TEST(ProgressTest, AWaiterGrantedAtTheBoundIsFine) {
  History history = ReleasedWhileWaiting();
  GrantToWaiter(history, Ms(501) + kBound + kSettling);
  EXPECT_THAT(Judge(history), IsEmpty());
}

TEST(ProgressTest, AWaiterGrantedAfterTheBoundWasForgotten) {
  History history = ReleasedWhileWaiting();
  GrantToWaiter(history, Ms(501) + kBound + kSettling + Ms(2));
  EXPECT_THAT(PropertiesOf(Judge(history)), ElementsAre(Judged::kDeadlock));
}

TEST(ProgressTest, ATryIsNoWaiter) {
  History history = ReleasedWhileWaiting();
  history.attempts[1].ask = Ask::kTry;
  EXPECT_THAT(Judge(history), IsEmpty());
}

TEST(ProgressTest, ADeadWaiterIsOwedNothing) {
  History history = ReleasedWhileWaiting();
  Crash(history, 1, Ms(200));
  EXPECT_THAT(Judge(history), IsEmpty());
}

TEST(ProgressTest, ARunThatEndsWithinTheBoundProvesNothing) {
  History history = ReleasedWhileWaiting();
  history.end = Ms(501) + kBound + kSettling;
  EXPECT_THAT(Judge(history), IsEmpty());
}

// It still believes, but the server has nothing of it any more: it keeps nobody out.
TEST(ProgressTest, AWaiterBehindAHolderWhoOverstaysItsValidityMustBeServed) {
  History history = NewHistory();
  history.holds = {Believes(0, Ms(11), Ms(1000))};
  history.attempts = {Answered(Asked(0, Ask::kTry, Ms(9)), Ms(11), StatusCode::kOk),
                      Asked(1, Ask::kWait, Ms(100))};
  EXPECT_THAT(PropertiesOf(Judge(history)), ElementsAre(Judged::kDeadlock));
}

TEST(ProgressTest, AWaiterBehindAHolderOfALockWithoutLeasesIsFine) {
  History history = NewHistory();
  history.holds = {Believes(0, Ms(11), kOpen)};
  history.attempts = {Answered(Asked(0, Ask::kTry, Ms(9)), Ms(11), StatusCode::kOk),
                      Asked(1, Ask::kWait, Ms(100))};
  EXPECT_THAT(Judge(history), IsEmpty());
}

TEST(ProgressTest, ABoundedWaiterThatTimedOutWhileTheResourceWasFreeIsADeadlock) {
  History history = ReleasedWhileWaiting();
  history.attempts[1] =
      Answered(Asked(1, Ask::kWaitFor, Ms(100)), Ms(10'000), StatusCode::kTimeout);
  EXPECT_THAT(PropertiesOf(Judge(history)), ElementsAre(Judged::kDeadlock));
}

TEST(ProgressTest, ABoundedWaiterThatTimedOutSoonAfterTheReleaseIsFine) {
  History history = ReleasedWhileWaiting();
  history.attempts[1] = Answered(Asked(1, Ask::kWaitFor, Ms(100)), Ms(900), StatusCode::kTimeout);
  EXPECT_THAT(Judge(history), IsEmpty());
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
  const auto violations = Judge(DeadHolder(Ms(1010)));
  ASSERT_THAT(PropertiesOf(violations), ElementsAre(Judged::kCrashRecovery));
  EXPECT_EQ(violations[0].client, 1);
}

// A key without a TTL must not make the resource taken for ever: that is the very fault to be
// found.
TEST(ProgressTest, ADeadHoldersKeyWithoutDeadlineIsCrashRecovery) {
  EXPECT_THAT(PropertiesOf(Judge(DeadHolder(kOpen))), ElementsAre(Judged::kCrashRecovery));
}

TEST(ProgressTest, AWaiterGrantedWhenTheDeadHoldersLeaseEndsIsFine) {
  History history = DeadHolder(Ms(1010));
  history.server_holds[0] = Ended(history.server_holds[0], ServerHoldEnd::kExpired, Ms(1010));
  GrantToWaiter(history, Ms(1015));
  EXPECT_THAT(Judge(history), IsEmpty());
}

TEST(ProgressTest, AWaiterGrantedLongAfterTheDeadHoldersLeaseIsCrashRecovery) {
  History history = DeadHolder(Ms(1010));
  history.server_holds[0] = Ended(history.server_holds[0], ServerHoldEnd::kExpired, Ms(1010));
  GrantToWaiter(history, Ms(9000));
  EXPECT_THAT(PropertiesOf(Judge(history)), ElementsAre(Judged::kCrashRecovery));
}

TEST(ProgressTest, TheBoundCountsFromTheLastFault) {
  History history = ReleasedWhileWaiting();
  history.last_fault = Ms(20'000);
  GrantToWaiter(history, Ms(20'000) + kBound + kSettling);
  EXPECT_THAT(Judge(history), IsEmpty());
}

// A silent connection lasts until phase 2: until then nothing is owed, and after it everything.
TEST(ProgressTest, WhatNeedsHealingIsJudgedFromTheHealingOn) {
  History history = ReleasedWhileWaiting();
  history.needs_healing = true;
  history.healed = Ms(50'000);
  GrantToWaiter(history, Ms(50'010));
  EXPECT_THAT(Judge(history), IsEmpty());
}

TEST(ProgressTest, AWaiterForgottenAfterTheHealingIsADeadlock) {
  History history = ReleasedWhileWaiting();
  history.needs_healing = true;
  history.healed = Ms(50'000);
  const auto violations = Judge(history);
  ASSERT_THAT(PropertiesOf(violations), ElementsAre(Judged::kDeadlock));
  EXPECT_EQ(violations[0].at, Ms(50'000) + kBound + kSettling);
}

TEST(ProgressTest, ARunThatWasNeverHealedIsNotJudged) {
  History history = ReleasedWhileWaiting();
  history.needs_healing = true;
  EXPECT_THAT(Judge(history), IsEmpty());
}

TEST(ProgressTest, ASecondPermitLeftFreeIsADeadlock) {
  History history = NewHistoryOfPermits(2);
  history.holds = {Believes(0, Ms(11), Ms(1000))};
  history.attempts = {Answered(Asked(0, Ask::kTry, Ms(9)), Ms(11), StatusCode::kOk),
                      Asked(1, Ask::kWait, Ms(100))};
  EXPECT_THAT(PropertiesOf(Judge(history)), ElementsAre(Judged::kDeadlock));
}

}  // namespace
}  // namespace interlock::scenarios
