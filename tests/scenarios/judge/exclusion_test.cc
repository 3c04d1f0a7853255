// SPDX-License-Identifier: MIT
//
// The sweep over beliefs and sections: what overlaps, from which instant, and what does not.
#include "scenarios/judge/exclusion.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/scenarios/judge/histories.h"

namespace interlock::scenarios {
namespace {

using testing::Believes;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::Inside;
using ::testing::IsEmpty;
using testing::Ms;
using testing::NewHistory;
using testing::NewHistoryOfPermits;
using testing::PropertiesOf;

std::vector<Violation> ExclusionOf(const History& history, const harness::Kind& kind = {}) {
  std::vector<Violation> violations;
  JudgeExclusion(history, kind, violations);
  return violations;
}

TEST(ExclusionTest, NothingIsSaidOfAnEmptyHistory) {
  EXPECT_THAT(ExclusionOf(NewHistory()), IsEmpty());
}

TEST(ExclusionTest, OverlappingBeliefsAreBeliefExclusion) {
  History history = NewHistory();
  history.holds = {Believes(0, Ms(0), Ms(100)), Believes(1, Ms(99), Ms(200))};
  const auto violations = ExclusionOf(history);
  ASSERT_THAT(PropertiesOf(violations), ElementsAre(Judged::kBeliefExclusion));
  EXPECT_EQ(violations[0].at, Ms(99));
  EXPECT_EQ(violations[0].client, 1);
  EXPECT_THAT(violations[0].what, HasSubstr("99.000 ms until 100.000 ms"));
}

// Half open: what ends at the instant at which the next begins has not overlapped it.
TEST(ExclusionTest, TouchingBeliefsAreFine) {
  History history = NewHistory();
  history.holds = {Believes(0, Ms(0), Ms(100)), Believes(1, Ms(100), Ms(200))};
  EXPECT_THAT(ExclusionOf(history), IsEmpty());
}

TEST(ExclusionTest, TouchingBeliefsAreFineInEitherOrderOfTheHistory) {
  History history = NewHistory();
  history.holds = {Believes(1, Ms(100), Ms(200)), Believes(0, Ms(0), Ms(100))};
  EXPECT_THAT(ExclusionOf(history), IsEmpty());
}

TEST(ExclusionTest, AnEmptyBeliefOverlapsNothing) {
  History history = NewHistory();
  history.holds = {Believes(0, Ms(0), Ms(100)), Believes(1, Ms(50), Ms(50))};
  EXPECT_THAT(ExclusionOf(history), IsEmpty());
}

TEST(ExclusionTest, AnOpenBeliefOverlapsEveryLaterOne) {
  History history = NewHistory();
  history.holds = {Believes(0, Ms(0), kOpen), Believes(1, Ms(50'000), Ms(50'001))};
  EXPECT_THAT(PropertiesOf(ExclusionOf(history)), ElementsAre(Judged::kBeliefExclusion));
}

TEST(ExclusionTest, EqualBeliefsOverlap) {
  History history = NewHistory();
  history.holds = {Believes(0, Ms(10), Ms(20)), Believes(1, Ms(10), Ms(20))};
  EXPECT_THAT(PropertiesOf(ExclusionOf(history)), ElementsAre(Judged::kBeliefExclusion));
}

TEST(ExclusionTest, TheSecondBeliefAfterALateExtensionCounts) {
  History history = NewHistory();
  ClientHold twice = Believes(0, Ms(0), Ms(100));
  twice.belief.push_back({Ms(300), Ms(400)});
  history.holds = {twice, Believes(1, Ms(150), Ms(250))};
  EXPECT_THAT(ExclusionOf(history), IsEmpty());
  history.holds[1].belief[0].to = Ms(301);
  EXPECT_THAT(PropertiesOf(ExclusionOf(history)), ElementsAre(Judged::kBeliefExclusion));
}

TEST(ExclusionTest, OverlappingSectionsAreSectionExclusion) {
  History history = NewHistory();
  history.holds = {Inside(Believes(0, Ms(0), Ms(100)), Ms(1), Ms(151)),
                   Inside(Believes(1, Ms(150), Ms(300)), Ms(150), Ms(200))};
  const auto violations = ExclusionOf(history);
  ASSERT_THAT(PropertiesOf(violations), ElementsAre(Judged::kSectionExclusion));
  EXPECT_EQ(violations[0].at, Ms(150));
}

TEST(ExclusionTest, TouchingSectionsAreFine) {
  History history = NewHistory();
  history.holds = {Inside(Believes(0, Ms(0), Ms(100)), Ms(1), Ms(150)),
                   Inside(Believes(1, Ms(150), Ms(300)), Ms(150), Ms(200))};
  EXPECT_THAT(ExclusionOf(history), IsEmpty());
}

TEST(ExclusionTest, AHoldThatNeverEnteredHasNoSection) {
  History history = NewHistory();
  history.holds = {Inside(Believes(0, Ms(0), Ms(100)), Ms(1), Ms(150)),
                   Believes(1, Ms(110), Ms(300))};
  EXPECT_THAT(ExclusionOf(history), IsEmpty());
}

TEST(ExclusionTest, BothLevelsAreReportedWithTheEarliestInstantOfEach) {
  History history = NewHistory();
  history.holds = {Inside(Believes(0, Ms(0), Ms(100)), Ms(10), Ms(90)),
                   Inside(Believes(1, Ms(20), Ms(100)), Ms(30), Ms(90)),
                   Inside(Believes(2, Ms(40), Ms(100)), Ms(50), Ms(90))};
  const auto violations = ExclusionOf(history);
  ASSERT_THAT(PropertiesOf(violations),
              ElementsAre(Judged::kBeliefExclusion, Judged::kSectionExclusion));
  EXPECT_EQ(violations[0].at, Ms(20));
  EXPECT_EQ(violations[1].at, Ms(30));
}

TEST(ExclusionTest, TwoPermitsMayOverlap) {
  History history = NewHistoryOfPermits(2);
  history.holds = {Inside(Believes(0, Ms(0), Ms(100)), Ms(0), Ms(100)),
                   Inside(Believes(1, Ms(0), Ms(100)), Ms(0), Ms(100))};
  EXPECT_THAT(ExclusionOf(history, harness::Permits{}), IsEmpty());
}

TEST(ExclusionTest, AThirdHolderOfTwoPermitsViolatesThem) {
  History history = NewHistoryOfPermits(2);
  history.holds = {Inside(Believes(0, Ms(0), Ms(100)), Ms(0), Ms(100)),
                   Inside(Believes(1, Ms(0), Ms(100)), Ms(0), Ms(100)),
                   Inside(Believes(2, Ms(99), Ms(101)), Ms(99), Ms(101))};
  const auto violations = ExclusionOf(history, harness::Permits{});
  EXPECT_THAT(PropertiesOf(violations),
              ElementsAre(Judged::kPermitsBelief, Judged::kPermitsSection));
}

TEST(ExclusionTest, AThirdHolderOfTwoPermitsAfterOneEndedIsFine) {
  History history = NewHistoryOfPermits(2);
  history.holds = {Believes(0, Ms(0), Ms(100)), Believes(1, Ms(0), Ms(50)),
                   Believes(2, Ms(50), Ms(101))};
  EXPECT_THAT(ExclusionOf(history, harness::Permits{}), IsEmpty());
}

TEST(ExclusionTest, ASemaphoreOfOnePermitIsJudgedByItsPermits) {
  History history = NewHistory();
  history.holds = {Believes(0, Ms(0), Ms(100)), Believes(1, Ms(99), Ms(200))};
  EXPECT_THAT(PropertiesOf(ExclusionOf(history, harness::Permits{})),
              ElementsAre(Judged::kPermitsBelief));
}

}  // namespace
}  // namespace interlock::scenarios
