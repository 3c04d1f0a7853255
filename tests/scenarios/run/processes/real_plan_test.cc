// SPDX-License-Identifier: MIT
#include "scenarios/run/processes/real_plan.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include "scenarios/search/real/real_campaign.h"
#include "sim/machine/key_sweeper.h"

namespace interlock::scenarios::real {
namespace {

using std::chrono::milliseconds;

TEST(RealPlanTest, ScalesEveryDurationByOneFactor) {
  Workload workload;
  workload.lease = std::chrono::seconds(20);
  ClientPlan client;
  Operation operation;
  operation.think = milliseconds(500);
  operation.hold = std::chrono::seconds(25);
  operation.overstay = std::chrono::seconds(5);
  client.operations.push_back(operation);
  workload.clients.push_back(client);
  const Workload scaled = Scaled(workload, milliseconds(400));
  EXPECT_EQ(scaled.lease, milliseconds(400));
  EXPECT_EQ(scaled.clients[0].operations[0].think, milliseconds(10));
  EXPECT_EQ(scaled.clients[0].operations[0].hold, milliseconds(500));
  EXPECT_EQ(scaled.clients[0].operations[0].overstay, milliseconds(100));
}

TEST(RealPlanTest, EveryScenarioHasPlansOfUsefulLength) {
  for (const std::uint64_t seed : {1U, 2U, 3U, 77U}) {
    for (const Scenario& scenario : Catalogue()) {
      if (!WhyNotHere(scenario, true).empty()) continue;
      const std::vector<RealPlan> plans = PlansFor(scenario, SeedsOf(scenario, seed), false);
      EXPECT_EQ(plans.size(), scenario.pinned.empty() ? 4U : 1U) << scenario.name;
      for (const RealPlan& plan : plans) {
        EXPECT_GE(plan.workload.lease, milliseconds(150));
        EXPECT_LE(plan.workload.lease, milliseconds(400));
      }
    }
  }
}

TEST(RealPlanTest, AllPlacesOfDeathComeFromTheStep) {
  ClientPlan client;
  client.operations.resize(2);
  EXPECT_EQ(DeathOf(client), std::nullopt);
  const auto at = [&](int step) {
    client.faults = {{sim::FaultKind::kCrash, step, {}}};
    return *DeathOf(client);
  };
  EXPECT_EQ(at(0), (Death{0, DeathPlace::kAskSent, 1}));
  EXPECT_EQ(at(1), (Death{0, DeathPlace::kInSection, 1}));
  EXPECT_EQ(at(5), (Death{1, DeathPlace::kBeforeRelease, 1}));
  EXPECT_EQ(at(18), (Death{0, DeathPlace::kAskSent, 3}));
  client.faults.front().kind = sim::FaultKind::kRestart;
  EXPECT_TRUE(DeathOf(client)->reborn);
}

TEST(KeySweeperTest, APatternOfSpecialLettersMatchesItselfAlone) {
  EXPECT_EQ(sim::machine::EscapeGlob("a*b?[c]\\"), "a\\*b\\?\\[c\\]\\\\");
}

}  // namespace
}  // namespace interlock::scenarios::real
