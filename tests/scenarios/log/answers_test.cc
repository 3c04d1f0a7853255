// SPDX-License-Identifier: MIT
//
// What clients are told of a release or an extension, compared with what the ledger has seen of it.
#include "scenarios/log/answers.h"

#include <chrono>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenarios/log/ledger.h"
#include "tests/scenarios/judge/histories.h"
#include "tests/scenarios/log/ledger_fixture.h"

namespace interlock::scenarios {
namespace {

using testing::Believes;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::Ms;
using testing::NewHistory;
using testing::PropertiesOf;
using testing::Released;

TEST_F(LedgerTest, ToldReleasedAfterItsOwnReleaseIsFine) {
  Grant(0, Ms(10), Ms(1010));
  Sync(0, Doing::kReleasing, Ms(300), {});
  JudgeReleased(Released(Believes(0, Ms(11), Ms(1000)), Ms(299), Ms(301)), Ms(301));
  EXPECT_THAT(violations_, IsEmpty());
}

TEST_F(LedgerTest, ToldReleasedAfterItsLeaseHadExpiredIsForeignRelease) {
  Grant(0, Ms(10), Ms(1010));
  JudgeReleased(Believes(0, Ms(11), Ms(1000)), Ms(1200));
  ASSERT_THAT(PropertiesOf(violations_), ElementsAre(Judged::kForeignRelease));
  EXPECT_THAT(violations_[0].what, HasSubstr("1010.000 ms"));
}

TEST_F(LedgerTest, ToldReleasedAfterAnotherRemovedItIsForeignRelease) {
  Grant(0, Ms(10), Ms(1010));
  Sync(1, Doing::kReleasing, Ms(500), {});
  violations_.clear();
  JudgeReleased(Believes(0, Ms(11), Ms(1000)), Ms(700));
  EXPECT_THAT(PropertiesOf(violations_), ElementsAre(Judged::kForeignRelease));
}

TEST_F(LedgerTest, AReleaseOfAnOwnershipThatWasNeverSeenIsNotJudged) {
  JudgeReleased(Believes(0, Ms(11), Ms(1000)), Ms(700));
  EXPECT_THAT(violations_, IsEmpty());
}

// Its request, sent twice, came late the second time: nobody's any more, and over by itself.
TEST_F(LedgerTest, ToldReleasedBeforeALateRequestTookEffectIsFine) {
  Grant(0, Ms(10), Ms(1010));
  Sync(0, Doing::kReleasing, Ms(300), {});
  Sync(0, Doing::kReleasing, Ms(400), {{"t0", Ms(1400)}});
  Sync(1, Doing::kNothing, Ms(1500), {});
  const ClientHold told = Released(Believes(0, Ms(11), Ms(1000)), Ms(299), Ms(1600));
  JudgeReleased(told, Ms(1600));
  EXPECT_THAT(violations_, IsEmpty());
  // A release that was called afterwards released nothing of that.
  const ClientHold again = Released(Believes(0, Ms(11), Ms(1000)), Ms(1550), Ms(1600));
  JudgeReleased(again, Ms(1600));
  EXPECT_THAT(PropertiesOf(violations_), ElementsAre(Judged::kForeignRelease));
}

TEST_F(LedgerTest, ToldExtendedAfterAHandOverAtThatInstantIsFine) {
  Sync(1, Doing::kAsking, Ms(500), {{"t0", Ms(1500)}});
  history_.server_holds.back().client = -1;  // nobody has shown it yet
  Sync(0, Doing::kExtending, Ms(500), {{"t0", Ms(1500)}});
  JudgeExtended(Believes(0, Ms(11), Ms(1000)), Ms(500), Ms(501));
  EXPECT_THAT(violations_, IsEmpty());
}

TEST_F(LedgerTest, ToldExtendedOfWhatTheExtensionHasMadeIsForeignExtend) {
  Sync(0, Doing::kExtending, Ms(500), {{"t0", Ms(1500)}});
  JudgeExtended(Believes(0, Ms(11), Ms(1000)), Ms(500), Ms(501));
  EXPECT_THAT(PropertiesOf(violations_), ElementsAre(Judged::kForeignExtend));
}

TEST_F(LedgerTest, ToldExtendedAfterItsOwnExtensionIsFine) {
  Grant(0, Ms(10), Ms(1010));
  Sync(0, Doing::kExtending, Ms(500), {{"t0", Ms(1500)}});
  JudgeExtended(Believes(0, Ms(11), Ms(1000)), Ms(499), Ms(501));
  EXPECT_THAT(violations_, IsEmpty());
}

TEST_F(LedgerTest, ToldExtendedAfterItsExtensionDroppedTheDeadlineIsFine) {
  Grant(0, Ms(10), Ms(1010));
  Sync(0, Doing::kExtending, Ms(500), {{"t0", kOpen}});
  JudgeExtended(Believes(0, Ms(11), Ms(1000)), Ms(499), Ms(501));
  EXPECT_THAT(violations_, IsEmpty());
}

TEST_F(LedgerTest, ToldExtendedAlthoughNothingWasProlongedIsForeignExtend) {
  Grant(0, Ms(10), Ms(1010));
  JudgeExtended(Believes(0, Ms(11), Ms(1000)), Ms(1200), Ms(1202));
  EXPECT_THAT(PropertiesOf(violations_), ElementsAre(Judged::kForeignExtend));
}

TEST_F(LedgerTest, ToldExtendedBecauseOfAnEarlierExtensionIsForeignExtend) {
  Grant(0, Ms(10), Ms(1010));
  Sync(0, Doing::kExtending, Ms(500), {{"t0", Ms(1500)}});
  JudgeExtended(Believes(0, Ms(11), Ms(1000)), Ms(1600), Ms(1602));
  EXPECT_THAT(PropertiesOf(violations_), ElementsAre(Judged::kForeignExtend));
}

// Redis keeps deadlines in whole milliseconds: an extension in the same millisecond as the grant
// leaves the deadline where it was, and is an extension all the same.
TEST_F(LedgerTest, ToldExtendedWithinTheMillisecondOfTheGrantIsFine) {
  Grant(0, Ms(10), Ms(1011));
  const VirtualTime called = Ms(10) + std::chrono::microseconds(200);
  Sync(0, Doing::kExtending, called + std::chrono::microseconds(50), {{"t0", Ms(1011)}});
  JudgeExtended(Believes(0, Ms(10), Ms(1000)), called, called + std::chrono::microseconds(100));
  EXPECT_THAT(violations_, IsEmpty());
}

TEST(FindServerHoldTest, GivesTheLatestEntryOfClientAndToken) {
  History history = NewHistory();
  history.server_holds = {testing::Owns(0, Ms(1), Ms(2)), testing::Owns(1, Ms(3), Ms(4)),
                          testing::Owns(0, Ms(5), Ms(6))};
  const ServerHold* hold = FindServerHold(history, 0, "t0");
  ASSERT_NE(hold, nullptr);
  EXPECT_EQ(hold->granted, Ms(5));
  EXPECT_EQ(FindServerHold(history, 0, "t1"), nullptr);
}

}  // namespace
}  // namespace interlock::scenarios
