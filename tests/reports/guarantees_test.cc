// SPDX-License-Identifier: MIT
//
// The guarantee table's three formats, and what it tells its caller.
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "reports/guarantees.h"

namespace interlock::reports {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

ResultRow Row(const char* code, const char* property, Verdict verdict, Expectation expected,
              bool pass) {
  ResultRow row;
  row.lock = "acme";
  row.code = code;
  row.property = property;
  row.verdict = verdict;
  row.expected = expected;
  row.pass = pass;
  row.runs = 100;
  row.exercised = verdict == Verdict::kInconclusive ? 0 : 40;
  if (verdict == Verdict::kViolated) row.replay = "v2:token";
  return row;
}

/// One cell with a promise kept, a failure admitted, and something of which nothing is said.
GuaranteeTable Sample() {
  GuaranteeTable table;
  table.tool.version = "0.1.0";
  table.classes = {{"client-pause", "clients stand still"}};
  table.cells = {{"acme", "client-pause", "standalone", 100, {}}};
  table.cells[0].rows = {
      Row("LK001", "server-exclusion", Verdict::kHolds, Expectation::kHolds, true),
      Row("LK003", "section-exclusion", Verdict::kViolated, Expectation::kBreaks, true),
      Row("LK013", "permits-section", Verdict::kInconclusive, Expectation::kEither, true)};
  return table;
}

TEST(GuaranteeTableTest, TheExitCodeSaysWhetherLocksAreAsTheySay) {
  GuaranteeTable table = Sample();
  EXPECT_EQ(ExitCodeOf(table), ExitCode::kPass);
  table.cells[0].rows[1] =
      Row("LK003", "section-exclusion", Verdict::kHolds, Expectation::kBreaks, false);
  EXPECT_EQ(ExitCodeOf(table), ExitCode::kKnownFailurePasses);
  table.cells[0].rows[0] =
      Row("LK001", "server-exclusion", Verdict::kViolated, Expectation::kHolds, false);
  EXPECT_EQ(ExitCodeOf(table), ExitCode::kViolated);
  table.divergences = 1;
  EXPECT_EQ(ExitCodeOf(table), ExitCode::kInternal);
}

TEST(GuaranteeTableTest, ATableOfNothingOrOfAnInterruptedRunIsNoPass) {
  EXPECT_EQ(ExitCodeOf(GuaranteeTable{}), ExitCode::kInconclusive);
  GuaranteeTable table = Sample();
  table.status = RunStatus::kPartial;
  EXPECT_EQ(ExitCodeOf(table), ExitCode::kInconclusive);
}

TEST(GuaranteeTableTest, TheTextTellsHoldsBreaksAndUnknownApart) {
  const std::string text = ToText(Sample(), TextOptions{});
  EXPECT_THAT(text, HasSubstr("    holds    LK001\n"));
  EXPECT_THAT(text, HasSubstr("    breaks   LK003\n"));
  EXPECT_THAT(text, HasSubstr("    unknown  (LK013-C)\n"));
  EXPECT_THAT(text, HasSubstr("replay 'v2:token'"));
  EXPECT_THAT(text, HasSubstr("2 of 2 statements"));
  EXPECT_THAT(text, Not(HasSubstr("NOT KEPT")));
}

TEST(GuaranteeTableTest, TheJsonHasAVerdictAndAPromiseForEachProperty) {
  const auto json = nlohmann::json::parse(ToJson(Sample()));
  EXPECT_EQ(json["schema"], kGuaranteesSchema);
  const auto& properties = json["cells"][0]["properties"];
  ASSERT_EQ(properties.size(), 3U);
  EXPECT_EQ(properties[0]["verdict"], "holds");
  EXPECT_EQ(properties[1]["verdict"], "breaks");
  EXPECT_EQ(properties[1]["promised"], "fails");
  EXPECT_EQ(properties[1]["replay"], "v2:token");
  EXPECT_EQ(properties[2]["verdict"], "unknown");
  EXPECT_EQ(properties[2]["promised"], "none");
}

TEST(GuaranteeTableTest, ANameCannotBreakTheMarkdownTable) {
  GuaranteeTable table = Sample();
  table.cells[0].lock = "a|b`c\nd";
  const std::string text = ToMarkdown(table);
  EXPECT_THAT(text, HasSubstr("| a\\|b\\`c"));
  EXPECT_THAT(text, Not(HasSubstr("c\nd")));
}

}  // namespace
}  // namespace interlock::reports
