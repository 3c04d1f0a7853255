// SPDX-License-Identifier: MIT
//
// The faults of a real run as plain data: drawn from the seed, scaled with the lease, and each
// simulated fault either done or said not to be possible.
#include "scenarios/run/processes/real_fault.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <string_view>
#include <vector>

#include "scenarios/cases/scenario.h"
#include "scenarios/run/processes/real_plan.h"
#include "scenarios/search/real/real_campaign.h"

namespace interlock::scenarios::real {
namespace {

using std::chrono::milliseconds;

Workload WithFault(sim::FaultKind kind, int step, Duration length) {
  Workload workload;
  workload.lease = milliseconds(400);
  ClientPlan client;
  client.operations.resize(1);
  client.operations.front().hold = milliseconds(400);
  workload.clients = {client, client};
  workload.clients[1].faults = {{kind, step, length}};
  return workload;
}

TEST(RealFaultTest, EachKindStandsInItsPlaceAndHasANameOfItsOwn) {
  std::set<std::string_view> names;
  std::size_t place = 0;
  for (const sim::machine::RealFaultInfo& info : sim::machine::KnownRealFaults()) {
    EXPECT_EQ(static_cast<std::size_t>(info.kind), place++);
    EXPECT_TRUE(names.insert(info.name).second) << info.name;
  }
}

TEST(RealFaultTest, EachSimulatedFaultIsDoneOrHasAReasonWhyNot) {
  for (const sim::FaultInfo& info : sim::KnownFaults()) {
    const bool death = info.kind == sim::FaultKind::kCrash || info.kind == sim::FaultKind::kRestart;
    const bool done = !RealFaultsOf(WithFault(info.kind, 3, milliseconds(9)), 1, false).empty();
    EXPECT_EQ(info.unreal.empty(), done || death) << info.name;
  }
}

TEST(RealFaultTest, StrikesTheClientTheMessageOrTheTimeThatTheStepSays) {
  const auto pause = RealFaultsOf(WithFault(sim::FaultKind::kPause, 7, milliseconds(50)), 1, false);
  EXPECT_EQ(pause.front(),
            (sim::machine::RealFault{.client = 1, .step = 7, .length = milliseconds(50)}));
  const auto lost = RealFaultsOf(WithFault(sim::FaultKind::kLostReply, 7, {}), 1, false);
  EXPECT_EQ(lost.front(),
            (sim::machine::RealFault{
                .kind = sim::machine::RealFaultKind::kLostReply, .client = 1, .step = 2}));
  const Workload killed = WithFault(sim::FaultKind::kServerKill, 15, milliseconds(50));
  const auto kill = RealFaultsOf(killed, 1, false);
  EXPECT_EQ(kill.front().kind, sim::machine::RealFaultKind::kServerKill);
  EXPECT_EQ(kill.front().at, (BusyTime(killed) + killed.lease) / 3);
}

TEST(RealFaultTest, LengthsStayWithinAFewLeasesAndAnExpiryIsALittleMoreThanOne) {
  EXPECT_EQ(RealFaultsOf(WithFault(sim::FaultKind::kPause, 0, std::chrono::hours(1)), 1, false)
                .front()
                .length,
            milliseconds(1200));
  EXPECT_GT(RealFaultsOf(WithFault(sim::FaultKind::kExpiry, 0, {}), 1, false).front().length,
            milliseconds(400));
}

TEST(RealFaultTest, TheSeedPicksOneOfSeveralWaysAndAlwaysTheSame) {
  const Workload workload = WithFault(sim::FaultKind::kServerPause, 0, milliseconds(50));
  std::set<sim::machine::RealFaultKind> ways;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const auto faults = RealFaultsOf(workload, seed, false);
    EXPECT_EQ(faults, RealFaultsOf(workload, seed, false));
    ways.insert(faults.front().kind);
  }
  EXPECT_EQ(ways.size(), 4U);
}

TEST(RealFaultTest, WhereSentinelsDecideADeadPrimaryIsTheirsOnce) {
  Workload workload = WithFault(sim::FaultKind::kServerKill, 0, milliseconds(50));
  workload.clients[0].faults = {{sim::FaultKind::kFailover, 1, milliseconds(50)}};
  const auto faults = RealFaultsOf(workload, 1, true);
  ASSERT_EQ(faults.size(), 1U);
  EXPECT_EQ(faults.front().kind, sim::machine::RealFaultKind::kSentinelFailover);
  EXPECT_EQ(RealFaultsOf(workload, 1, false).size(), 2U);
}

TEST(RealFaultTest, EveryKindComesUpInSomeScenario) {
  std::set<sim::machine::RealFaultKind> seen;
  for (const Scenario& scenario : Catalogue()) {
    if (!WhyNotHere(scenario, true).empty()) continue;
    for (std::uint64_t seed = 0; seed < 8; ++seed) {
      for (const RealPlan& plan : PlansFor(scenario, SeedsOf(scenario, seed), false)) {
        for (const bool sentinels : {false, true}) {
          for (const sim::machine::RealFault& fault :
               RealFaultsOf(plan.workload, seed, sentinels)) {
            seen.insert(fault.kind);
          }
        }
      }
    }
  }
  for (const sim::machine::RealFaultInfo& info : sim::machine::KnownRealFaults()) {
    EXPECT_TRUE(seen.contains(info.kind)) << info.name;
  }
}

}  // namespace
}  // namespace interlock::scenarios::real
