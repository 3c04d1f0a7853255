// SPDX-License-Identifier: MIT
//
// The end of a world with tasks that have not ended, and the escape tripwire.
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "sim/tripwire.h"
#include "sim/world.h"
#include "tests/sim/world_fixture.h"

namespace interlock::sim {
namespace {

TEST(TeardownTest, EverySeamCallFailsAndNothingReachesTrace) {
  Bench bench(1);
  std::vector<StatusCode> codes;
  bool waited = true;
  bench.world->Start(0, [&] {
    auto connection = bench.Connect(0);
    codes.push_back(Call(*connection, {"BLPOP", "k", "0"}).code());
    codes.push_back(Send(*connection, {"DEL", "k"}).code());
    codes.push_back(bench.world->connector(0).Connect(kNever).code());
    waited = bench.world->runtime(0).NewEvent()->WaitUntil(kNever);
    EXPECT_GT(bench.world->runtime(0).Now(), At({}));
    auto never = bench.world->runtime(0).Spawn("late", [&] { codes.push_back(StatusCode::kOk); });
  });
  EXPECT_EQ(bench.world->Run(kHorizon), StopReason::kIdle);
  bench.TearDown();
  EXPECT_EQ(codes, std::vector<StatusCode>(3, StatusCode::kCancelled));
  EXPECT_FALSE(waited);
  EXPECT_EQ(bench.observer.commands.size(), 1u);
}

// A parent whose locals its child uses: the child must end before the parent goes on.
TEST(TeardownTest, AParentOutlivesItsChildren) {
  Bench bench(1);
  std::string order;
  bench.world->Start(0, [&] {
    Runtime& runtime = bench.world->runtime(0);
    auto stop = runtime.NewEvent();
    auto child = runtime.Spawn("child", [&] {
      while (!stop->IsSet()) stop->WaitUntil(AddSaturating(runtime.Now(), seconds(1)));
      order += "child ";
    });
    runtime.NewEvent()->WaitUntil(kNever);
    stop->Set();
    child.reset();
    order += "parent";
  });
  EXPECT_EQ(bench.world->Run(seconds(10)), StopReason::kTime);
  bench.TearDown();
  EXPECT_EQ(order, "child parent");
}

TEST(TeardownTest, AChildThatSpinsGetsWhatItWaitsFor) {
  Bench bench(1);
  bool ended = false;
  bench.world->Start(0, [&] {
    Runtime& runtime = bench.world->runtime(0);
    auto ready = runtime.NewEvent();
    auto helper = runtime.Spawn("helper", [&] {
      runtime.NewEvent()->WaitUntil(kNever);
      ready->Set();
    });
    while (!ready->IsSet()) ready->WaitUntil(AddSaturating(runtime.Now(), seconds(1)));
    ended = true;
  });
  bench.world->Run(seconds(10));
  bench.TearDown();
  EXPECT_TRUE(ended);
}

TEST(TeardownTest, AFiberThatNeverEndsIsUnwound) {
  Bench bench(1);
  bool unwound = false;
  bench.world->Start(0, [&] {
    struct Guard {
      bool* unwound;
      ~Guard() { *unwound = true; }
    } guard{&unwound};
    for (;;) bench.Sleep(0, seconds(1));
  });
  EXPECT_EQ(bench.world->Run(seconds(10)), StopReason::kTime);
  bench.TearDown();
  EXPECT_TRUE(unwound);
  EXPECT_EQ(bench.universe.stacks().available(), bench.universe.stacks().created());
}

// Code that swallows even the unwinding is given up with its stack; the program goes on.
TEST(TeardownTest, AFiberThatSwallowsTheUnwindingIsAbandoned) {
  Bench bench(1);
  bench.world->Start(0, [&] {
    for (;;) {
      try {
        for (;;) bench.world->runtime(0).Now(), bench.Sleep(0, seconds(1));
      } catch (...) {
      }
    }
  });
  EXPECT_EQ(bench.world->Run(seconds(10)), StopReason::kTime);
  bench.TearDown();
  EXPECT_EQ(bench.universe.stacks().available() + 1, bench.universe.stacks().created());
}

TEST(TeardownTest, TasksThatWaitForEachOtherAreUnwound) {
  Bench bench(1);
  int ended = 0;
  bench.world->Start(0, [&] {
    struct Count {
      int* ended;
      ~Count() { ++*ended; }
    };
    Runtime& runtime = bench.world->runtime(0);
    std::unique_ptr<Task> first;
    std::unique_ptr<Task> second;
    first = runtime.Spawn("first", [&] {
      const Count count{&ended};
      bench.Sleep(0, seconds(1));
      second->Join();
    });
    second = runtime.Spawn("second", [&] {
      const Count count{&ended};
      first->Join();
    });
  });
  EXPECT_EQ(bench.world->Run(seconds(10)), StopReason::kIdle);
  EXPECT_EQ(bench.world->PendingTasks().size(), 3u) << "the handles wait, too";
  bench.TearDown();
  EXPECT_EQ(ended, 2);
}

TEST(TeardownTest, ATaskThatHasNotBegunNeverRuns) {
  Bench bench(1);
  bool ran = false;
  bench.world->Start(
      0, [&] { ran = true; }, seconds(10));
  EXPECT_EQ(bench.world->Run(seconds(1)), StopReason::kTime);
  bench.TearDown();
  EXPECT_FALSE(ran);
}

TEST(TripwireTest, OutsideOfTasksTheRealFunctionsAnswer) {
  EXPECT_GT(std::chrono::system_clock::now().time_since_epoch().count(), 0);
  std::this_thread::sleep_for(std::chrono::nanoseconds(1));
  EXPECT_EQ(TripwireReason(), nullptr);
}

TEST(TripwireTest, AnExemptionLetsATaskThrough) {
  Bench bench(1);
  bench.world->Start(0, [] {
    const TripwireExemption exemption;
    EXPECT_GT(std::chrono::steady_clock::now().time_since_epoch().count(), 0);
  });
  EXPECT_EQ(bench.world->Run(kHorizon), StopReason::kFinished);
}

void Escape(void (*escape)()) {
  Bench bench(1);
  bench.world->Start(0, escape);
  bench.world->Run(kHorizon);
}

TEST(TripwireDeathTest, RealTimeAndThreadsInATaskEndTheProgram) {
  if (!TripwireIsArmed()) GTEST_SKIP() << "not in sanitizer builds";
  EXPECT_DEATH(Escape([] { static_cast<void>(std::chrono::steady_clock::now()); }),
               "escaped the simulation through clock_gettime");
  EXPECT_DEATH(Escape([] { std::this_thread::sleep_for(std::chrono::milliseconds(1)); }),
               "escaped the simulation through (clock_)?nanosleep");
  EXPECT_DEATH(Escape([] { std::thread([] {}).join(); }),
               "escaped the simulation through pthread_create");
}

}  // namespace
}  // namespace interlock::sim
