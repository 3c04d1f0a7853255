// SPDX-License-Identifier: MIT
//
// The generator under test: what it never makes, no campaign can find. Shares are measured over a
// fixed set of seeds, so these tests give the same answer every time.
#include "scenarios/cases/generators.h"

#include <algorithm>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "scenarios/search/campaign.h"

namespace interlock::scenarios {
namespace {

constexpr std::uint64_t kSeeds = 2000;

std::vector<Workload> Draw(const Scenario& scenario, std::uint64_t count = kSeeds) {
  const Generator generator(scenario);
  std::vector<Workload> workloads;
  for (std::uint64_t seed = 0; seed < count; ++seed) {
    workloads.push_back(generator.Draw(sim::MixSeed(seed, 7)));
  }
  return workloads;
}

const Scenario& ScenarioNamed(std::string_view name) {
  const Scenario* scenario = FindScenario(name);
  EXPECT_NE(scenario, nullptr) << name;
  return *scenario;
}

std::size_t FaultsOf(const Workload& workload) { return FaultPlanOf(workload).size(); }

TEST(GeneratorTest, ReachesEveryClientCountAndNoOther) {
  for (const Scenario& scenario : Catalogue()) {
    if (!scenario.pinned.empty()) continue;
    std::set<std::size_t> counts;
    for (const Workload& workload : Draw(scenario)) counts.insert(workload.clients.size());
    std::set<std::size_t> expected;
    for (int count = 2; count <= scenario.shape.max_clients; ++count) {
      expected.insert(static_cast<std::size_t>(count));
    }
    EXPECT_EQ(counts, expected) << scenario.name;
  }
}

TEST(GeneratorTest, ReachesEveryFaultKindOfTheScenarioAndNoOther) {
  for (const Scenario& scenario : Catalogue()) {
    std::set<sim::FaultKind> reached;
    for (const Workload& workload : Draw(scenario)) {
      for (const sim::Fault& fault : FaultPlanOf(workload)) reached.insert(fault.kind);
    }
    const std::set<sim::FaultKind> expected(scenario.shape.faults.begin(),
                                            scenario.shape.faults.end());
    EXPECT_EQ(reached, expected) << scenario.name;
  }
}

// Two clients with the same random bytes have the same owner tokens: no lock promises anything
// then. Tokens that are alike have a scenario of their own, because they come by no accident.
TEST(GeneratorTest, ReachesEveryFaultOfClientsAndLinksInChaosButForThoseOfIdentities) {
  const auto& faults = ScenarioNamed("chaos").shape.faults;
  for (const sim::FaultInfo& known : sim::KnownFaults()) {
    if (known.family != sim::FaultFamily::kClient && known.family != sim::FaultFamily::kLink) {
      continue;
    }
    const bool identity = known.kind == sim::FaultKind::kRestartSameIdentity ||
                          known.kind == sim::FaultKind::kEntropyRepeat ||
                          known.kind == sim::FaultKind::kEntropyAlike;
    EXPECT_EQ(std::count(faults.begin(), faults.end(), known.kind), identity ? 0 : 1) << known.name;
  }
}

TEST(GeneratorTest, ReachesEveryWayToAskAndEveryNumberOfOperations) {
  std::set<Ask> asks;
  std::set<std::size_t> counts;
  bool extends = false;
  bool overstays = false;
  bool plain = false;
  for (const Workload& workload : Draw(ScenarioNamed("chaos"))) {
    for (const ClientPlan& client : workload.clients) {
      counts.insert(client.operations.size());
      for (const Operation& operation : client.operations) {
        asks.insert(operation.ask);
        extends |= operation.extend;
        overstays |= operation.overstay.count() > 0;
        plain |= !operation.extend && operation.overstay.count() == 0;
        EXPECT_EQ(operation.wait.count() > 0, operation.ask == Ask::kWaitFor);
      }
    }
  }
  EXPECT_EQ(asks, (std::set<Ask>{Ask::kTry, Ask::kWaitFor, Ask::kWait}));
  EXPECT_EQ(counts, (std::set<std::size_t>{0, 1, 2, 3, 12}));
  EXPECT_TRUE(extends);
  EXPECT_TRUE(overstays);
  EXPECT_TRUE(plain);
}

TEST(GeneratorTest, ReachesEveryPermitCountOfASemaphore) {
  std::map<int, int> counts;
  for (const Workload& workload : Draw(ScenarioNamed("permits"))) ++counts[workload.permits];
  EXPECT_EQ(counts.size(), 2U);
  EXPECT_GT(counts[2], static_cast<int>(kSeeds) / 3);
  EXPECT_GT(counts[3], static_cast<int>(kSeeds) / 3);
}

TEST(GeneratorTest, FaultStepsCoverTheWholeRange) {
  int least = 1000;
  int most = -1;
  for (const Workload& workload : Draw(ScenarioNamed("crash"))) {
    for (const sim::Fault& fault : FaultPlanOf(workload)) {
      least = std::min(least, fault.step);
      most = std::max(most, fault.step);
    }
  }
  EXPECT_EQ(least, 0);
  EXPECT_GE(most, 40);
}

TEST(GeneratorTest, NoScenarioWithoutFaultsHasOne) {
  for (const Workload& workload : Draw(ScenarioNamed("contention")))
    EXPECT_EQ(FaultsOf(workload), 0U);
}

TEST(GeneratorTest, IsAFunctionOfScenarioAndSeed) {
  EXPECT_EQ(Draw(ScenarioNamed("chaos"), 200), Draw(ScenarioNamed("chaos"), 200));
  const std::vector<Workload> some = Draw(ScenarioNamed("chaos"), 200);
  int equal = 0;
  for (std::size_t i = 1; i < some.size(); ++i) equal += some[i] == some[i - 1] ? 1 : 0;
  EXPECT_LE(equal, 2);
}

TEST(GeneratorTest, SeedsOfRunsDifferByScenarioClassAndIndex) {
  std::set<std::uint64_t> seeds;
  for (const Scenario& scenario : Catalogue()) {
    for (const SynchronyClass synchrony : scenario.classes) {
      for (std::uint64_t i = 0; i < 100; ++i) seeds.insert(RunSeed(1, scenario, synchrony, i));
    }
  }
  std::size_t units = 0;
  for (const Scenario& scenario : Catalogue()) units += scenario.classes.size();
  EXPECT_EQ(seeds.size(), units * 100);
}

TEST(GeneratorTest, StopsAreDrawnBesideEverythingElse) {
  const Scenario& scenario = ScenarioNamed("chaos");
  const Generator without(scenario);
  const Generator with(scenario, {.stops = true});
  int with_stops = 0;
  int at_once = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    Workload drawn = with.Draw(seed);
    with_stops += HasStops(drawn) ? 1 : 0;
    for (ClientPlan& client : drawn.clients) {
      for (Operation& operation : client.operations) {
        EXPECT_FALSE(operation.stops && operation.ask == Ask::kTry);
        at_once += operation.stops && operation.stop_after.count() == 0 ? 1 : 0;
        operation.stops = false;
        operation.stop_after = Duration{};
      }
    }
    EXPECT_EQ(drawn, without.Draw(seed));
  }
  EXPECT_GT(with_stops, 80);
  EXPECT_LT(with_stops, 200);
  EXPECT_GT(at_once, 5);
}

TEST(GeneratorTest, OperatorsTakeThePlaceOfFewOperationsAndNobodyIsInsideOfThem) {
  const Scenario& scenario = ScenarioNamed("nested");
  const Generator without(scenario);
  const Generator with(scenario, {.operators = true});
  int with_operators = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    const Workload drawn = with.Draw(seed);
    if (!HasOperators(drawn)) {
      EXPECT_EQ(drawn, without.Draw(seed));
      continue;
    }
    ++with_operators;
    int forces = 0;
    for (const ClientPlan& client : drawn.clients) {
      for (std::size_t i = 0; i < client.operations.size(); ++i) {
        if (!client.operations[i].forces) continue;
        ++forces;
        EXPECT_FALSE(client.operations[i].inside);
        const bool last = i + 1 == client.operations.size();
        EXPECT_FALSE(!last && client.operations[i + 1].inside);
      }
    }
    EXPECT_LE(forces, 2);
  }
  EXPECT_GT(with_operators, 60);
}

// What a server has forgotten is nobody's, whoever takes it away.
TEST(GeneratorTest, ThereAreNoOperatorsWhereServersForget) {
  const Generator generator(ScenarioNamed("data-loss"), {.stops = true, .operators = true});
  for (std::uint64_t seed = 0; seed < 400; ++seed) EXPECT_FALSE(HasOperators(generator.Draw(seed)));
}

TEST(GeneratorTest, LeasesOfTheirOwnAreDrawnBesideEverythingElse) {
  const Scenario& scenario = ScenarioNamed("chaos");
  const Generator without(scenario);
  const Generator with(scenario, Extras{.own_leases = true});
  int varied = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    Workload drawn = with.Draw(seed);
    varied += HasOwnLeases(drawn) ? 1 : 0;
    for (ClientPlan& client : drawn.clients) {
      EXPECT_LT(client.lease, drawn.lease);
      client.lease = Duration{};
    }
    EXPECT_EQ(drawn, without.Draw(seed));
  }
  EXPECT_GT(varied, 50);
  EXPECT_LT(varied, 150);
}

TEST(LifeDrawsTest, HalfOfTheRunsOfALatchHaveAShortLife) {
  const Scenario& scenario = *FindScenario("contention");
  const Generator with(scenario, Extras{.lives = true});
  int lives = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    Workload drawn = with.Draw(seed);
    lives += drawn.life.count() > 0 ? 1 : 0;
    EXPECT_LE(drawn.life, 4 * drawn.lease);
    drawn.life = Duration{};
    EXPECT_EQ(drawn, Generator(scenario).Draw(seed));
  }
  EXPECT_GT(lives, 150);
  EXPECT_LT(lives, 250);
}

TEST(GeneratorTest, APinnedWorkloadIsGivenAsItIs) {
  const Scenario& scenario = ScenarioNamed("seed-002");
  ASSERT_EQ(scenario.pinned.size(), 1U);
  EXPECT_EQ(Generator(scenario).Draw(3), scenario.pinned.front());
}

TEST(GeneratorTest, WhoReadsInAPinnedWorkloadAsksLikeAllWhereThereAreNoReaders) {
  const Scenario& scenario = ScenarioNamed("idle");
  ASSERT_TRUE(HasReaders(scenario.pinned.back()));
  const std::uint64_t last = scenario.pinned.size() - 1;
  EXPECT_FALSE(HasReaders(Generator(scenario).Draw(last)));
  EXPECT_EQ(Generator(scenario, {.readers = true}).Draw(last), scenario.pinned.back());
}

TEST(GeneratorTest, PinnedWorkloadsTakeTurns) {
  const Scenario& scenario = ScenarioNamed("kleppmann.k1");
  ASSERT_GT(scenario.pinned.size(), 1U);
  const Generator generator(scenario);
  for (std::uint64_t index = 0; index < 2 * scenario.pinned.size(); ++index) {
    const std::uint64_t seed = RunSeed(1, scenario, SynchronyClass::kBounded, index);
    EXPECT_EQ(generator.Draw(seed), scenario.pinned[index % scenario.pinned.size()]);
  }
}

}  // namespace
}  // namespace interlock::scenarios
