// SPDX-License-Identifier: MIT
#include "scenarios/run/foreign/sections.h"

#include <gtest/gtest.h>

#include <vector>

#include "scenarios/run/foreign/excuses.h"

namespace interlock::scenarios::drive {
namespace {

const std::vector<bool> kNobody = {false, false, false};

TEST(SectionsTest, TwoInOneSectionAreOneTooMany) {
  Findings findings;
  Sections sections(1, findings);
  sections.Enter(0, "s", kNobody);
  sections.Enter(1, "other", kNobody);
  EXPECT_TRUE(findings.empty());
  sections.Enter(1, "s", kNobody);
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings.front().slug, "section-exclusion");
  EXPECT_EQ(findings.front().sentence, "C2 entered s while C1 was inside");
}

// A re-entrant lock that is taken again within gives back a lease of its own.
TEST(ExcusesTest, ALeaseThatAFaultEndedExcusesTheWholeSection) {
  Excuses excuses(2);
  const HeldId lease{0, 0, "lock", ""};
  excuses.SetInside(0, true);
  excuses.Lapsed(0, lease, Excuses::kForGood);
  excuses.Granted(0, lease);
  EXPECT_EQ(excuses.At(0), (std::vector<bool>{true, false}));
  excuses.SetInside(0, false);
  EXPECT_EQ(excuses.At(0), (std::vector<bool>{false, false}));
}

TEST(ExcusesTest, AWaitAtTheGateExcusesForAsLongAsItWas) {
  Excuses excuses(1);
  excuses.Lapsed(0, {0, 0, "lock", ""}, 500);
  EXPECT_TRUE(excuses.At(500).front());
  EXPECT_FALSE(excuses.At(501).front());
  excuses.Waited(0, 100);
  EXPECT_TRUE(excuses.At(600).front());
}

TEST(SectionsTest, ThreeAreOneTooManyForTwoPermits) {
  Findings findings;
  Sections sections(2, findings);
  sections.Enter(0, "s", kNobody);
  sections.Enter(1, "s", kNobody);
  EXPECT_TRUE(findings.empty());
  sections.Enter(2, "s", kNobody);
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings.front().slug, "permits-section");
}

TEST(SectionsTest, AClientThatEntersWhereItIsInsideIsNamed) {
  Findings findings;
  Sections sections(1, findings);
  sections.Enter(1, "s", kNobody);
  sections.Leave(1, "s");
  sections.Enter(1, "s", kNobody);
  sections.Enter(1, "other", kNobody);
  EXPECT_EQ(sections.entered_twice(), "");
  sections.Enter(1, "s", kNobody);
  EXPECT_EQ(sections.entered_twice(), "C2 entered s twice");
  EXPECT_TRUE(findings.empty());
}

TEST(SectionsTest, NotIfAFaultHasLedTimePastALease) {
  Findings findings;
  Sections sections(1, findings);
  sections.Enter(0, "s", kNobody);
  sections.Enter(1, "s", {true, false, false});
  EXPECT_TRUE(findings.empty());
}

TEST(SectionsTest, TheDeadAreInNoSection) {
  Findings findings;
  Sections sections(1, findings);
  sections.Enter(0, "s", kNobody);
  EXPECT_TRUE(sections.Inside(0));
  sections.Ended(0);
  EXPECT_FALSE(sections.Inside(0));
  sections.Enter(1, "s", kNobody);
  EXPECT_TRUE(findings.empty());
  EXPECT_EQ(sections.most_entrants(), 2U);
}

}  // namespace
}  // namespace interlock::scenarios::drive
