// SPDX-License-Identifier: MIT
//
// Several resources at once on the whole production stack.
#include <interlock/multi_mutex.h>

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

class MultiMutexOnRedisTest : public LockTest {
 protected:
  void SetUp() override {
    LockTest::SetUp();
    process_ = NewProcess();
  }
  MultiMutex NewMulti(std::vector<std::string> names, Duration lease = seconds(30)) {
    return Make<MultiMutex>(*process_.client, std::move(names), MutexOptions{.lease = lease});
  }
  Mutex NewMutex(const std::string& name) { return Make<Mutex>(*process_.client, name); }

  Process process_;
};

TEST_F(MultiMutexOnRedisTest, CreateRefusesNoneTwinsAndBadNames) {
  for (const std::vector<std::string>& names :
       {std::vector<std::string>{},
        {"a", "b", "a"},
        {"a", "{b}"},
        std::vector<std::string>(kMostResourcesAtOnce + 1, "x")}) {
    EXPECT_EQ(MultiMutex::Create(*process_.client, names).code(), StatusCode::kInvalidArgument);
  }
}

TEST_F(MultiMutexOnRedisTest, HoldsAllOrNone) {
  MultiMutex both = NewMulti({"b", "a"});
  Mutex last = NewMutex("b");
  Result<Lease> taken = last.TryAcquire();
  ASSERT_TRUE(taken.ok());
  EXPECT_EQ(both.TryAcquire().code(), StatusCode::kNotAcquired);
  EXPECT_TRUE(NewMutex("a").TryAcquire().ok());
  ASSERT_TRUE(taken->Release().ok());

  Result<MultiLease> held = both.TryAcquire();
  ASSERT_TRUE(held.ok());
  EXPECT_TRUE(held->valid());
  EXPECT_EQ(held->leases().size(), 2U);
  EXPECT_EQ(NewMutex("a").TryAcquire().code(), StatusCode::kNotAcquired);
  EXPECT_EQ(last.TryAcquire().code(), StatusCode::kNotAcquired);
  EXPECT_TRUE(held->Extend().ok());
  EXPECT_TRUE(held->Release().ok());
  EXPECT_FALSE(held->valid());
  EXPECT_TRUE(last.TryAcquire().ok());
}

TEST_F(MultiMutexOnRedisTest, GivesBackWhatItHadAtTheDeadline) {
  MultiMutex both = NewMulti({"a", "b"});
  const Result<Lease> taken = NewMutex("b").TryAcquire();
  ASSERT_TRUE(taken.ok());
  EXPECT_EQ(both.AcquireFor(milliseconds(50)).code(), StatusCode::kTimeout);
  EXPECT_TRUE(NewMutex("a").TryAcquire().ok());
}

TEST_F(MultiMutexOnRedisTest, KeepsAliveWhatItHasWhileItWaitsForTheRest) {
  MultiMutex both = NewMulti({"a", "b"}, milliseconds(200));
  Mutex blocker = NewMutex("b");
  Result<Lease> taken = blocker.TryAcquire();
  ASSERT_TRUE(taken.ok());
  std::thread other([&] {
    SleepFor(milliseconds(600));
    EXPECT_TRUE(taken->Release().ok());
  });
  Result<MultiLease> held = both.AcquireFor(seconds(20));
  EXPECT_TRUE(held.ok() && held->valid());
  other.join();
}

// Each in another order: taken as given, they would wait for each other in a circle.
TEST_F(MultiMutexOnRedisTest, OverlappingSetsInAnyOrderDoNotDeadlock) {
  const std::vector<std::vector<std::string>> pairs = {{"a", "b"}, {"b", "c"}, {"c", "a"}};
  std::atomic<int> inside = 0;
  std::atomic<int> rounds = 0;
  std::vector<std::thread> clients;
  for (const auto& names : pairs) {
    clients.emplace_back([&, names] {
      MultiMutex mutex = NewMulti(names);
      for (int i = 0; i < 20; ++i) {
        Result<MultiLease> held = mutex.AcquireFor(seconds(20));
        if (!held.ok()) return;
        // Any two of the pairs have a resource in common.
        EXPECT_EQ(++inside, 1);
        --inside;
        if (held->Release().ok()) ++rounds;
      }
    });
  }
  for (std::thread& client : clients) client.join();
  EXPECT_EQ(rounds, 60);
}

}  // namespace
}  // namespace interlock::testing
