// SPDX-License-Identifier: MIT
//
// Threads of a simulated process that are OS threads (the slow mode): what differs from those that
// share one. All that does not differ is tested by the other tests of this folder, which run in
// this mode, too.
#include <dlfcn.h>
#include <pthread.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <functional>
#include <iterator>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/sim/world_fixture.h"

namespace interlock::sim {
namespace {

using ::testing::ElementsAre;

std::ptrdiff_t OsThreads() {
  const std::filesystem::directory_iterator all("/proc/self/task");
  return std::distance(begin(all), end(all));
}

/// The kernel goes on listing a thread for a moment after it has been joined.
bool OsThreadsBecome(std::ptrdiff_t count) {
  const auto limit = std::chrono::steady_clock::now() + seconds(10);
  while (OsThreads() != count && std::chrono::steady_clock::now() < limit) {
    std::this_thread::yield();
  }
  return OsThreads() == count;
}

void RunOnOsThreads(Bench& bench, std::function<void()> main) {
  bench.world->ServePosix(0, /*os_threads=*/true);
  bench.world->Start(0, std::move(main));
  EXPECT_EQ(bench.world->Run(kHorizon), StopReason::kFinished);
}

void RunOnOsThreads(std::function<void()> main) {
  Bench bench(1);
  RunOnOsThreads(bench, std::move(main));
}

thread_local int of_this_thread = 5;

TEST(OsThreadTest, AThreadWritesToTheThreadLocalOfAnotherByItsAddress) {
  RunOnOsThreads([] {
    int* const mine = &of_this_thread;
    std::thread([mine] {
      EXPECT_NE(&of_this_thread, mine);
      EXPECT_EQ(of_this_thread, 5);
      of_this_thread = 6;
      *mine = 7;
    }).join();
    EXPECT_EQ(of_this_thread, 7);
  });
  EXPECT_EQ(of_this_thread, 5) << "the thread that runs the world has one, too";
}

TEST(OsThreadTest, ALibraryThatIsLoadedLaterHasThreadLocalsOfEachThread) {
  std::vector<int> calls;
  RunOnOsThreads([&calls] {
    void* const late = dlopen(INTERLOCK_LATE_OBJECT, RTLD_NOW);
    ASSERT_NE(late, nullptr);
    const auto call = reinterpret_cast<int (*)()>(dlsym(late, "InterlockLateCallOfThisThread"));
    ASSERT_NE(call, nullptr);
    calls.push_back(call());
    std::thread([&] { calls.push_back(call()); }).join();
    calls.push_back(call());
    dlclose(late);
  });
  EXPECT_THAT(calls, ElementsAre(1, 1, 2));
}

TEST(OsThreadTest, WhatStrerrorReturnsIsOfItsThread) {
  RunOnOsThreads([] {
    const char* const mine = std::strerror(1000);
    const std::string before = mine;
    std::thread([] { EXPECT_STREQ(std::strerror(1001), "Unknown error 1001"); }).join();
    EXPECT_EQ(before, mine);
  });
}

TEST(OsThreadTest, WhoeverWantsAStreamThatAnotherHasLetsItGoOn) {
  std::vector<int> order;
  RunOnOsThreads([&order] {
    flockfile(stderr);
    std::thread other([&order] {
      flockfile(stderr);
      order.push_back(2);
      funlockfile(stderr);
    });
    std::this_thread::sleep_for(milliseconds(1));
    order.push_back(1);
    funlockfile(stderr);
    other.join();
  });
  EXPECT_THAT(order, ElementsAre(1, 2));
}

// Waits on its own node for the one ahead of it, which finds that by its address.
class QueueLock {
 public:
  void Lock() {
    node_ = {};
    Node* const ahead = last_.exchange(&node_);
    if (ahead == nullptr) return;
    node_.waits = true;
    ahead->next = &node_;
    while (node_.waits) std::this_thread::yield();
  }
  void Unlock() {
    Node* own = &node_;
    if (node_.next == nullptr && last_.compare_exchange_strong(own, nullptr)) return;
    while (node_.next == nullptr) std::this_thread::yield();
    node_.next.load()->waits = false;
  }

 private:
  struct Node {
    Node() = default;
    Node& operator=(const Node& /*other*/) {
      next = nullptr;
      waits = false;
      return *this;
    }
    std::atomic<Node*> next{nullptr};
    std::atomic<bool> waits{false};
  };
  static thread_local Node node_;
  std::atomic<Node*> last_{nullptr};
};
thread_local QueueLock::Node QueueLock::node_;

TEST(OsThreadTest, AQueueLockOfThreadLocalNodesExcludes) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    Bench bench(1, {}, Bench::Exact(), Choices::FromSeed(seed));
    int inside = 0;
    int entered = 0;
    RunOnOsThreads(bench, [&] {
      QueueLock lock;
      const auto enter = [&] {
        for (int i = 0; i < 3; ++i) {
          lock.Lock();
          EXPECT_EQ(++inside, 1);
          std::this_thread::sleep_for(milliseconds(1));
          --inside;
          ++entered;
          lock.Unlock();
        }
      };
      std::vector<std::thread> threads;
      for (int i = 0; i < 3; ++i) threads.emplace_back(enter);
      for (std::thread& thread : threads) thread.join();
    });
    EXPECT_EQ(entered, 9);
  }
}

/// What three threads do to a vector, and the hash of the run.
std::pair<std::vector<int>, std::uint64_t> OrderOf(std::uint64_t seed, bool os_threads) {
  Bench bench(1, {}, Bench::Exact(), Choices::FromSeed(seed));
  std::vector<int> order;
  bench.world->ServePosix(0, os_threads);
  bench.world->Start(0, [&order] {
    std::mutex mutex;
    std::vector<std::thread> threads;
    for (int thread = 0; thread < 3; ++thread) {
      threads.emplace_back([&, thread] {
        for (int i = 0; i < 3; ++i) {
          const std::lock_guard<std::mutex> lock(mutex);
          order.push_back(thread);
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
  });
  EXPECT_EQ(bench.world->Run(kHorizon), StopReason::kFinished);
  return {order, bench.world->trace().hash()};
}

TEST(OsThreadTest, TheOrderAndTheHashAreThoseOfThreadsThatShareOne) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    EXPECT_EQ(OrderOf(seed, true), OrderOf(seed, false)) << seed;
  }
}

// Some crash inside of a catch block, or while an exception is under way.
TEST(OsThreadTest, NoneIsLeftAfterCrashesAtAnyStep) {
  const std::ptrdiff_t before = OsThreads();
  int crashes = 0;
  for (int step = 0; step < 12; ++step) {
    Bench bench(1, {{.kind = FaultKind::kCrash, .step = step}});
    RunOnOsThreads(bench, [] {
      std::thread([] {
        try {
          throw std::runtime_error("first");
        } catch (const std::runtime_error& error) {
          for (int i = 0; i < 5; ++i) std::this_thread::sleep_for(seconds(1));
          EXPECT_STREQ(error.what(), "first");
        }
      }).join();
      try {
        throw std::runtime_error("second");
      } catch (...) {
        for (int i = 0; i < 5; ++i) std::this_thread::sleep_for(seconds(1));
      }
    });
    crashes += bench.world->crashed(0) ? 1 : 0;
  }
  EXPECT_GT(crashes, 8);
  EXPECT_TRUE(OsThreadsBecome(before));
}

TEST(OsThreadTest, OneThatNeverEndsGoesWithItsWorld) {
  const std::ptrdiff_t before = OsThreads();
  for (int i = 0; i < 20; ++i) {
    Bench bench(1);
    RunOnOsThreads(bench, [] {
      std::thread([] {
        for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
      }).detach();
      std::this_thread::sleep_for(seconds(1));
    });
    EXPECT_TRUE(OsThreadsBecome(before + 1)) << "the one that is left where it stands";
    bench.TearDown();
    EXPECT_TRUE(OsThreadsBecome(before));
  }
}

}  // namespace
}  // namespace interlock::sim
