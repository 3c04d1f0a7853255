// SPDX-License-Identifier: MIT
//
// The time of day that a lock under test is shown.
#include "scenarios/run/wall_clock.h"

#include <chrono>
#include <cstdlib>
#include <memory>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenarios/cases/scenario.h"
#include "scenarios/locks/specimens/recipe.h"
#include "scenarios/run/run.h"

namespace interlock::scenarios {
namespace {

using ::testing::ElementsAre;

/// How far the client's time of day is ahead of the server's, in ms, whenever it is granted the
/// lock.
std::vector<std::int64_t> AheadAtEachGrant(const ClientPlan& plan) {
  std::vector<std::int64_t> ahead;
  const auto subject = specimens::MakeLock(
      {.name = "test/looks-at-both-clocks",
       .summary = "compares the client's time of day with the server's",
       .lock = [&ahead](specimens::RedisClient& redis, specimens::Attempt& attempt) {
         const Result<Reply> time = redis.Call({"TIME"});
         const std::int64_t server_ms = std::atoll(time->elements[0].text.c_str()) * 1000 +
                                        std::atoll(time->elements[1].text.c_str()) / 1000;
         ahead.push_back(redis.environment().wall_ms() - server_ms);
         return specimens::LockCorrectly(redis, attempt);
       }});
  Workload workload;
  workload.lease = std::chrono::seconds(1);
  workload.clients = {plan};
  sim::Universe universe;
  sim::Choices choices = sim::Choices::FromTape({});
  RunOnce(universe, {subject.get(), FindScenario("contention"), SynchronyClass::kNone}, workload,
          choices);
  ahead.resize(plan.operations.size());  // without those of the probes
  return ahead;
}

ClientPlan AsksAtOnceAndAfter(std::chrono::seconds pause) {
  Operation later;
  later.think = pause;
  ClientPlan plan;
  plan.operations = {Operation{}, later};
  return plan;
}

TEST(WallClockTest, BeginsWithTheServersWhateverTheMonotonicClockShows) {
  ClientPlan plan = AsksAtOnceAndAfter(std::chrono::seconds(100));
  plan.clock_offset = std::chrono::seconds(3000);
  EXPECT_THAT(AheadAtEachGrant(plan), ElementsAre(0, 0));
}

TEST(WallClockTest, RunsAtTheRateOfTheClient) {
  ClientPlan plan = AsksAtOnceAndAfter(std::chrono::seconds(100));
  plan.clock_rate_ppm = 10'000;
  const std::vector<std::int64_t> ahead = AheadAtEachGrant(plan);
  EXPECT_EQ(ahead[0], 0);
  EXPECT_NEAR(static_cast<double>(ahead[1]), 990, 1) << "of 100 s by its own clock";
}

TEST(WallClockTest, JumpsWithTheClientsClock) {
  ClientPlan plan = AsksAtOnceAndAfter(std::chrono::seconds(1));
  plan.faults = {{sim::FaultKind::kClientClockJump, 8, std::chrono::seconds(20), 0}};
  const std::vector<std::int64_t> ahead = AheadAtEachGrant(plan);
  EXPECT_EQ(ahead[0], 0);
  EXPECT_EQ(ahead[1], 20'000);
}

TEST(WallClockTest, OfTheMachineIsSetToThisCentury) {
  EXPECT_GT(MachineWallClock()(), 1'600'000'000'000);
}

}  // namespace
}  // namespace interlock::scenarios
