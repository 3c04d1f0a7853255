// SPDX-License-Identifier: MIT
//
// How many runs of a campaign each scenario gets.
#include "scenarios/search/plan.h"

#include <cstdint>

#include <gtest/gtest.h>

#include "scenarios/cases/scenario.h"

namespace interlock::scenarios {
namespace {

class PlanTest : public testing::Test {
 protected:
  std::uint64_t RunsOf(std::uint64_t first, std::uint64_t runs) const {
    std::uint64_t sum = 0;
    for (const Block& block : BlocksOf({{&entry_, &scenario_}}, first, runs)) sum += block.count;
    return sum;
  }

  Entry entry_;
  Scenario scenario_;
};

TEST_F(PlanTest, AScenarioGetsAllRunsUpToItsMost) {
  EXPECT_EQ(RunsOf(0, 10'000), 10'000U);
  scenario_.max_runs = 400;
  EXPECT_EQ(RunsOf(0, 10'000), 400U);
  EXPECT_EQ(RunsOf(0, 60), 60U);
  scenario_.always_whole = true;
  EXPECT_EQ(RunsOf(0, 60), 400U);
}

TEST_F(PlanTest, AHeavyScenarioGetsItsShareOfALongCampaignOnly) {
  scenario_.weight = 8;
  EXPECT_EQ(RunsOf(0, 16'000), 2'000U);
  EXPECT_EQ(RunsOf(0, 8'000), kLeastRuns);
  EXPECT_EQ(RunsOf(0, 1'001), kLeastRuns);
  EXPECT_EQ(RunsOf(0, 60), 60U);
}

TEST_F(PlanTest, TheRoundsOfABudgetAddUpToOneCampaign) {
  scenario_.weight = 8;
  EXPECT_EQ(RunsOf(0, 10'000) + RunsOf(10'000, 10'000), RunsOf(0, 20'000));
}

TEST_F(PlanTest, ASpecimenIsHuntedWhateverTheWeight) {
  scenario_.name = "quorum-any";
  scenario_.weight = 8;
  entry_.specimen = true;
  entry_.expected = {{"belief-exclusion", "quorum-any", SynchronyClass::kNone}};
  EXPECT_EQ(RunsOf(0, 100), kSpecimenPatience);
}

}  // namespace
}  // namespace interlock::scenarios
