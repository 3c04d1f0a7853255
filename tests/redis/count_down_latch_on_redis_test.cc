// SPDX-License-Identifier: MIT
//
// The count-down latch on the whole production stack.
#include <interlock/count_down_latch.h>

#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "tests/redis/lock_test.h"

namespace interlock::testing {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class CountDownLatchOnRedisTest : public LockTest {
 protected:
  void SetUp() override {
    LockTest::SetUp();
    process_ = NewProcess();
  }
  CountDownLatch NewLatch(CountDownLatchOptions options = {}) {
    return Make<CountDownLatch>(*process_.client, "loaded", options);
  }

  Process process_;
};

TEST_F(CountDownLatchOnRedisTest, OpensWhenAsManyPartiesHaveCountedDown) {
  CountDownLatch latch = NewLatch();
  ASSERT_TRUE(latch.Close(2).ok());
  EXPECT_TRUE(latch.CountDown("a").ok());
  EXPECT_EQ(latch.AwaitFor(milliseconds(20)).code(), StatusCode::kTimeout);
  EXPECT_TRUE(latch.CountDown("b").ok());
  EXPECT_TRUE(latch.AwaitFor(milliseconds(20)).ok());
  EXPECT_EQ(*latch.Count(), 0);
}

TEST_F(CountDownLatchOnRedisTest, APartyCountsOnce) {
  CountDownLatch latch = NewLatch();
  ASSERT_TRUE(latch.Close(2).ok());
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(latch.CountDown("a").ok());
  EXPECT_EQ(*latch.Count(), 1);
}

// A server short of memory may evict any of the keys.
TEST_F(CountDownLatchOnRedisTest, WhereTheIdsAreLostNobodyCountsTwice) {
  CountDownLatch latch = NewLatch();
  ASSERT_TRUE(latch.Close(2).ok());
  ASSERT_TRUE(latch.CountDown("a").ok());
  ASSERT_EQ(*server_->Command({"DEL", "interlock:latch:{loaded}:counted"}), "1");
  EXPECT_TRUE(latch.CountDown("a").ok());
  EXPECT_EQ(*latch.Count(), 1);
  EXPECT_EQ(latch.AwaitFor(milliseconds(20)).code(), StatusCode::kTimeout);
  EXPECT_TRUE(latch.CountDown("b").ok());
  EXPECT_TRUE(latch.AwaitFor(milliseconds(20)).ok());
}

TEST_F(CountDownLatchOnRedisTest, ClosingAgainForAsManyChangesNothing) {
  CountDownLatch latch = NewLatch();
  ASSERT_TRUE(latch.Close(2).ok());
  ASSERT_TRUE(latch.CountDown("a").ok());
  EXPECT_TRUE(latch.Close(2).ok());
  EXPECT_EQ(*latch.Count(), 1);
  EXPECT_EQ(latch.Close(1).code(), StatusCode::kInvalidArgument);
  ASSERT_TRUE(latch.CountDown("b").ok());
  EXPECT_TRUE(latch.Close(2).ok());
  EXPECT_EQ(*latch.Count(), 0);
}

TEST_F(CountDownLatchOnRedisTest, WhoNeverClosedItIsTold) {
  CountDownLatch latch = NewLatch();
  EXPECT_EQ(latch.CountDown("a").code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(latch.AwaitFor(seconds(1)).code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(latch.Count().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(latch.Close(0).code(), StatusCode::kInvalidArgument);
}

TEST_F(CountDownLatchOnRedisTest, OpeningWakesEveryWaiter) {
  CountDownLatch latch = NewLatch();
  ASSERT_TRUE(latch.Close(1).ok());
  std::atomic<int> through = 0;
  std::vector<std::thread> waiters;
  for (int i = 0; i < 8; ++i) {
    waiters.emplace_back([&] { through += latch.AwaitFor(seconds(20)).ok() ? 1 : 0; });
  }
  const MonotonicTime deadline = In(seconds(10));
  while (server_->Command({"INFO", "clients"})->find("blocked_clients:8") == std::string::npos &&
         runtime_.Now() < deadline) {
    SleepFor(milliseconds(2));
  }
  const MonotonicTime opened = runtime_.Now();
  ASSERT_TRUE(latch.CountDown("a").ok());
  for (std::thread& waiter : waiters) waiter.join();
  EXPECT_EQ(through, 8);
  // Woken, not found out by looking again.
  EXPECT_LT(runtime_.Now() - opened, RetryOptions().max_wait / 2);
}

TEST_F(CountDownLatchOnRedisTest, RemoveTellsThoseWhoWait) {
  CountDownLatch latch = NewLatch({.retry = {.max_wait = milliseconds(20)}});
  ASSERT_TRUE(latch.Close(1).ok());
  std::thread remover([&] {
    SleepFor(milliseconds(30));
    EXPECT_TRUE(NewLatch().Remove().ok());
  });
  EXPECT_EQ(latch.AwaitFor(seconds(20)).code(), StatusCode::kInvalidArgument);
  remover.join();
}

TEST_F(CountDownLatchOnRedisTest, ARepeatedCloseMakesItLastLonger) {
  CountDownLatch latch = NewLatch({.life = seconds(60)});
  ASSERT_TRUE(latch.Close(2).ok());
  ASSERT_TRUE(latch.CountDown("a").ok());
  ASSERT_TRUE(NewLatch({.life = seconds(90)}).Close(2).ok());
  for (const char* key : {"", ":counted"}) {
    const std::string name = std::string("interlock:latch:{loaded}") + key;
    const Result<std::string> ttl = server_->Command({"PTTL", name});
    ASSERT_TRUE(ttl.ok());
    EXPECT_GT(std::stol(*ttl), 60000) << name;
  }
}

TEST_F(CountDownLatchOnRedisTest, EveryKeyHasATtl) {
  CountDownLatch latch = NewLatch({.life = seconds(60)});
  ASSERT_TRUE(latch.Close(1).ok());
  ASSERT_TRUE(latch.CountDown("a").ok());
  for (const char* key : {"", ":counted", ":open"}) {
    const std::string name = std::string("interlock:latch:{loaded}") + key;
    const Result<std::string> ttl = server_->Command({"PTTL", name});
    ASSERT_TRUE(ttl.ok());
    EXPECT_GT(std::stol(*ttl), 0) << name;
    EXPECT_LE(std::stol(*ttl), 60000) << name;
  }
}

}  // namespace
}  // namespace interlock::testing
