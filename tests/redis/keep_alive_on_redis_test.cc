// SPDX-License-Identifier: MIT
//
// Renewal and loss notice on the whole production stack, with real threads: what ThreadSanitizer
// is to see.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include <interlock/multi_mutex.h>
#include <interlock/mutex.h>

#include "tests/redis/lock_test.h"

namespace interlock::testing {
namespace {

class KeepAliveOnRedisTest : public LockTest {
 protected:
  Mutex NewMutex(const Process& process, Duration lease, const std::string& name = "job") {
    return Make<Mutex>(*process.client, name, MutexOptions{.lease = lease, .retry = {}});
  }
};

TEST_F(KeepAliveOnRedisTest, ALeaseIsKeptAliveWhileOthersWaitInVain) {
  const Process a = NewProcess();
  const Process b = NewProcess();
  Result<Lease> held = NewMutex(a, milliseconds(500)).TryAcquire();
  ASSERT_TRUE(held.ok());
  ASSERT_TRUE(held->KeepAlive(seconds(60)).ok());
  EXPECT_EQ(NewMutex(b, seconds(10)).AcquireFor(milliseconds(1500)).code(), StatusCode::kTimeout);
  EXPECT_TRUE(held->valid());
  EXPECT_FALSE(held->lost().IsSet());
  EXPECT_TRUE(held->Release().ok());
  EXPECT_TRUE(NewMutex(b, seconds(10)).TryAcquire().ok());
}

TEST_F(KeepAliveOnRedisTest, TheLossIsToldWhileTheServerStandsStill) {
  const Process process = NewProcess();
  Result<Lease> held = NewMutex(process, milliseconds(600)).TryAcquire();
  ASSERT_TRUE(held.ok());
  std::atomic<bool> called = false;
  held->OnLost([&] { called = true; });
  ASSERT_TRUE(held->KeepAlive(seconds(60)).ok());
  server_->Pause();
  EXPECT_TRUE(held->lost().WaitUntil(In(seconds(60))));
  EXPECT_GE(runtime_.Now(), held->valid_until());
  while (!called) SleepFor(milliseconds(1));
  server_->Resume();
  EXPECT_FALSE(held->valid());
}

TEST_F(KeepAliveOnRedisTest, SeveralAtOnceAreKeptAliveUntilOneIsLost) {
  const Process process = NewProcess();
  MultiMutex both = Make<MultiMutex>(*process.client, std::vector<std::string>{"a", "b"},
                                     MutexOptions{.lease = milliseconds(500), .retry = {}});
  Result<MultiLease> held = both.TryAcquire();
  ASSERT_TRUE(held.ok());
  std::atomic<int> replaced = 0;
  std::atomic<int> called = 0;
  held->OnLost([&] { ++replaced; });
  held->OnLost([&] { ++called; });
  ASSERT_TRUE(held->KeepAlive(seconds(60)).ok());
  EXPECT_FALSE(held->lost().WaitUntil(In(milliseconds(1500))));
  EXPECT_TRUE(held->valid());
  EXPECT_EQ(called, 0);

  ASSERT_EQ(*server_->Command({"DEL", "interlock:{b}"}), "1");
  EXPECT_TRUE(held->lost().WaitUntil(In(seconds(60))));
  EXPECT_FALSE(held->valid());
  while (called == 0) SleepFor(milliseconds(1));
  // The other one is kept until it is released, and its loss is no second one.
  EXPECT_TRUE(held->leases().front().valid());
  ASSERT_EQ(*server_->Command({"DEL", "interlock:{a}"}), "1");
  while (held->leases().front().valid()) SleepFor(milliseconds(1));
  EXPECT_EQ(held->Release().code(), StatusCode::kNotOwner);
  EXPECT_EQ(called, 1);
  EXPECT_EQ(replaced, 0);
}

// Grants that come and go at all moments of their renewal, on one client: the rest is for
// ThreadSanitizer to find.
TEST_F(KeepAliveOnRedisTest, ManyThreadsKeepManyLeasesOfOneClientAlive) {
  constexpr int kThreads = 4;
  constexpr int kRounds = 60;
  const Process process = NewProcess();
  std::atomic<int> lost = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      Mutex mutex = NewMutex(process, milliseconds(20), "job-" + std::to_string(i));
      for (int round = 0; round < kRounds; ++round) {
        Result<Lease> lease = mutex.AcquireFor(seconds(60));
        if (!lease.ok()) continue;
        lease->OnLost([&] { ++lost; });
        (void)lease->KeepAlive(seconds(1));
        (void)lease->lost().WaitUntil(In(milliseconds(round % 12)));
        if (round % 3 == 0) (void)lease->Extend();
        if (round % 5 == 0) lease->Forget();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_LE(lost, kThreads * kRounds);
}

}  // namespace
}  // namespace interlock::testing
