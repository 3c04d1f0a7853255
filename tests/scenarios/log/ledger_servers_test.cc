// SPDX-License-Identifier: MIT
//
// What the ledger makes of servers that lose data, take over from each other, or have clocks of
// their own: promises outlive all of that.
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenarios/log/ledger.h"
#include "tests/scenarios/judge/histories.h"
#include "tests/scenarios/log/ledger_fixture.h"

namespace interlock::scenarios {
namespace {

using testing::Believes;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::Ms;
using testing::PropertiesOf;

class ServersTest : public LedgerTest {
 protected:
  void Rebase(VirtualTime now, int node, const std::vector<SeenOwner>& owners,
              bool clock_only = false) {
    Ledger::Rebase(now, LookAt(now, owners, node), clock_only, history_);
  }
};

TEST_F(ServersTest, APromiseOutlivesTheDataThatItsServerLost) {
  Grant(0, Ms(10), Ms(1010));
  Rebase(Ms(100), 0, {});
  EXPECT_EQ(history_.server_holds[0].end, ServerHoldEnd::kLost);
  EXPECT_THAT(violations_, IsEmpty());
  Grant(1, Ms(200), Ms(1200));
  EXPECT_THAT(PropertiesOf(violations_), ElementsAre(Judged::kServerExclusion));
}

TEST_F(ServersTest, WhatTheDataStillHoldsGoesOnAndIsReleasedAsEver) {
  Grant(0, Ms(10), Ms(1010));
  Rebase(Ms(100), 0, {{"t0", Ms(1010)}});
  Sync(0, Doing::kReleasing, Ms(200), {});
  Grant(1, Ms(300), Ms(1300));
  EXPECT_EQ(history_.server_holds.size(), 2U);
  EXPECT_THAT(violations_, IsEmpty());
}

TEST_F(ServersTest, AnEntryThatComesBackPromisesNothingAndConvictsNobody) {
  Grant(0, Ms(10), Ms(1010));
  Sync(0, Doing::kReleasing, Ms(100), {});
  Rebase(Ms(200), 0, {{"t0", Ms(1010)}});
  ASSERT_EQ(history_.server_holds.size(), 2U);
  EXPECT_TRUE(history_.server_holds[1].copied);
  Sync(1, Doing::kAsking, Ms(300), {{"t1", Ms(1300)}});
  Sync(1, Doing::kReleasing, Ms(400), {});
  EXPECT_THAT(violations_, IsEmpty());
}

TEST_F(ServersTest, APromiseOfTheOldPrimaryHoldsAgainstTheNewOne) {
  Grant(0, Ms(10), Ms(1010));
  Ledger::Lose(Ms(100), 0, history_);
  Rebase(Ms(100), 1, {});
  SyncAt(1, 1, Doing::kAsking, Ms(200), {{"t1", Ms(1200)}});
  EXPECT_THAT(PropertiesOf(violations_), ElementsAre(Judged::kServerExclusion));
}

TEST_F(ServersTest, AnEntryOnTwoServersIsOnePromiseAndOneReleaseEndsIt) {
  Grant(0, Ms(10), Ms(1010));
  Rebase(Ms(100), 1, {{"t0", Ms(1010)}});  // A replica is promoted; both serve.
  Sync(0, Doing::kReleasing, Ms(200), {});
  JudgeReleased(Believes(0, Ms(11), Ms(1000)), Ms(201));
  SyncAt(1, 1, Doing::kAsking, Ms(300), {{"t1", Ms(1300)}});
  EXPECT_THAT(violations_, IsEmpty());
}

TEST_F(ServersTest, AnotherOneWhoRemovesTheCopyStillReleasesWhatIsNotItsOwn) {
  Grant(0, Ms(10), Ms(1010));
  Ledger::Lose(Ms(100), 0, history_);
  Rebase(Ms(100), 1, {{"t0", Ms(1010)}});
  SyncAt(1, 1, Doing::kReleasing, Ms(200), {});
  EXPECT_THAT(PropertiesOf(violations_), ElementsAre(Judged::kForeignRelease));
}

TEST_F(ServersTest, ToldReleasedOfWhatTheServerForgotIsFineUntilThePromiseEnds) {
  Grant(0, Ms(10), Ms(1010));
  Rebase(Ms(100), 0, {});
  JudgeReleased(Believes(0, Ms(11), Ms(1000)), Ms(1009));
  EXPECT_THAT(violations_, IsEmpty());
  JudgeReleased(Believes(0, Ms(11), Ms(1000)), Ms(1011));
  EXPECT_THAT(PropertiesOf(violations_), ElementsAre(Judged::kForeignRelease));
}

TEST_F(ServersTest, AnExtensionThatNeedNotProlongAfterAStepBackIsAFullLease) {
  Grant(0, Ms(10), Ms(1010));
  const Ledger::Look back{0, -400, {{"t0", Ms(1510), 1010}}};  // 500 ms behind.
  Ledger::Rebase(Ms(100), back, true, history_);
  const ClientHold hold = Believes(0, Ms(11), Ms(1000));
  JudgeExtended(hold, Ms(500), 10, Ms(501));
  // With its last ms that is a whole lease, too.
  JudgeExtended(hold, Ms(500), 11, Ms(501));
  EXPECT_THAT(violations_, IsEmpty());
  JudgeExtended(hold, Ms(500), 12, Ms(501));
  EXPECT_THAT(PropertiesOf(violations_), ElementsAre(Judged::kForeignExtend));
}

TEST_F(ServersTest, AClockThatJumpsMovesThePromiseAndNoClientHasChangedIt) {
  Grant(0, Ms(10), Ms(1010));
  Ledger::Look look{0, 600, {{"t0", Ms(510), 1010}}};  // 500 ms ahead.
  Ledger::Rebase(Ms(100), look, true, history_);
  look.now_ms = 700;
  SyncWith(ledger_, 1, Doing::kAsking, Ms(200), look);
  EXPECT_THAT(violations_, IsEmpty());
  EXPECT_EQ(history_.server_holds[0].promised_until, Ms(510));
  Grant(1, Ms(510), Ms(1510));
  EXPECT_THAT(violations_, IsEmpty());
}

TEST_F(ServersTest, APromiseThatTheClockHasJumpedOverIsKept) {
  Grant(0, Ms(10), Ms(1010));
  Rebase(Ms(100), 0, {}, true);
  EXPECT_EQ(history_.server_holds[0].end, ServerHoldEnd::kExpired);
  Grant(1, Ms(101), Ms(1101));
  EXPECT_THAT(violations_, IsEmpty());
}

TEST_F(ServersTest, AnExtensionIsAFullLeaseByTheServersOwnClock) {
  Grant(0, Ms(10), Ms(1010));
  // The clock runs twice as fast from here on: a lease lasts half as long.
  const Ledger::Look fast{0, 500, {{"t0", Ms(1000), 1500}}};
  SyncWith(ledger_, 0, Doing::kExtending, Ms(500), fast);
  JudgeExtended(Believes(0, Ms(11), Ms(1000)), Ms(499), Ms(501));
  EXPECT_THAT(violations_, IsEmpty());
}

}  // namespace
}  // namespace interlock::scenarios
