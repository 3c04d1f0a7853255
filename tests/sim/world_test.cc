// SPDX-License-Identifier: MIT
//
// Scheduling, time, links and the verdicts of Run, without faults.
#include "sim/world.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "tests/sim/world_fixture.h"

namespace interlock::sim {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Three clients that fight for one key; what most determinism tests run.
std::uint64_t Fight(Choices& choices, const FaultPlan& plan, Universe& universe,
                    bool keep_events = false, bool hash_trace = true) {
  WorldOptions options;
  options.keep_events = keep_events;
  options.hash_trace = hash_trace;
  World world(universe, options, plan, choices, nullptr);
  for (int client = 0; client < 3; ++client) {
    world.AddProcess({.offset = seconds(client), .rate_ppm = client * 1000});
    world.Start(client, [&world, client] {
      auto connected = world.connector(client).Connect(kNever);
      if (!connected.ok()) return;
      Connection& connection = **connected;
      Runtime& runtime = world.runtime(client);
      for (int round = 0; round < 4; ++round) {
        const MonotonicTime deadline = AddSaturating(runtime.Now(), seconds(1));
        const auto set = Call(connection, {"SET", "k", "v", "NX", "PX", "20"}, deadline);
        if (!set.ok()) return;
        world.Step(client);
        if (set->IsNil()) {
          runtime.NewEvent()->WaitUntil(AddSaturating(runtime.Now(), milliseconds(1)));
        } else if (!Call(connection, {"DEL", "k"}, deadline).ok()) {
          return;
        }
      }
    });
  }
  world.Run(kHorizon);
  world.Heal();
  world.Run(2 * kHorizon);
  return world.trace().hash();
}

FaultPlan ManyFaults() {
  FaultPlan plan;
  int place = 0;
  for (const FaultKind kind :
       {FaultKind::kCrash, FaultKind::kPause, FaultKind::kExpiry, FaultKind::kDelayRequest,
        FaultKind::kDelayReply, FaultKind::kLostRequest, FaultKind::kLostReply,
        FaultKind::kResetBefore, FaultKind::kResetAfter, FaultKind::kHalfOpen}) {
    plan.push_back({kind, place % 3, 3 + 2 * place, milliseconds(5)});
    ++place;
  }
  return plan;
}

TEST(DeterminismTest, TheSameSeedGivesTheSameHash) {
  Universe universe;
  Universe other;
  std::set<std::uint64_t> hashes;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    for (const FaultPlan& plan : {FaultPlan{}, ManyFaults()}) {
      Choices first = Choices::FromSeed(seed);
      Choices second = Choices::FromSeed(seed);
      const std::uint64_t hash = Fight(first, plan, universe);
      EXPECT_EQ(hash, Fight(second, plan, other, /*keep_events=*/true)) << seed;
      EXPECT_EQ(first.TakeTape(), second.TakeTape());
      hashes.insert(hash);
    }
  }
  EXPECT_GT(hashes.size(), 90u) << "seeds must matter";
}

TEST(DeterminismTest, ATraceThatNobodyHashesChangesNothingElse) {
  Universe universe;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Choices hashed = Choices::FromSeed(seed);
    Choices bare = Choices::FromSeed(seed);
    EXPECT_NE(Fight(hashed, ManyFaults(), universe), 0u);
    EXPECT_EQ(Fight(bare, ManyFaults(), universe, /*keep_events=*/false, /*hash_trace=*/false), 0u);
    EXPECT_EQ(hashed.TakeTape(), bare.TakeTape()) << seed;
  }
}

TEST(DeterminismTest, AReplayedTapeGivesTheSameHash) {
  Universe universe;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Choices random = Choices::FromSeed(seed);
    const std::uint64_t hash = Fight(random, ManyFaults(), universe);
    Choices replay = Choices::FromTape(random.TakeTape());
    EXPECT_EQ(hash, Fight(replay, ManyFaults(), universe));
  }
}

// Whatever a shrinker makes of a tape is a run, and a reproducible one.
TEST(DeterminismTest, AnyTapeIsAValidRun) {
  Universe universe;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    Choices random = Choices::FromSeed(seed);
    Fight(random, ManyFaults(), universe);
    Tape tape = random.TakeTape();
    Choices edits = Choices::FromSeed(seed + 1000);
    for (std::vector<std::uint32_t>& lane : tape.lanes) {
      if (seed % 3 == 0) lane.resize(lane.size() / 2);
      if (seed % 3 == 1) lane.assign(lane.size(), 0);
      for (std::uint32_t& value : lane) {
        if (seed % 3 == 2) value = edits.Draw(Lane::kFault, 0xffffffff);
      }
    }
    Choices first = Choices::FromTape(tape);
    Choices second = Choices::FromTape(tape);
    EXPECT_EQ(Fight(first, ManyFaults(), universe), Fight(second, ManyFaults(), universe));
  }
}

// Frozen: the same program, plan and tape must give this hash in every build on every machine. A
// deliberate change of behaviour changes it, and with it the meaning of every recorded replay
// token.
TEST(DeterminismTest, GoldenHashIsFrozen) {
  Universe universe;
  Choices choices = Choices::FromSeed(20240229);
  EXPECT_EQ(Fight(choices, ManyFaults(), universe), 146790359255567522u);
}

TEST(WorldTest, LatencyStaysInItsBoundsAndSmallValuesAreLikelier) {
  WorldOptions options;
  options.latency_min = microseconds(100);
  options.latency_max = microseconds(1100);
  Bench bench(1, {}, options, Choices::FromSeed(1));
  std::vector<Duration> trips;
  bench.world->Start(0, [&] {
    auto connection = bench.Connect(0);
    for (int i = 0; i < 500; ++i) {
      const VirtualTime before = bench.world->now();
      ASSERT_TRUE(Call(*connection, {"GET", "k"}).ok());
      trips.push_back(bench.world->now() - before);
    }
  });
  EXPECT_EQ(bench.world->Run(kHorizon), StopReason::kFinished);
  int fast = 0;
  for (const Duration trip : trips) {
    EXPECT_GE(trip, microseconds(200));
    EXPECT_LE(trip, microseconds(2200));
    if (trip < microseconds(1200)) ++fast;
  }
  EXPECT_GT(fast, 375);
}

TEST(WorldTest, RepliesComeInTheOrderOfTheCommands) {
  WorldOptions options;
  Bench bench(1, {}, options, Choices::FromSeed(3));
  std::vector<std::int64_t> values;
  bench.world->Start(0, [&] {
    auto connection = bench.Connect(0);
    for (int i = 0; i < 50; ++i) ASSERT_TRUE(Send(*connection, {"INCR", "n"}).ok());
    for (int i = 0; i < 50; ++i) values.push_back(connection->Receive(kNever)->integer);
  });
  EXPECT_EQ(bench.world->Run(kHorizon), StopReason::kFinished);
  for (std::size_t i = 0; i < 50; ++i) EXPECT_EQ(values[i], static_cast<std::int64_t>(i + 1));
  EXPECT_EQ(bench.world->commands(), 50u);
}

TEST(WorldTest, ClocksRunAtTheirOwnRateAndDeadlinesAreLocal) {
  Bench bench(0);
  bench.world->AddProcess({.offset = seconds(100), .rate_ppm = 250'000});
  bench.world->Start(0, [&] {
    Runtime& runtime = bench.world->runtime(0);
    const MonotonicTime start = runtime.Now();
    EXPECT_EQ(start, At(seconds(100)));
    EXPECT_FALSE(runtime.NewEvent()->WaitUntil(start + seconds(10)));
    EXPECT_EQ(bench.world->now(), seconds(8)) << "a fast clock's deadline comes early";
    EXPECT_EQ(runtime.Now(), start + seconds(10));
  });
  EXPECT_EQ(bench.world->Run(kHorizon), StopReason::kFinished);
  EXPECT_EQ(bench.world->ServerTimeUs(), 1'700'000'008'000'000);
  EXPECT_EQ(bench.world->GlobalTimeOfServerMs(1'700'000'008'000), seconds(8));
}

TEST(WorldTest, RunStopsAtItsLimitAndGoesOn) {
  Bench bench(1);
  bool done = false;
  bench.world->Start(
      0,
      [&] {
        bench.Sleep(0, seconds(5));
        done = true;
      },
      seconds(1));
  EXPECT_EQ(bench.world->Run(seconds(3)), StopReason::kTime);
  EXPECT_EQ(bench.world->now(), seconds(3));
  EXPECT_FALSE(done);
  EXPECT_FALSE(bench.world->finished(0));
  EXPECT_EQ(bench.world->Run(seconds(10)), StopReason::kFinished);
  EXPECT_EQ(bench.world->now(), seconds(6));
  EXPECT_TRUE(bench.world->finished(0));
}

TEST(WorldTest, DeadlockIsReportedWithWhatEachTaskWaitsFor) {
  Bench bench(2);
  bench.world->Start(0, [&] {
    auto connection = bench.Connect(0);
    static_cast<void>(Call(*connection, {"BLPOP", "k", "0"}));
  });
  bench.world->Start(1, [&] { bench.world->runtime(1).NewEvent()->WaitUntil(kNever); });
  EXPECT_EQ(bench.world->Run(kHorizon), StopReason::kIdle);
  EXPECT_THAT(bench.world->PendingTasks(),
              ElementsAre("client 0: reply to `BLPOP k 0` since 2.000 ms",
                          "client 1: event without a deadline since 0.000 ms"));
}

TEST(WorldTest, StepLimitStopsABusyLoop) {
  WorldOptions options = Bench::Exact();
  options.max_steps = 1000;
  Bench bench(1, {}, options);
  bench.world->Start(0, [&] {
    Runtime& runtime = bench.world->runtime(0);
    for (int i = 0; i < 2000; ++i) runtime.Now();
  });
  EXPECT_EQ(bench.world->Run(kHorizon), StopReason::kStepLimit);
  EXPECT_EQ(bench.world->Run(kHorizon), StopReason::kStepLimit);
  EXPECT_FALSE(bench.world->finished(0));
}

TEST(WorldTest, AnUnmodelledCommandStopsTheRun) {
  Bench bench(1);
  bench.world->Start(0, [&] {
    auto connection = bench.Connect(0);
    static_cast<void>(Call(*connection, {"PFCOUNT", "k"}));
  });
  EXPECT_EQ(bench.world->Run(kHorizon), StopReason::kUnmodelled);
  EXPECT_THAT(bench.world->unmodelled().value_or(""), HasSubstr("PFCOUNT"));
}

TEST(WorldTest, BlockedPopIsReportedToTheObserverWhenItIsServed) {
  Bench bench(2);
  bench.world->Start(0, [&] {
    auto connection = bench.Connect(0);
    const auto popped = Call(*connection, {"BLPOP", "k", "0"});
    ASSERT_TRUE(popped.ok());
    EXPECT_EQ(popped->elements[1].text, "x");
  });
  bench.world->Start(1, [&] {
    auto connection = bench.Connect(1);
    bench.Sleep(1, seconds(1));
    ASSERT_TRUE(Call(*connection, {"RPUSH", "k", "x"}).ok());
  });
  EXPECT_EQ(bench.world->Run(kHorizon), StopReason::kFinished);
  EXPECT_THAT(bench.observer.commands,
              ElementsAre("0:BLPOP k 0 -> blocked", "1:RPUSH k x -> (integer) 1",
                          "0:BLPOP k 0 -> [\"k\", \"x\"]"));
}

TEST(WorldTest, BlockedPopTimesOutOnTheServersClock) {
  Bench bench(1);
  bench.world->Start(0, [&] {
    auto connection = bench.Connect(0);
    const auto popped = Call(*connection, {"BLPOP", "k", "2"});
    ASSERT_TRUE(popped.ok());
    EXPECT_TRUE(popped->IsNil());
  });
  EXPECT_EQ(bench.world->Run(kHorizon), StopReason::kFinished);
  EXPECT_GE(bench.world->now(), seconds(2) + milliseconds(4));
  EXPECT_LE(bench.world->now(), seconds(2) + milliseconds(6));
}

TEST(WorldTest, ExpiryIsNotedInAKeptTrace) {
  Bench bench(1);
  bench.world->Start(0, [&] {
    auto connection = bench.Connect(0);
    ASSERT_TRUE(Call(*connection, {"SET", "k", "v", "PX", "100"}).ok());
    bench.Sleep(0, seconds(1));
    EXPECT_TRUE(Call(*connection, {"GET", "k"})->IsNil());
  });
  EXPECT_EQ(bench.world->Run(kHorizon), StopReason::kFinished);
  int expired = 0;
  for (const TraceEvent& event : bench.world->trace().events()) {
    if (event.kind != TraceKind::kExpired) continue;
    ++expired;
    EXPECT_EQ(event.text, "k");
    EXPECT_EQ(event.time, milliseconds(103));
  }
  EXPECT_EQ(expired, 1);
}

TEST(WorldTest, EveryProcessSeesItsDatabase) {
  Bench bench(1);
  bench.world->AddProcess({}, 3);
  bench.world->Start(1, [&] {
    auto connection = bench.Connect(1);
    ASSERT_TRUE(Call(*connection, {"SET", "k", "v"}).ok());
  });
  EXPECT_EQ(bench.world->Run(kHorizon), StopReason::kFinished);
  EXPECT_EQ(bench.world->server().PeekString(3, "k"), "v");
  EXPECT_EQ(bench.world->server().PeekString(0, "k"), std::nullopt);
  EXPECT_EQ(bench.world->connector(1).endpoint(), "sim://server/3");
}

TEST(SimRuntimeTest, EventsWakeAllWaitersAndStaySet) {
  Bench bench(1);
  int woken = 0;
  bench.world->Start(0, [&] {
    Runtime& runtime = bench.world->runtime(0);
    auto event = runtime.NewEvent();
    auto first = runtime.Spawn("first", [&] { woken += event->WaitUntil(kNever) ? 1 : 0; });
    auto second = runtime.Spawn("second", [&] { woken += event->WaitUntil(kNever) ? 1 : 0; });
    bench.Sleep(0, seconds(1));
    EXPECT_FALSE(event->IsSet());
    event->Set();
    EXPECT_TRUE(event->WaitUntil(At({})));
    first->Join();
    second->Join();
    second->Join();
    EXPECT_EQ(woken, 2);
  });
  EXPECT_EQ(bench.world->Run(kHorizon), StopReason::kFinished);
  EXPECT_EQ(woken, 2);
}

TEST(SimRuntimeTest, DestroyingATaskHandleWaitsForItsEnd) {
  Bench bench(1);
  bool ended = false;
  bench.world->Start(0, [&] {
    {
      auto task = bench.world->runtime(0).Spawn("child", [&] {
        bench.Sleep(0, seconds(2));
        ended = true;
      });
    }
    EXPECT_TRUE(ended);
  });
  EXPECT_EQ(bench.world->Run(kHorizon), StopReason::kFinished);
  EXPECT_TRUE(ended);
}

TEST(SimRuntimeTest, RandomBytesAreDistinctAndReproducible) {
  std::set<std::string> seen;
  std::vector<std::string> runs[2];
  for (auto& run : runs) {
    Bench bench(3);
    for (int process = 0; process < 3; ++process) {
      for (int i = 0; i < 100; ++i) {
        std::string bytes(i % 2 == 0 ? 16 : 20, '\0');
        bench.world->runtime(process).FillRandom(std::as_writable_bytes(std::span(bytes)));
        run.push_back(bytes);
        seen.insert(bytes.substr(0, 8));
      }
    }
  }
  EXPECT_EQ(runs[0], runs[1]);
  EXPECT_EQ(seen.size(), 300u);
}

// A schedule draw of 0 lets the current task go on; other values really change the order.
TEST(SimRuntimeTest, TheScheduleLaneDecidesWhoGoesFirst) {
  std::set<std::string> orders;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    Bench bench(0, {}, Bench::Exact(), seed == 0 ? Choices::FromTape({}) : Choices::FromSeed(seed));
    std::string order;
    for (int process = 0; process < 3; ++process) {
      bench.world->AddProcess({});
      bench.world->Start(process, [&order, process] { order += static_cast<char>('a' + process); });
    }
    bench.world->Run(kHorizon);
    if (seed == 0) {
      EXPECT_EQ(order, "abc");
    }
    orders.insert(order);
  }
  EXPECT_EQ(orders.size(), 6u);
}

TEST(UniverseTest, StacksAreSharedByTheWorldsOfAUniverse) {
  Universe universe;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Choices choices = Choices::FromSeed(seed);
    Fight(choices, {}, universe);
  }
  EXPECT_LE(universe.stacks().created(), 3u);
  EXPECT_EQ(universe.stacks().created(), universe.stacks().available());
}

}  // namespace
}  // namespace interlock::sim
