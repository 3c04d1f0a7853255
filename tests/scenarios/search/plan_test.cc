// SPDX-License-Identifier: MIT
//
// How many runs of a campaign each scenario gets.
#include "scenarios/search/plan.h"

#include <cstdint>
#include <span>

#include <gtest/gtest.h>

#include "scenarios/cases/scenario.h"

namespace interlock::scenarios {
namespace {

class PlanTest : public ::testing::Test {
 protected:
  std::uint64_t RunsBetween(Reach from, Reach to) const {
    const Unit unit{&entry_, &scenario_};
    std::uint64_t sum = 0;
    for (const Block& block : BlocksOf(std::span(&unit, 1), from, to)) sum += block.count;
    return sum;
  }
  std::uint64_t Planned(std::uint64_t runs) const { return RunsBetween({}, {.count = runs}); }

  Entry entry_;
  Scenario scenario_;
};

TEST_F(PlanTest, AScenarioGetsAllRunsUpToItsMost) {
  EXPECT_EQ(Planned(10'000), 10'000U);
  scenario_.max_runs = 400;
  EXPECT_EQ(Planned(10'000), 400U);
  EXPECT_EQ(Planned(60), 60U);
  scenario_.always_whole = true;
  EXPECT_EQ(Planned(60), 400U);
}

TEST_F(PlanTest, AHeavyScenarioGetsItsShareOfALongCampaignOnly) {
  scenario_.weight = 8;
  EXPECT_EQ(Planned(16'000), 2'000U);
  EXPECT_EQ(Planned(8'000), kLeastRuns);
  EXPECT_EQ(Planned(1'001), kLeastRuns);
  EXPECT_EQ(Planned(60), 60U);
}

TEST_F(PlanTest, TheRoundsOfABudgetAddUpToOneCampaign) {
  scenario_.weight = 8;
  EXPECT_EQ(Planned(10'000) + RunsBetween({.count = 10'000}, {.count = 20'000}), Planned(20'000));
}

TEST_F(PlanTest, AUnitIsOverAfterACrashAndAfterAnEndlessRunOnceItsSpecimenIsConvicted) {
  const Unit unit{&entry_, &scenario_};
  UnitResult sum;
  EXPECT_FALSE(IsOver(unit, sum));
  sum.runs = 1;
  sum.endless = true;
  EXPECT_TRUE(IsOver(unit, sum));
  entry_.specimen = true;
  entry_.expected = {{"termination", "", SynchronyClass::kNone}};
  EXPECT_FALSE(IsOver(unit, sum));
  sum.violating_runs[Judged::kTermination] = 1;
  EXPECT_TRUE(IsOver(unit, sum));
  sum = UnitResult();
  sum.crash = LockCrash{};
  EXPECT_TRUE(IsOver(unit, sum));
}

TEST_F(PlanTest, AGateGivesEachScenarioItsShare) {
  scenario_.gate_runs = 250;
  EXPECT_EQ(RunsBetween({}, {.shares = true, .count = 1}), 250U);
  EXPECT_EQ(RunsBetween({.shares = true, .count = 1}, {.shares = true, .count = 3}), 500U);
}

TEST_F(PlanTest, ALongerGateRepeatsAPlacingNoMoreOftenThanItIsWorth) {
  scenario_.gate_runs = 20;
  scenario_.max_runs = 40;
  EXPECT_EQ(RunsBetween({}, {.shares = true, .count = 1}), 20U);
  EXPECT_EQ(RunsBetween({}, {.shares = true, .count = 3}), 40U);
}

TEST(GateSharesTest, EachDrawnUnitOfTheGateHasAtLeast600RunsAndEachSweepIsWhole) {
  for (const Scenario& scenario : Catalogue()) {
    Entry sound;
    const Unit unit{&sound, &scenario, scenario.classes.front()};
    const std::uint64_t runs = RunsOf(unit, {.shares = true, .count = 1});
    const std::uint64_t least = scenario.pinned.empty() ? 600 : scenario.pinned.size();
    EXPECT_GE(runs, least) << scenario.name;
  }
}

TEST_F(PlanTest, ASpecimenIsHuntedWhateverTheWeight) {
  scenario_.name = "quorum-any";
  scenario_.weight = 8;
  entry_.specimen = true;
  entry_.expected = {{"belief-exclusion", "quorum-any", SynchronyClass::kNone}};
  EXPECT_EQ(Planned(100), kSpecimenPatience);
}

}  // namespace
}  // namespace interlock::scenarios
