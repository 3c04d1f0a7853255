// SPDX-License-Identifier: MIT
#include "scenarios/search/explore/kill_matrix.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenarios/cli/specimens_check.h"
#include "tests/scenarios/plain_subject.h"

namespace interlock::scenarios {
namespace {

using ::testing::HasSubstr;

/// One that deletes whatever is there, a sound one, and a sound one that is said to be broken.
KillMatrix Matrix(int jobs, std::uint64_t seed = 1) {
  const std::vector<Conviction> expected = {{"foreign-release", "overstay", SynchronyClass::kNone}};
  KillMatrixOptions options;
  options.seed = seed;
  options.runs = 60;
  options.jobs = jobs;
  options.entries = {
      {testing::PlainSubject({.name = "test/blind", .release_blindly = true}), true, expected},
      {testing::PlainSubject(), false, {}},
      {testing::PlainSubject({.name = "test/reformed"}), true, expected}};
  return MakeKillMatrix(options);
}

TEST(KillMatrixTest, ABrokenLockIsKilledByEachStrategyAndASoundOneByNone) {
  const KillMatrix matrix = Matrix(2);
  ASSERT_EQ(matrix.rows.size(), 2U);
  ASSERT_EQ(matrix.strategies.size(), kAllStrategies.size() + 1);
  EXPECT_EQ(matrix.rows[0].lock, "test/blind");
  for (const KillCell& cell : matrix.rows[0].cells) {
    EXPECT_EQ(cell.kills.size(), 11U);
    EXPECT_TRUE(std::is_sorted(cell.kills.begin(), cell.kills.end()));
    EXPECT_GE(cell.kills.front(), 1U);
    EXPECT_TRUE(Kills(matrix, cell)) << cell.median();
  }
  for (const KillCell& cell : matrix.rows[1].cells) {
    EXPECT_FALSE(Kills(matrix, cell));
    EXPECT_EQ(cell.kills.front(), 61U) << "one more than the bound";
  }
  const std::vector<std::string> acquittals = cli::Acquittals(matrix);
  ASSERT_EQ(acquittals.size(), 1U);
  EXPECT_THAT(acquittals[0], HasSubstr("test/reformed (foreign-release in overstay, none)"));
}

TEST(KillMatrixTest, FiguresDoNotDependOnTheNumberOfThreads) {
  EXPECT_EQ(cli::ToJson(Matrix(1)), cli::ToJson(Matrix(3)));
  EXPECT_NE(cli::ToJson(Matrix(2)), cli::ToJson(Matrix(2, 99)));
}

TEST(KillMatrixTest, ACellOfTheMatrixIsTheCampaignOfItsSeed) {
  const KillMatrix matrix = Matrix(2);
  CampaignOptions options;
  options.seed = sim::MixSeed(1, 0);
  options.runs = 60;
  options.entries = {{testing::PlainSubject({.name = "test/blind", .release_blindly = true}),
                      true,
                      {{"foreign-release", "overstay", SynchronyClass::kNone}}},
                     {testing::PlainSubject(), false, {}}};
  options.scenarios = {FindScenario("overstay")};
  const CampaignResult campaign = RunCampaign(options);
  const auto row =
      std::find_if(campaign.report.results.begin(), campaign.report.results.end(),
                   [](const auto& one) { return one.lock == "test/blind" && one.code == "LK005"; });
  ASSERT_NE(row, campaign.report.results.end());
  const std::vector<std::uint64_t>& kills = matrix.rows[0].cells.back().kills;
  EXPECT_THAT(kills, ::testing::Contains(row->runs_to_first_violation.value()));
}

// The textbook's values: of 11 the second lowest and highest (98.8 %; the third: 93.5 %).
TEST(KillMatrixTest, TheIntervalOfTheMedianIsTheNarrowestThatIsSure) {
  EXPECT_EQ(MedianInterval(6), (std::pair<std::size_t, std::size_t>(0, 5)));
  EXPECT_EQ(MedianInterval(11), (std::pair<std::size_t, std::size_t>(1, 9)));
  EXPECT_EQ(MedianInterval(15), (std::pair<std::size_t, std::size_t>(3, 11)));
  EXPECT_EQ(MedianInterval(20), (std::pair<std::size_t, std::size_t>(5, 14)));
}

TEST(KillMatrixTest, TheTextFitsTheTerminal) {
  const std::string text = cli::ToText(Matrix(2));
  EXPECT_THAT(text, HasSubstr("portfolio"));
  EXPECT_THAT(text, HasSubstr(">60"));
  EXPECT_THAT(text, HasSubstr("1 of 2 convictions by the portfolio"));
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = text.find('\n', begin);
    EXPECT_LE(end - begin, 100U) << text.substr(begin, end - begin);
    begin = end + 1;
  }
}

}  // namespace
}  // namespace interlock::scenarios
