// SPDX-License-Identifier: MIT
//
// What is initialised once, by which of the threads and processes.
#include <cxxabi.h>
#include <pthread.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "tests/sim/world_fixture.h"

namespace interlock::sim {
namespace {

/// A function static that each test makes anew, by what the compiler calls for one.
struct Static {
  abi::__guard guard = 0;
  std::vector<int> made_by;

  void Touch(int who) {
    if (abi::__cxa_guard_acquire(&guard) == 0) return;
    std::this_thread::sleep_for(seconds(10));
    made_by.push_back(who);
    abi::__cxa_guard_release(&guard);
  }
};

/// Each process runs it in a thread of its own, the second one a second later than the first.
void RunTwo(Bench& bench, const std::function<void(int process)>& main) {
  for (int process = 0; process < 2; ++process) {
    bench.ServePosix(process);
    bench.world->Start(
        process, [&main, process] { main(process); }, seconds(process));
  }
  EXPECT_EQ(bench.world->Run(kHorizon), StopReason::kFinished);
}

TEST(InitialisationsTest, AProcessWaitsForAnotherThatInitialisesWhatBothHave) {
  Bench bench(2);
  Static shared;
  std::vector<VirtualTime> ends;
  RunTwo(bench, [&](int process) {
    shared.Touch(process);
    ends.push_back(bench.world->now());
  });
  EXPECT_EQ(shared.made_by, std::vector{0});
  ASSERT_EQ(ends.size(), 2U);
  EXPECT_EQ(ends[0], seconds(10));
  EXPECT_LT(ends[1], seconds(12));
  EXPECT_EQ(abi::__cxa_guard_acquire(&shared.guard), 0);
}

TEST(InitialisationsTest, WhatACrashLeavesUnfinishedAnotherProcessBeginsAnew) {
  Bench bench(2, {{.kind = FaultKind::kCrash, .process = 0, .step = 0}});
  Static shared;
  int ended = 0;
  // Teardown resumes the one that crashed.
  const std::function<void(int)> main = [&](int process) {
    shared.Touch(process);
    ++ended;
  };
  RunTwo(bench, main);
  EXPECT_TRUE(bench.world->crashed(0));
  EXPECT_EQ(shared.made_by, std::vector{1});
  EXPECT_EQ(ended, 1);
  bench.TearDown();
}

TEST(InitialisationsTest, ThreadsOfAProcessWaitForTheOneThatInitialises) {
  Bench bench(1);
  bench.ServePosix(0);
  Static shared;
  int called = 0;
  bench.world->Start(0, [&] {
    std::once_flag flag;
    const auto initialise = [&](int who) {
      shared.Touch(who);
      EXPECT_EQ(shared.made_by.size(), 1U);
      std::call_once(flag, [&] {
        std::this_thread::sleep_for(seconds(1));
        ++called;
      });
      EXPECT_EQ(called, 1);
    };
    std::thread first(initialise, 1);
    std::thread second(initialise, 2);
    first.join();
    second.join();
  });
  EXPECT_EQ(bench.world->Run(kHorizon), StopReason::kFinished);
}

TEST(InitialisationsTest, OneThatThrowsIsBegunAnewByTheNext) {
  Bench bench(1);
  bench.ServePosix(0);
  int made = 0;
  bench.world->Start(0, [&made] {
    std::once_flag flag;
    const auto initialise = [&] {
      std::call_once(flag, [&] {
        std::this_thread::sleep_for(seconds(1));
        if (++made == 1) throw std::runtime_error("not yet");
      });
    };
    std::thread second([&] {
      std::this_thread::sleep_for(milliseconds(1));
      initialise();
    });
    EXPECT_THROW(initialise(), std::runtime_error);
    second.join();
    initialise();
  });
  EXPECT_EQ(bench.world->Run(kHorizon), StopReason::kFinished);
  EXPECT_EQ(made, 2);
}

TEST(InitialisationsTest, AbortedByAnExceptionAGuardIsFreeAgain) {
  abi::__guard guard = 0;
  EXPECT_EQ(abi::__cxa_guard_acquire(&guard), 1);
  abi::__cxa_guard_abort(&guard);
  EXPECT_EQ(abi::__cxa_guard_acquire(&guard), 1);
  abi::__cxa_guard_release(&guard);
  EXPECT_EQ(abi::__cxa_guard_acquire(&guard), 0);
}

// Worlds of two OS threads meet at a static of the program: neither waits in virtual time for what
// happens in the other's.
TEST(InitialisationsTest, WorldsOfTwoOsThreadsInitialiseOnceTogether) {
  for (int round = 0; round < 200; ++round) {
    abi::__guard guard = 0;
    std::atomic<int> made = 0;
    const auto run = [&] {
      Bench bench(1);
      bench.ServePosix(0);
      bench.world->Start(0, [&] {
        if (abi::__cxa_guard_acquire(&guard) == 0) return;
        ++made;
        abi::__cxa_guard_release(&guard);
      });
      EXPECT_EQ(bench.world->Run(kHorizon), StopReason::kFinished);
      EXPECT_EQ(bench.world->now(), VirtualTime{});
    };
    std::thread other(run);
    run();
    other.join();
    EXPECT_EQ(made, 1);
  }
}

}  // namespace
}  // namespace interlock::sim
