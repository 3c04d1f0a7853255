// SPDX-License-Identifier: MIT
#include "scenarios/real/disturber.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <vector>

#include "scenarios/real/real_plan.h"
#include "scenarios/scenario.h"
#include "tests/support/redis_server.h"

namespace interlock::scenarios::real {
namespace {

using interlock::testing::RedisServer;

Workload AWorkload() { return PlansFor(*FindScenario("contention"), 1, false).front().workload; }

TEST(DisturbancesTest, AreTheSameForTheSameSeedAndOfEachKind) {
  const Workload workload = AWorkload();
  EXPECT_EQ(DisturbancesFor(workload, 5), DisturbancesFor(workload, 5));
  EXPECT_NE(DisturbancesFor(workload, 5), DisturbancesFor(workload, 6));
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const std::vector<Disturbance> planned = DisturbancesFor(workload, seed);
    for (const DisturbanceKind kind : kAllDisturbances) {
      EXPECT_TRUE(std::any_of(planned.begin(), planned.end(), [kind](const Disturbance& one) {
        return one.kind == kind;
      })) << ToString(kind);
    }
    EXPECT_TRUE(
        std::is_sorted(planned.begin(), planned.end(),
                       [](const Disturbance& a, const Disturbance& b) { return a.at < b.at; }));
    for (const Disturbance& one : planned) {
      EXPECT_LT(one.client, static_cast<int>(workload.clients.size()));
      EXPECT_LE(one.length, 3 * workload.lease);
    }
  }
}

TEST(DisturberTest, WhatStandsStillGoesOnInTheEnd) {
  auto server = RedisServer::Start();
  ASSERT_TRUE(server.ok()) << server.status().ToString();
  ClientProcesses nobody;
  const auto second = std::chrono::seconds(1);
  {
    Disturber disturber(**server, {{DisturbanceKind::kServerPause, second, second, 0},
                                   {DisturbanceKind::kClientPause, second, second, 0},
                                   {DisturbanceKind::kServerPause, 3 * second, second, 0}});
    disturber.Act(second / 2, nobody);
    EXPECT_FALSE(disturber.server_stopped());
    disturber.Act(second, nobody);
    EXPECT_TRUE(disturber.server_stopped());
    disturber.Act(2 * second, nobody);
    EXPECT_FALSE(disturber.server_stopped());
    EXPECT_EQ((*server)->Command({"PING"}).value(), "PONG");
    disturber.Act(3 * second, nobody);
    EXPECT_TRUE(disturber.server_stopped());
    // The client was not there.
    EXPECT_EQ(disturber.done().size(), 2U);
    EXPECT_EQ(disturber.total(), 3 * second);
  }
  EXPECT_EQ((*server)->Command({"PING"}).value(), "PONG");
}

}  // namespace
}  // namespace interlock::scenarios::real
