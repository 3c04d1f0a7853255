// SPDX-License-Identifier: MIT
//
// Each strategy does what its name says, is a function of its seed, and leaves a tape behind that
// makes the same run without it.
#include "scenarios/cases/strategies.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "scenarios/cases/generators.h"
#include "scenarios/cases/sources.h"
#include "scenarios/search/campaign.h"
#include "tests/scenarios/plain_subject.h"

namespace interlock::scenarios {
namespace {

using sim::Candidate;
using sim::Lane;

std::vector<Candidate> Tasks(int count) {
  std::vector<Candidate> tasks;
  for (int i = 0; i < count; ++i) tasks.push_back({i, static_cast<std::uint32_t>(i), 0, 0});
  return tasks;
}

std::uint64_t SeedOf(Strategy strategy, std::uint64_t number) {
  return SeedWithStrategy(sim::MixSeed(17, number), strategy);
}

TEST(StrategiesTest, EachRunReplaysFromItsTapeAndFromItsSeed) {
  const auto subject = testing::PlainSubject();
  const Scenario& scenario = *FindScenario("chaos");
  const RunCase run_case{subject.get(), &scenario, SynchronyClass::kArbitrary};
  const Generator generator(scenario);
  sim::Universe universe;
  for (const Strategy strategy : kAllStrategies) {
    std::set<std::uint64_t> hashes;
    for (std::uint64_t number = 0; number < 20; ++number) {
      const std::uint64_t seed = SeedOf(strategy, number);
      const Workload workload = generator.Draw(seed);
      sim::Choices first = ChoicesOfRun(seed);
      sim::Choices second = ChoicesOfRun(seed);
      const std::uint64_t hash = RunOnce(universe, run_case, workload, first).trace_hash;
      EXPECT_EQ(RunOnce(universe, run_case, workload, second).trace_hash, hash);
      sim::Choices replay = sim::Choices::FromTape(first.TakeTape());
      EXPECT_EQ(RunOnce(universe, run_case, workload, replay).trace_hash, hash)
          << ToString(strategy) << " " << number;
      hashes.insert(hash);
    }
    EXPECT_GT(hashes.size(), 15u) << ToString(strategy);
  }
}

TEST(StrategiesTest, TheStrategyIsPartOfTheSeed) {
  for (const Strategy strategy : kAllStrategies) {
    EXPECT_EQ(StrategyOf(SeedWithStrategy(0x123456789abcdef0, strategy)), strategy);
    EXPECT_EQ(FindStrategy(ToString(strategy)), strategy);
  }
  EXPECT_EQ(StrategyOf(~std::uint64_t{0}), Strategy::kRandom) << "bits that name none";
  EXPECT_FALSE(FindStrategy("portfolio"));
  EXPECT_NE(SeedWithStrategy(0x100, Strategy::kPos), SeedWithStrategy(0x200, Strategy::kPos));
}

TEST(StrategiesTest, ThePortfolioKeepsItsShares) {
  std::map<Strategy, int> counts;
  constexpr int kRuns = 20'000;
  for (std::uint64_t number = 0; number < kRuns; ++number) {
    const std::uint64_t seed = SeedWithStrategy(sim::MixSeed(1, number), std::nullopt);
    EXPECT_EQ(seed, SeedWithStrategy(sim::MixSeed(1, number), std::nullopt));
    ++counts[StrategyOf(seed)];
  }
  const std::map<Strategy, int> percents = {{Strategy::kRandom, 30}, {Strategy::kSticky, 10},
                                            {Strategy::kPct2, 10},   {Strategy::kPct3, 10},
                                            {Strategy::kPct5, 15},   {Strategy::kPos, 15},
                                            {Strategy::kDelay, 10}};
  ASSERT_EQ(percents.size(), kAllStrategies.size());
  for (const auto& [strategy, percent] : percents) {
    // Five standard deviations of the binomial distribution are at most 354.
    EXPECT_NEAR(counts[strategy], percent / 100.0 * kRuns, 354) << ToString(strategy);
  }
}

TEST(StrategiesTest, RandomDrawsWhatTheSeedDraws) {
  const std::uint64_t seed = SeedOf(Strategy::kRandom, 1);
  sim::Choices by_run = ChoicesOfRun(seed);
  sim::Choices by_seed = sim::Choices::FromSeed(sim::MixSeed(seed, 1));
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(by_run.Draw(Lane::kNetwork, 1000), by_seed.Draw(Lane::kNetwork, 1000));
  }
}

TEST(StickyTest, SeldomLeavesTheClientThatRuns) {
  StickySource source(5);
  const std::vector<Candidate> tasks = Tasks(4);
  std::uint32_t last = source.PickTask(tasks);
  int switches = 0;
  for (int i = 0; i < 1600; ++i) {
    const std::uint32_t pick = source.PickTask(tasks);
    if (pick != last) ++switches;
    last = pick;
  }
  // One choice in 16 is random, and three in four of these are another client: 75 of 1600.
  EXPECT_GT(switches, 30);
  EXPECT_LT(switches, 120);
}

TEST(PctTest, ChangesPriorityAtDepthMinusOneDistinctPlaces) {
  for (const int depth : {1, 2, 3, 5}) {
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
      const PctSource source(seed, depth);
      const std::vector<std::uint32_t>& points = source.change_points();
      EXPECT_EQ(points.size(), static_cast<std::size_t>(depth - 1));
      EXPECT_TRUE(std::is_sorted(points.begin(), points.end()));
      EXPECT_EQ(std::set<std::uint32_t>(points.begin(), points.end()).size(), points.size());
      for (const std::uint32_t point : points) EXPECT_GE(point, 1u);
    }
  }
}

TEST(PctTest, TheHighestPriorityGoesFirstUntilAChangePoint) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    PctSource source(seed, 5);
    const std::vector<Candidate> tasks = Tasks(6);
    std::vector<std::uint32_t> changes;
    std::set<std::uint32_t> lowered;
    std::uint32_t last = source.PickTask(tasks);
    for (std::uint32_t choice = 2; choice <= 300; ++choice) {
      const std::uint32_t pick = source.PickTask(tasks);
      if (pick != last) {
        changes.push_back(choice);
        EXPECT_TRUE(lowered.insert(last).second) << "each falls once while others are above";
        EXPECT_FALSE(lowered.contains(pick)) << "what fell is below all others";
      }
      last = pick;
    }
    std::vector<std::uint32_t> expected = source.change_points();
    // At the very first choice the priority falls before anybody has run.
    if (expected.front() == 1) expected.erase(expected.begin());
    EXPECT_EQ(changes, expected);
  }
}

TEST(PctTest, MessagesOfTheFirstAreTheFastest) {
  PctSource source(3, 1);
  const std::vector<Candidate> tasks = Tasks(4);
  const auto first = static_cast<int>(source.PickTask(tasks));
  for (int i = 0; i < 100; ++i) {
    for (int process = 0; process < 4; ++process) {
      const std::uint32_t latency = source.PickLatency(process, 1024);
      EXPECT_LT(latency, 1024u);
      EXPECT_EQ(latency < 256, process == first);
    }
  }
}

TEST(PctTest, NobodyIsKeptBackForEver) {
  PctSource source(3, 2);
  const std::vector<Candidate> tasks = Tasks(3);
  for (std::uint64_t i = 0; i < kFairAfter; ++i) source.PickTask(tasks);
  std::set<std::uint32_t> picked;
  for (int i = 0; i < 100; ++i) picked.insert(source.PickTask(tasks));
  EXPECT_EQ(picked.size(), 3u);
}

/// Whether a client that goes on to a new event each time is picked ten times in a row, while two
/// others wait.
bool WinsTenInARow(std::uint64_t seed, std::uint64_t resource) {
  PosSource source(seed);
  std::vector<Candidate> tasks = {{0, 0, 0, 7}, {1, 1, 5, resource}, {2, 2, 6, resource}};
  for (std::uint64_t i = 0; i < 10; ++i) {
    tasks[0].pending = 100 + i;
    if (source.PickTask(tasks) != 0) return false;
  }
  return true;
}

TEST(PosTest, AnEventKeepsItsPriorityUntilItGoesOrLosesARace) {
  int without_race = 0;
  int with_race = 0;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    if (WinsTenInARow(seed, 8)) ++without_race;
    if (WinsTenInARow(seed, 7)) ++with_race;
  }
  // With kept priorities ten wins need two low ones: 2 / (11 * 12). With new ones: 3^-10.
  EXPECT_NEAR(without_race, 30, 25);
  EXPECT_LE(with_race, 2);
}

TEST(PosTest, MessagesTravelForAnyTimeWithTheSameChance) {
  std::array<int, 4> quarters{};
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    PosSource source(seed);
    for (int i = 0; i < 1000; ++i) {  // well before the fair suffix
      const double drawn = (source.PickLatency(0, 1024) + 0.5) / 1024;
      ++quarters[static_cast<std::size_t>(4 * drawn * drawn * drawn)];
    }
  }
  for (const int count : quarters) EXPECT_NEAR(count, 1000, 150);
}

TEST(DelayTest, StaysWithinItsBoundAndUsesIt) {
  const std::vector<Candidate> tasks = Tasks(3);
  std::map<int, int> bounds;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    DelaySource source(seed);
    int spent = 0;
    for (int i = 0; i < 300; ++i) {
      spent += source.PickTask(tasks) != 0 ? 1 : 0;
      spent += source.PickLatency(i % 3, 1024) != 0 ? 1 : 0;
    }
    EXPECT_EQ(spent, source.delays()) << "600 choices are longer than any guess of the length";
    EXPECT_LE(source.delays(), DelaySource::kMostDelays);
    ++bounds[source.delays()];
  }
  EXPECT_EQ(bounds.size(), static_cast<std::size_t>(DelaySource::kMostDelays));
  EXPECT_FALSE(bounds.contains(0));
}

}  // namespace
}  // namespace interlock::scenarios
