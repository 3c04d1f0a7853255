// SPDX-License-Identifier: MIT
//
// The semaphore on the whole production stack: above all its limit, which stands in the server.
#include <interlock/semaphore.h>

#include <chrono>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <interlock/mutex.h>

#include <gtest/gtest.h>

#include "tests/redis/lock_test.h"

namespace interlock::testing {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class SemaphoreOnRedisTest : public LockTest {
 protected:
  void SetUp() override {
    LockTest::SetUp();
    process_ = NewProcess();
  }
  Semaphore NewSemaphore(std::optional<int> limit, Duration lease = seconds(30)) {
    return Make<Semaphore>(*process_.client, "gpu",
                           SemaphoreOptions{.limit = limit, .lease = lease, .retry = {}});
  }
  int LimitInForce() { return NewSemaphore(std::nullopt).Counts()->limit; }

  Process process_;
};

TEST_F(SemaphoreOnRedisTest, GrantsAsManyPermitsAsTheLimitSays) {
  Semaphore semaphore = NewSemaphore(2);
  Result<Lease> first = semaphore.TryAcquire();
  Result<Lease> second = semaphore.TryAcquire();
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_GT(second->fencing_token(), first->fencing_token());
  EXPECT_EQ(semaphore.TryAcquire().code(), StatusCode::kNotAcquired);
  EXPECT_EQ(semaphore.Counts()->out, 2);
  EXPECT_TRUE(first->Release().ok());
  EXPECT_TRUE(semaphore.TryAcquire().ok());
}

// Two waiters that were refused, and go to sleep only when both permits are back, must both be
// woken.
TEST_F(SemaphoreOnRedisTest, EachReleaseLeavesAHint) {
  Semaphore semaphore = NewSemaphore(2);
  Result<Lease> first = semaphore.TryAcquire();
  Result<Lease> second = semaphore.TryAcquire();
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_TRUE(first->Release().ok());
  EXPECT_TRUE(second->Release().ok());
  EXPECT_EQ(server_->Command({"LLEN", SemaphoreOptions().key_prefix + "{gpu}:signal"}).value(),
            "2");
}

TEST_F(SemaphoreOnRedisTest, TheFirstLimitStaysInForceWhenNoPermitIsOut) {
  ASSERT_TRUE(NewSemaphore(2).TryAcquire()->Release().ok());
  EXPECT_EQ(NewSemaphore(5).TryAcquire().code(), StatusCode::kInvalidArgument);
  EXPECT_TRUE(NewSemaphore(2).TryAcquire().ok());
  EXPECT_EQ(LimitInForce(), 2);
}

TEST_F(SemaphoreOnRedisTest, ALimitLeftOpenFollowsTheOneInForce) {
  Semaphore follows = NewSemaphore(std::nullopt);
  EXPECT_EQ(follows.TryAcquire().code(), StatusCode::kInvalidArgument);
  ASSERT_TRUE(follows.SetLimit(1).ok());
  const Result<Lease> held = follows.TryAcquire();
  ASSERT_TRUE(held.ok());
  EXPECT_EQ(follows.TryAcquire().code(), StatusCode::kNotAcquired);
}

TEST_F(SemaphoreOnRedisTest, SetLimitWakesTheWaitersThatItLetsIn) {
  Semaphore semaphore = NewSemaphore(std::nullopt);
  ASSERT_TRUE(semaphore.SetLimit(1).ok());
  const Result<Lease> held = semaphore.TryAcquire();
  ASSERT_TRUE(held.ok());
  std::vector<std::thread> waiters;
  std::vector<StatusCode> answers(2, StatusCode::kTimeout);
  // Far above any delay of the machine, and below the lease, which would wake them as well.
  const MonotonicTime until = In(seconds(20));
  for (StatusCode& answer : answers) {
    waiters.emplace_back([&] { answer = semaphore.AcquireUntil(until).code(); });
  }
  const MonotonicTime deadline = In(seconds(10));
  while (server_->Command({"INFO", "clients"})->find("blocked_clients:2") == std::string::npos &&
         runtime_.Now() < deadline) {
    SleepFor(milliseconds(5));
  }
  EXPECT_TRUE(semaphore.SetLimit(3).ok());
  for (std::thread& waiter : waiters) waiter.join();
  EXPECT_EQ(answers, std::vector<StatusCode>(2, StatusCode::kOk));
  EXPECT_LT(runtime_.Now(), until) << "their last try was let in, and nobody was woken";
}

// Both keep their hints in one list, so one would wake the waiters of the other.
TEST_F(SemaphoreOnRedisTest, AMutexOfThatNameIsNoticedAndNoticesIt) {
  const std::string prefix = SemaphoreOptions().key_prefix;
  Mutex mutex = Make<Mutex>(*process_.client, "gpu", MutexOptions{.key_prefix = prefix});
  Semaphore semaphore = NewSemaphore(2);
  const std::string noticed =
      "protocol-error: a key that begins with " + prefix +
      "{gpu} holds another type of value (WRONGTYPE): another kind of lock, or something else, "
      "uses this prefix and name";

  Result<Lease> permit = semaphore.TryAcquire();
  ASSERT_TRUE(permit.ok());
  EXPECT_EQ(mutex.TryAcquire().status().ToString(), noticed);
  EXPECT_EQ(mutex.Acquire().status().ToString(), noticed);
  EXPECT_TRUE(permit->Release().ok());

  Result<Lease> lease = mutex.TryAcquire();
  ASSERT_TRUE(lease.ok());
  EXPECT_EQ(semaphore.TryAcquire().status().ToString(), noticed);
  EXPECT_EQ(semaphore.Acquire().status().ToString(), noticed);
  EXPECT_TRUE(lease->Release().ok());
}

TEST_F(SemaphoreOnRedisTest, ALowerLimitTakesEffectAsPermitsComeBack) {
  Semaphore semaphore = NewSemaphore(std::nullopt);
  ASSERT_TRUE(semaphore.SetLimit(2).ok());
  Result<Lease> first = semaphore.TryAcquire();
  Result<Lease> second = semaphore.TryAcquire();
  ASSERT_TRUE(first.ok() && second.ok());
  ASSERT_TRUE(semaphore.SetLimit(1).ok());
  EXPECT_TRUE(second->Extend().ok());
  EXPECT_TRUE(first->Release().ok());
  EXPECT_EQ(semaphore.TryAcquire().code(), StatusCode::kNotAcquired);
  EXPECT_TRUE(second->Release().ok());
  EXPECT_TRUE(semaphore.TryAcquire().ok());
}

TEST_F(SemaphoreOnRedisTest, EachPermitEndsWithItsOwnLease) {
  Semaphore brief = NewSemaphore(2, milliseconds(50));
  Semaphore lasting = NewSemaphore(2, seconds(30));
  Result<Lease> lapses = brief.TryAcquire();
  Result<Lease> stays = lasting.TryAcquire();
  ASSERT_TRUE(lapses.ok() && stays.ok());
  EXPECT_TRUE(lasting.AcquireFor(seconds(10)).ok());
  EXPECT_TRUE(stays->Extend().ok());
  EXPECT_EQ(lapses->Release().code(), StatusCode::kNotOwner);
}

}  // namespace
}  // namespace interlock::testing
