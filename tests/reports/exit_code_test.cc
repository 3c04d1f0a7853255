// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <vector>

#include "report_samples.h"
#include "reports/exit_code.h"
#include "reports/text_writer.h"

namespace interlock::reports {
namespace {

TEST(ExitCodeTest, CombineKeepsTheMoreImportant) {
  const std::vector<ExitCode> falling = {ExitCode::kInternal,     ExitCode::kTerminated,
                                         ExitCode::kInterrupted,  ExitCode::kViolated,
                                         ExitCode::kThreshold,    ExitCode::kKnownFailurePasses,
                                         ExitCode::kInconclusive, ExitCode::kPass};
  for (std::size_t i = 0; i < falling.size(); ++i) {
    for (std::size_t j = i; j < falling.size(); ++j) {
      EXPECT_EQ(falling[i], Combine(falling[i], falling[j]));
      EXPECT_EQ(falling[i], Combine(falling[j], falling[i]));
    }
  }
}

TEST(ExitCodeTest, NumbersAreThoseOfTheContract) {
  EXPECT_EQ(0, ToInt(ExitCode::kPass));
  EXPECT_EQ(1, ToInt(ExitCode::kViolated));
  EXPECT_EQ(2, ToInt(ExitCode::kInconclusive));
  EXPECT_EQ(3, ToInt(ExitCode::kThreshold));
  EXPECT_EQ(4, ToInt(ExitCode::kKnownFailurePasses));
  EXPECT_EQ(64, ToInt(ExitCode::kUsage));
  EXPECT_EQ(65, ToInt(ExitCode::kBadInput));
  EXPECT_EQ(69, ToInt(ExitCode::kRedisUnreachable));
  EXPECT_EQ(70, ToInt(ExitCode::kInternal));
  EXPECT_EQ(130, ToInt(ExitCode::kInterrupted));
  EXPECT_EQ(143, ToInt(ExitCode::kTerminated));
}

TEST(ExitCodeTest, RowsAreJudgedByWhatWasExpected) {
  const RunReport report = MixedReport();
  std::vector<int> codes;
  for (const ResultRow& row : report.results) codes.push_back(ToInt(ExitCodeOf(row)));
  EXPECT_EQ((std::vector<int>{0, 0, 0, 4, 1, 1, 2, 0, 1}), codes);
  EXPECT_EQ(ExitCode::kViolated, ExitCodeOf(report));
  EXPECT_EQ("FAIL", Headline(report));
}

TEST(ExitCodeTest, PassNeedsRowsGoalsAndCompletion) {
  RunReport report = PassingReport();
  EXPECT_EQ(ExitCode::kPass, ExitCodeOf(report));
  report.goals.push_back({"never", 0});
  EXPECT_EQ(ExitCode::kInconclusive, ExitCodeOf(report));
  report = PassingReport();
  report.status = RunStatus::kPartial;
  EXPECT_EQ(ExitCode::kInconclusive, ExitCodeOf(report));
  EXPECT_EQ(ExitCode::kInconclusive, ExitCodeOf(RunReport{}));
}

// Once two executions of one run differ, no verdict of the whole report means anything.
TEST(ExitCodeTest, NondeterminismOutranksEverything) {
  RunReport report = MixedReport();
  report.totals.divergences = 1;
  EXPECT_EQ(ExitCode::kInternal, ExitCodeOf(report));
  EXPECT_EQ("INTERNAL FAULT", Headline(report));
  ResultRow row = report.results[0];
  row.code = "LK016";
  row.verdict = Verdict::kViolated;
  EXPECT_EQ(ExitCode::kInternal, ExitCodeOf(row));
}

}  // namespace
}  // namespace interlock::reports
