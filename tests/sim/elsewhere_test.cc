// SPDX-License-Identifier: MIT
//
// What a process sends to places outside of Redis, and faults that strike where the scenario says.
#include "sim/world.h"

#include <vector>

#include <gtest/gtest.h>

#include "tests/sim/world_fixture.h"

namespace interlock::sim {
namespace {

constexpr VirtualTime kNoLatest = VirtualTime::max();

using Times = std::vector<VirtualTime>;

/// Process 0 sends at 10 ms, and goes on living for a second; `arrivals` outlives the bench.
void SendElsewhere(Bench& bench, Times& arrivals, VirtualTime latest = kNoLatest) {
  bench.world->Start(0, [&bench, &arrivals, latest] {
    bench.Sleep(0, milliseconds(10));
    bench.world->TravelElsewhere(0, latest, [&] { arrivals.push_back(bench.world->now()); });
    bench.world->Step(0);
    bench.Sleep(0, seconds(1));
  });
}

Times ArrivalsOf(Bench& bench, VirtualTime latest = kNoLatest) {
  Times arrivals;
  SendElsewhere(bench, arrivals, latest);
  bench.world->Run(kHorizon);
  return arrivals;
}

TEST(ElsewhereTest, AMessageTravelsForALatency) {
  Bench bench(1);
  EXPECT_EQ(ArrivalsOf(bench), Times{milliseconds(11)});
}

TEST(ElsewhereTest, ADelayOfRequestsHoldsTheMessageBack) {
  Bench bench(1, {{FaultKind::kDelayRequest, 0, 0, seconds(90)}});
  EXPECT_EQ(ArrivalsOf(bench), Times{seconds(90) + milliseconds(11)});
  ASSERT_EQ(bench.observer.faults.size(), 1U);
}

TEST(ElsewhereTest, TheDelayIsUsedUp) {
  Bench bench(1, {{FaultKind::kDelayRequest, 0, 0, seconds(90)}});
  Times arrivals;
  bench.world->Start(0, [&] {
    bench.Sleep(0, milliseconds(10));
    for (int i = 0; i < 2; ++i) {
      bench.world->TravelElsewhere(0, kNoLatest, [&] { arrivals.push_back(bench.world->now()); });
    }
  });
  bench.world->Run(kHorizon);
  EXPECT_EQ(arrivals, (Times{milliseconds(11), seconds(90) + milliseconds(11)}));
}

TEST(ElsewhereTest, NothingArrivesAfterTheLatestTime) {
  Bench bench(1, {{FaultKind::kDelayRequest, 0, 0, seconds(90)}});
  EXPECT_EQ(ArrivalsOf(bench, milliseconds(50)), Times{milliseconds(50)});
}

TEST(ElsewhereTest, APartitionFromTheServerIsNoneFromElsewhere) {
  Bench bench(1, {{FaultKind::kPartition, 0, 0, seconds(90)}});
  EXPECT_EQ(ArrivalsOf(bench), Times{milliseconds(11)});
}

TEST(ElsewhereTest, WhatWasSentBeforeACrashStillArrives) {
  Bench bench(1, {{FaultKind::kCrash, 0, 1}});
  EXPECT_EQ(ArrivalsOf(bench), Times{milliseconds(11)});
  EXPECT_TRUE(bench.world->crashed(0));
}

TEST(ElsewhereTest, HealLetsItArriveAtOnce) {
  Times arrivals;
  Bench bench(1, {{FaultKind::kDelayRequest, 0, 0, seconds(90)}});
  SendElsewhere(bench, arrivals);
  bench.world->Run(seconds(5));
  EXPECT_TRUE(arrivals.empty());
  const VirtualTime healed = bench.world->now();
  bench.world->Heal();
  bench.world->Run(kHorizon);
  EXPECT_EQ(arrivals, Times{healed});
}

TEST(ElsewhereTest, TeardownForgetsIt) {
  Times arrivals;
  Bench bench(1, {{FaultKind::kDelayRequest, 0, 0, seconds(90)}});
  SendElsewhere(bench, arrivals);
  bench.world->Run(seconds(5));
  bench.TearDown();
  EXPECT_TRUE(arrivals.empty());
}

TEST(StrikeTest, AFaultStrikesWhereTheScenarioSays) {
  Bench bench(1);
  VirtualTime woke{};
  bench.world->Start(0, [&] {
    bench.Sleep(0, milliseconds(10));
    bench.world->Strike(0, {FaultKind::kPause, 0, 0, seconds(3)});
    woke = bench.world->now();
  });
  bench.world->Run(kHorizon);
  EXPECT_EQ(woke, milliseconds(10) + seconds(3));
  ASSERT_EQ(bench.observer.faults.size(), 1U);
  EXPECT_EQ(bench.observer.fault_times[0], VirtualTime(milliseconds(10)));
}

}  // namespace
}  // namespace interlock::sim
