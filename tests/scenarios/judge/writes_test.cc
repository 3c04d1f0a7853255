// SPDX-License-Identifier: MIT
//
// Fenced writes (LK004), judged on hand-written histories.
#include "scenarios/judge/writes.h"

#include <cstddef>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenarios/judge/exercised.h"
#include "tests/scenarios/judge/histories.h"

namespace interlock::scenarios {
namespace {

using testing::Believes;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::Ms;
using testing::NewHistory;
using testing::Owns;
using testing::PropertiesOf;

constexpr std::size_t kFirstWriter = 0;
constexpr std::size_t kSecondWriter = 1;

Access Reads(std::size_t hold, VirtualTime when) { return {hold, false, when, when, true}; }
Access Writes(std::size_t hold, VirtualTime sent, VirtualTime arrived) {
  return {hold, true, sent, arrived, true};
}
Access Refused(Access access) {
  access.accepted = false;
  return access;
}

/// C1 and C2 are granted one after the other.
History TwoGrants(std::vector<Access> accesses) {
  History history = NewHistory();
  history.server_holds = {Owns(0, Ms(10), Ms(1010)), Owns(1, Ms(2000), Ms(3000))};
  history.holds = {Believes(0, Ms(11), Ms(1000)), Believes(1, Ms(2001), Ms(2990))};
  history.holds[0].asked = Ms(9);
  history.holds[1].asked = Ms(1999);
  history.accesses = std::move(accesses);
  return history;
}

std::vector<Violation> WriteVerdict(const History& history) {
  std::vector<Violation> violations;
  JudgeWrites(history, true, violations);
  return violations;
}

TEST(WritesTest, AccessesInTheOrderOfTheGrantsAreFine) {
  EXPECT_THAT(WriteVerdict(TwoGrants(
                  {Reads(kFirstWriter, Ms(20)), Writes(kFirstWriter, Ms(500), Ms(501)),
                   Reads(kSecondWriter, Ms(2002)), Writes(kSecondWriter, Ms(2500), Ms(2501))})),
              IsEmpty());
}

TEST(WritesTest, AStaleWriteThatIsAcceptedIsConvicted) {
  const auto violations = WriteVerdict(TwoGrants(
      {Reads(kFirstWriter, Ms(20)), Reads(kSecondWriter, Ms(2002)),
       Writes(kSecondWriter, Ms(2500), Ms(2501)), Writes(kFirstWriter, Ms(500), Ms(90'000))}));
  ASSERT_THAT(PropertiesOf(violations), ElementsAre(Judged::kFencedWrites));
  EXPECT_EQ(violations[0].at, Ms(90'000));
  EXPECT_EQ(violations[0].client, 0);
  EXPECT_THAT(violations[0].what, HasSubstr("after it had accepted C2 at 2501.000 ms"));
}

TEST(WritesTest, AStaleWriteThatIsRefusedIsFine) {
  EXPECT_THAT(WriteVerdict(TwoGrants({Reads(kFirstWriter, Ms(20)), Reads(kSecondWriter, Ms(2002)),
                                      Refused(Writes(kFirstWriter, Ms(500), Ms(90'000)))})),
              IsEmpty());
}

// The later holder has only read, and its write will rest on what the stale one wipes out.
TEST(WritesTest, AStaleWriteAfterALaterReadIsConvicted) {
  EXPECT_THAT(PropertiesOf(WriteVerdict(
                  TwoGrants({Reads(kFirstWriter, Ms(20)), Reads(kSecondWriter, Ms(2002)),
                             Writes(kFirstWriter, Ms(500), Ms(2003))}))),
              ElementsAre(Judged::kFencedWrites));
}

TEST(WritesTest, AStaleReadIsConvictedToo) {
  EXPECT_THAT(PropertiesOf(WriteVerdict(
                  TwoGrants({Reads(kSecondWriter, Ms(2002)), Reads(kFirstWriter, Ms(2003))}))),
              ElementsAre(Judged::kFencedWrites));
}

// What nobody was let in with decides nothing.
TEST(WritesTest, ARefusedAccessOfALaterGrantMakesNobodyStale) {
  EXPECT_THAT(WriteVerdict(TwoGrants(
                  {Refused(Reads(kSecondWriter, Ms(2002))), Reads(kFirstWriter, Ms(2003))})),
              IsEmpty());
}

// C1 learned of its grant after C2: the order is the server's.
TEST(WritesTest, TheOrderIsThatOfTheServer) {
  History history = TwoGrants({Reads(kSecondWriter, Ms(2002)), Reads(kFirstWriter, Ms(2600))});
  history.holds[0].belief = {{Ms(2500), Ms(2700)}};
  EXPECT_THAT(PropertiesOf(WriteVerdict(history)), ElementsAre(Judged::kFencedWrites));
}

/// C2, with a fencing token, is refused at that time.
History SecondIsRefused(VirtualTime at) {
  History history =
      TwoGrants({Reads(kFirstWriter, Ms(20)), Refused(Writes(kSecondWriter, at, at))});
  history.holds[1].fencing_token = 7;
  return history;
}

TEST(WritesTest, ARefusedWriteOfTheHolderIsConvicted) {
  const auto violations = WriteVerdict(SecondIsRefused(Ms(2500)));
  ASSERT_THAT(PropertiesOf(violations), ElementsAre(Judged::kFencedWrites));
  EXPECT_EQ(violations[0].client, 1);
  EXPECT_THAT(violations[0].what, HasSubstr("fencing token 7, though it held the lock"));
}

TEST(WritesTest, WhoIsRefusedLateOrWithoutATokenHasNothingToSay) {
  EXPECT_THAT(WriteVerdict(SecondIsRefused(Ms(2990))), IsEmpty()) << "its belief is over";
  History history = SecondIsRefused(Ms(2500));
  history.holds[1].fencing_token.reset();
  EXPECT_THAT(WriteVerdict(history), IsEmpty());
  history = SecondIsRefused(Ms(2500));
  history.server_holds[1] =
      testing::Ended(history.server_holds[1], ServerHoldEnd::kReleased, Ms(2400));
  EXPECT_THAT(WriteVerdict(history), IsEmpty()) << "it has given back";
}

TEST(WritesTest, WhatServersForgotOrAnotherGuardRefusesIsNotJudged) {
  History history = SecondIsRefused(Ms(2500));
  std::vector<Violation> violations;
  JudgeWrites(history, false, violations);
  EXPECT_THAT(violations, IsEmpty());
  history.server_changed = true;
  EXPECT_THAT(WriteVerdict(history), IsEmpty());
}

TEST(WritesTest, OnlyTwoGrantsPutTheOrderToTheTest) {
  const auto exercised = [](const History& history) {
    return Exercised(history, {}, GoalSet())[Judged::kFencedWrites];
  };
  EXPECT_FALSE(exercised(TwoGrants({})));
  EXPECT_FALSE(
      exercised(TwoGrants({Reads(kFirstWriter, Ms(20)), Writes(kFirstWriter, Ms(500), Ms(501))})));
  EXPECT_TRUE(exercised(TwoGrants({Reads(kFirstWriter, Ms(20)), Reads(kSecondWriter, Ms(2002))})));
}

}  // namespace
}  // namespace interlock::scenarios
