// SPDX-License-Identifier: MIT
//
// False validity (LK014), judged on hand-written histories.
#include "scenarios/judge/validity.h"

#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/scenarios/judge/histories.h"

namespace interlock::scenarios {
namespace {

using testing::Believes;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::kLease;
using testing::Ms;
using testing::NewHistory;
using testing::PropertiesOf;

std::vector<Violation> ValidityVerdict(const History& history) {
  std::vector<Violation> violations;
  JudgeFalseValidity(history, violations);
  return violations;
}

/// C1 is told "granted" `elapsed` after its request went out at 10 ms.
History ToldAfter(Duration elapsed) {
  History history = NewHistory();
  history.holds = {Believes(0, Ms(10) + elapsed, Ms(10) + elapsed)};
  history.holds[0].sent = Ms(10);
  history.holds[0].elapsed = elapsed;
  return history;
}

TEST(ValidityTest, AGrantWithSomethingLeftIsFine) {
  EXPECT_THAT(ValidityVerdict(ToldAfter(kLease - Duration(1))), IsEmpty());
}

TEST(ValidityTest, AGrantOfWhichNothingIsLeftIsConvicted) {
  const auto violations = ValidityVerdict(ToldAfter(kLease));
  ASSERT_THAT(PropertiesOf(violations), ElementsAre(Judged::kFalseValidity));
  EXPECT_EQ(violations[0].at, Ms(1010));
  EXPECT_THAT(violations[0].what, HasSubstr("1000.000 ms before"));
}

// Its own clock has jumped, and it has asked the server for how long it still has it.
TEST(ValidityTest, AGrantThatTheServerPromisesForAsLongAsItIsBelievedInIsFine) {
  History history = ToldAfter(kLease);
  history.holds[0].belief = {{Ms(110), Ms(500)}};
  history.server_holds = {testing::Owns(0, Ms(11), Ms(1011))};
  EXPECT_THAT(ValidityVerdict(history), IsEmpty());
  history.holds[0].belief = {{Ms(110), Ms(1100)}};
  EXPECT_THAT(PropertiesOf(ValidityVerdict(history)), ElementsAre(Judged::kFalseValidity));
}

TEST(ValidityTest, TheDriftAllowanceIsTakenOff) {
  History history = ToldAfter(Ms(990));
  EXPECT_THAT(ValidityVerdict(history), IsEmpty());
  history.drift_allowance = Ms(10);
  EXPECT_THAT(PropertiesOf(ValidityVerdict(history)), ElementsAre(Judged::kFalseValidity));
}

TEST(ValidityTest, AGrantThatTheServerNeverMadeIsConvicted) {
  History history = ToldAfter(Ms(2));
  history.holds[0].sent = kOpen;
  EXPECT_THAT(PropertiesOf(ValidityVerdict(history)), ElementsAre(Judged::kFalseValidity));
}

TEST(ValidityTest, AGrantThatNobodyCouldSeeIsNotJudged) {
  History history = ToldAfter(Ms(2));
  history.holds[0].sent = kOpen;
  history.ownership_seen = false;
  EXPECT_THAT(ValidityVerdict(history), IsEmpty());
}

TEST(ValidityTest, ALockKnowsOfTheEndOfAValidityALittleLater) {
  EXPECT_FALSE(CameLate({.until = kOpen, .at = Ms(5000)}));
  EXPECT_FALSE(CameLate({.until = Ms(1000), .at = Ms(999)}));
  EXPECT_FALSE(CameLate({.until = Ms(1000), .at = Ms(1000) + kNotice}));
  EXPECT_TRUE(CameLate({.until = Ms(1000), .at = Ms(1000) + kNotice + Duration(1)}));
}

TEST(ValidityTest, ALockKnowsAtOnceOfALossThatItHasToldOf) {
  EXPECT_FALSE(CameLate({.until = Ms(1000), .announced = true, .at = Ms(1000) - Duration(1)}));
  EXPECT_TRUE(CameLate({.until = Ms(1000), .announced = true, .at = Ms(1000)}));
}

TEST(ValidityTest, WhoeverIsToldValidTooLateIsNamedWithBothInstants) {
  History history = NewHistory();
  history.questions = {{.until = Ms(1000), .at = Ms(1200), .told_lost = false},
                       {.until = Ms(1000), .at = Ms(1300), .told_lost = true}};
  const std::vector<Violation> violations = ValidityVerdict(history);
  ASSERT_THAT(PropertiesOf(violations), ElementsAre(Judged::kFalseValidity));
  EXPECT_THAT(violations[0].what, HasSubstr("had ended at 1000.000 ms"));
}

TEST(ValidityTest, WhoeverIsNotToldOfALossInTimeIsNamedWithBothInstants) {
  History history = NewHistory();
  history.questions = {{.until = Ms(1000), .at = Ms(1200), .asked = false, .told_lost = false}};
  const std::vector<Violation> violations = ValidityVerdict(history);
  ASSERT_THAT(PropertiesOf(violations), ElementsAre(Judged::kFalseValidity));
  EXPECT_THAT(violations[0].what, HasSubstr("not been told at 1200.000 ms"));
}

std::vector<Violation> JudgeCalls(std::vector<LossCall> calls) {
  History history = NewHistory();
  history.holds = {Believes(0, Ms(0), Ms(990))};
  history.holds[0].loss_calls = std::move(calls);
  history.ownership_seen = false;
  return ValidityVerdict(history);
}

TEST(LossCallTest, OneCallOfALossIsFine) {
  EXPECT_THAT(JudgeCalls({}), IsEmpty());
  EXPECT_THAT(JudgeCalls({{Ms(990)}}), IsEmpty());
}

TEST(LossCallTest, ASecondCallIsConvicted) {
  const auto violations = JudgeCalls({{Ms(990)}, {Ms(991)}});
  ASSERT_THAT(PropertiesOf(violations), ElementsAre(Judged::kFalseValidity));
  EXPECT_EQ(violations[0].at, Ms(991));
  EXPECT_THAT(violations[0].what, HasSubstr("had been called already"));
}

TEST(LossCallTest, ACallWithoutALossIsConvicted) {
  const auto violations = JudgeCalls({{Ms(500), false, false}});
  ASSERT_THAT(PropertiesOf(violations), ElementsAre(Judged::kFalseValidity));
  EXPECT_THAT(violations[0].what, HasSubstr("its lease is lost, and it was not"));
}

TEST(LossCallTest, ACallBehindTheReleaseIsConvicted) {
  const auto violations = JudgeCalls({{Ms(990), true, true}});
  ASSERT_THAT(PropertiesOf(violations), ElementsAre(Judged::kFalseValidity));
  EXPECT_THAT(violations[0].what, HasSubstr("and it had given it back"));
}

}  // namespace
}  // namespace interlock::scenarios
