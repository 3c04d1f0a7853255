// SPDX-License-Identifier: MIT
//
// What the threads of a simulated process do once it is over: those of one that crashed go on to
// their ends when its world does, so that nothing is lost, and must do no harm meanwhile.
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <shared_mutex>
#include <stop_token>
#include <thread>

#include <gtest/gtest.h>

#include "tests/sim/posix/one_process.h"

namespace interlock::sim {
namespace {

/// Calls `main` in a world whose process crashes at this step, and ends the world. Whether it did.
bool CrashesAt(int step, const std::function<void()>& main) {
  Bench bench(1, {{.kind = FaultKind::kCrash, .step = step}});
  bench.ServePosix(0);
  bench.world->Start(0, main);
  static_cast<void>(bench.world->Run(kHorizon));
  const bool crashed = bench.world->crashed(0);
  bench.TearDown();
  return crashed;
}

/// Three threads that take turns in a section, in which each waits for a while. Returns how many
/// were there at once at most.
template <typename Mutex>
int MostInASection(int step, bool& crashed) {
  int most = 0;
  crashed = CrashesAt(step, [&most] {
    Mutex mutex;
    int inside = 0;
    const auto work = [&] {
      for (int i = 0; i < 3; ++i) {
        const std::lock_guard<Mutex> lock(mutex);
        most = std::max(most, ++inside);
        std::this_thread::sleep_for(milliseconds(10));
        --inside;
      }
    };
    std::thread first(work);
    std::thread second(work);
    work();
    first.join();
    second.join();
  });
  return most;
}

TEST(PosixTeardownTest, ThreadsOfACrashedProcessNeverMeetInASection) {
  int crashes = 0;
  for (int step = 0; step < 40; ++step) {
    bool crashed = false;
    EXPECT_LE(MostInASection<std::mutex>(step, crashed), 1) << step;
    EXPECT_LE(MostInASection<std::shared_mutex>(step, crashed), 1) << step;
    EXPECT_LE(MostInASection<std::recursive_mutex>(step, crashed), 1) << step;
    crashes += crashed ? 1 : 0;
  }
  EXPECT_GT(crashes, 10);
}

TEST(PosixTeardownTest, WhoeverWaitsForAConditionLeavesTheMutexToOthers) {
  for (int step = 0; step < 20; ++step) {
    bool stopped = false;
    const bool crashed = CrashesAt(step, [&stopped] {
      std::mutex mutex;
      std::condition_variable changed;
      bool stop = false;
      std::thread waiting([&] {
        std::unique_lock<std::mutex> lock(mutex);
        changed.wait(lock, [&] { return stop; });
        stopped = true;
      });
      std::this_thread::sleep_for(seconds(1));
      {
        const std::lock_guard<std::mutex> lock(mutex);
        stop = true;
      }
      changed.notify_all();
      waiting.join();
    });
    EXPECT_TRUE(stopped || crashed) << step;
  }
}

// A process ends when main returns, whatever its threads do then.
TEST(PosixTeardownTest, NoThreadGoesOnAfterTheEndOfItsProcess) {
  int ticks = 0;
  {
    Bench bench(1);
    bench.ServePosix(0);
    bench.world->Start(0, [&ticks] {
      std::thread([&ticks] {
        for (;;) {
          std::this_thread::sleep_for(seconds(1));
          ++ticks;
        }
      }).detach();
      std::this_thread::sleep_for(milliseconds(2500));
    });
    EXPECT_EQ(bench.world->Run(kHorizon), StopReason::kFinished);
    EXPECT_TRUE(bench.world->finished(0));
    EXPECT_EQ(ticks, 2);
    bench.TearDown();
  }
  EXPECT_EQ(ticks, 2);
}

// libstdc++ leaves out the wake-up as long as glibc says that there is one thread.
TEST(PosixTeardownTest, AStopCallbackThatRunsIsWaitedForAndWokenFrom) {
  RunOne([] {
    std::atomic<int> called = 0;
    std::jthread stopping;
    std::stop_source source;
    {
      const std::stop_callback callback(source.get_token(), [&called] {
        std::this_thread::sleep_for(seconds(1));
        ++called;
      });
      stopping = std::jthread([&source] { source.request_stop(); });
      std::this_thread::sleep_for(milliseconds(500));
    }
    EXPECT_EQ(called, 1);
  });
}

}  // namespace
}  // namespace interlock::sim
