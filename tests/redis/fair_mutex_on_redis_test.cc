// SPDX-License-Identifier: MIT
//
// The fair mutex on the whole production stack: order, hand-over, and waiters that die.
#include <interlock/fair_mutex.h>

#include <chrono>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "src/scripts/fair_scripts.h"
#include "tests/redis/lock_test.h"
#include "tests/support/script_words.h"

namespace interlock::testing {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class FairMutexOnRedisTest : public LockTest {
 protected:
  void SetUp() override {
    LockTest::SetUp();
    process_ = NewProcess();
  }
  FairMutex NewFairMutex(const Process& process, Duration lease = seconds(30)) {
    return Make<FairMutex>(
        *process.client, "press",
        FairMutexOptions{.lease = lease, .grace = kGrace, .retry = {.max_wait = kLook}});
  }
  std::string Ask(const std::vector<std::string>& words) {
    const Result<std::string> answer = server_->Command(words);
    return answer.ok() ? answer.value() : answer.status().ToString();
  }
  /// And never fetch what is granted.
  void StandInLine(const std::string& token) {
    const internal::FairScripts scripts("interlock:fair:", "press", seconds(30), {kGrace, kLook});
    Ask(Eval(scripts.Queue(token)));
  }
  void AwaitInLine(int waiters) {
    const MonotonicTime deadline = In(seconds(10));
    while (Ask({"ZCARD", "interlock:fair:{press}:queue"}) != std::to_string(waiters) &&
           runtime_.Now() < deadline) {
      SleepFor(milliseconds(2));
    }
  }

  static constexpr milliseconds kGrace{200};
  static constexpr milliseconds kLook{100};
  Process process_;
};

TEST_F(FairMutexOnRedisTest, ServesWaitersInTheOrderInWhichTheyCame) {
  constexpr int kWaiters = 8;
  FairMutex mutex = NewFairMutex(process_);
  Result<Lease> first = mutex.TryAcquire();
  ASSERT_TRUE(first.ok());
  std::mutex guard;
  std::vector<int> order;
  std::vector<std::thread> waiters;
  for (int i = 0; i < kWaiters; ++i) {
    waiters.emplace_back([&, i] {
      Result<Lease> lease = mutex.AcquireFor(seconds(20));
      if (!lease.ok()) return;
      {
        const std::lock_guard<std::mutex> hold(guard);
        order.push_back(i);
      }
      EXPECT_TRUE(lease->Release().ok());
    });
    AwaitInLine(i + 1);
  }
  EXPECT_EQ(mutex.TryAcquire().code(), StatusCode::kNotAcquired);
  EXPECT_TRUE(first->Release().ok());
  for (std::thread& waiter : waiters) waiter.join();
  EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(Ask({"EXISTS", "interlock:fair:{press}"}), "0");
  EXPECT_EQ(Ask({"EXISTS", "interlock:fair:{press}:queue"}), "0");
}

TEST_F(FairMutexOnRedisTest, AReleaseHandsOverInTheSameInstant) {
  FairMutex mutex = NewFairMutex(process_);
  Result<Lease> first = mutex.TryAcquire();
  ASSERT_TRUE(first.ok());
  StatusCode answer = StatusCode::kTimeout;
  std::thread waiter([&] {
    Result<Lease> lease = mutex.AcquireFor(seconds(20));
    answer = lease.code();
    if (lease.ok()) lease->Forget();
  });
  AwaitInLine(1);
  EXPECT_TRUE(first->Release().ok());
  EXPECT_EQ(mutex.TryAcquire().code(), StatusCode::kNotAcquired);
  waiter.join();
  EXPECT_EQ(answer, StatusCode::kOk);
}

// It stands in line and never fetches its grant, as after kill -9.
TEST_F(FairMutexOnRedisTest, AWaiterThatHasDiedIsPassedOver) {
  FairMutex mutex = NewFairMutex(process_);
  Result<Lease> first = mutex.TryAcquire();
  ASSERT_TRUE(first.ok());
  StandInLine("dead");
  StatusCode answer = StatusCode::kTimeout;
  std::thread waiter([&] { answer = mutex.AcquireFor(seconds(20)).code(); });
  AwaitInLine(2);
  EXPECT_TRUE(first->Release().ok());
  EXPECT_EQ(Ask({"GET", "interlock:fair:{press}"}).rfind("dead ", 0), 0U);
  waiter.join();
  EXPECT_EQ(answer, StatusCode::kOk);
}

// Else the waiter would find its grant later, when somebody else has the mutex.
TEST_F(FairMutexOnRedisTest, WhatWasForcedFromAWaiterIsNotFetchedByIt) {
  FairMutex mutex = NewFairMutex(process_);
  Result<Lease> first = mutex.TryAcquire();
  ASSERT_TRUE(first.ok());
  StandInLine("late");
  EXPECT_TRUE(first->Release().ok());
  ASSERT_EQ(Ask({"LLEN", "interlock:fair:{press}:turn:late"}), "1");
  const Result<Inspection> now = mutex.Inspect();
  ASSERT_TRUE(now.ok() && now->holders.size() == 1);
  EXPECT_TRUE(mutex.ForceRelease(now->holders.front()).ok());
  EXPECT_EQ(Ask({"EXISTS", "interlock:fair:{press}:turn:late"}), "0");
  EXPECT_TRUE(mutex.TryAcquire().ok());
}

TEST_F(FairMutexOnRedisTest, GivingUpLeavesTheLine) {
  FairMutex mutex = NewFairMutex(process_);
  const Result<Lease> first = mutex.TryAcquire();
  ASSERT_TRUE(first.ok());
  EXPECT_EQ(mutex.AcquireFor(milliseconds(30)).code(), StatusCode::kTimeout);
  EXPECT_EQ(Ask({"EXISTS", "interlock:fair:{press}:queue"}), "0");
}

}  // namespace
}  // namespace interlock::testing
