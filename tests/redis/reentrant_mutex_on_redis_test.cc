// SPDX-License-Identifier: MIT
//
// The re-entrant mutex on the whole production stack.
#include <interlock/reentrant_mutex.h>

#include <chrono>
#include <string>
#include <utility>

#include <gtest/gtest.h>
#include <interlock/fair_mutex.h>
#include <interlock/mutex.h>

#include "tests/redis/lock_test.h"

namespace interlock::testing {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class ReentrantMutexOnRedisTest : public LockTest {
 protected:
  void SetUp() override {
    LockTest::SetUp();
    process_ = NewProcess();
  }
  ReentrantMutex NewMutex(Duration lease = seconds(30)) {
    return Make<ReentrantMutex>(*process_.client, "ledger", ReentrantMutexOptions{.lease = lease});
  }

  Process process_;
};

TEST_F(ReentrantMutexOnRedisTest, TheSameOwnerNestsWithTheSameFencingToken) {
  ReentrantMutex mutex = NewMutex();
  ReentrantMutex::Owner me = mutex.NewOwner();
  ReentrantMutex::Owner other = mutex.NewOwner();
  Result<Lease> outer = me.TryAcquire();
  Result<Lease> inner = me.TryAcquire();
  ASSERT_TRUE(outer.ok() && inner.ok());
  EXPECT_EQ(inner->fencing_token(), outer->fencing_token());
  EXPECT_NE(inner->token(), outer->token());
  EXPECT_TRUE(outer->Release().ok());
  EXPECT_EQ(other.TryAcquire().code(), StatusCode::kNotAcquired);
  EXPECT_TRUE(inner->Extend().ok());
  EXPECT_TRUE(inner->Release().ok());
  const Result<Lease> next = other.TryAcquire();
  ASSERT_TRUE(next.ok());
  EXPECT_GT(next->fencing_token(), outer->fencing_token());
}

TEST_F(ReentrantMutexOnRedisTest, TheLastReleaseWakesAWaiter) {
  ReentrantMutex mutex = NewMutex();
  ReentrantMutex::Owner me = mutex.NewOwner();
  Result<Lease> outer = me.TryAcquire();
  Result<Lease> inner = me.TryAcquire();
  ASSERT_TRUE(outer.ok() && inner.ok());
  StatusCode answer = StatusCode::kTimeout;
  std::thread waiter([&] { answer = mutex.NewOwner().AcquireFor(seconds(20)).code(); });
  EXPECT_TRUE(inner->Release().ok());
  EXPECT_TRUE(outer->Release().ok());
  waiter.join();
  EXPECT_EQ(answer, StatusCode::kOk);
}

TEST_F(ReentrantMutexOnRedisTest, AnOwnerIsWhoKnowsItsId) {
  ReentrantMutex mutex = NewMutex();
  ReentrantMutex::Owner me = mutex.NewOwner();
  const Result<Lease> outer = me.TryAcquire();
  const Process second = NewProcess();
  ReentrantMutex there = Make<ReentrantMutex>(*second.client, "ledger");
  Result<ReentrantMutex::Owner> heir = there.OwnerOf(me.id());
  ASSERT_TRUE(outer.ok() && heir.ok());
  EXPECT_TRUE(heir->TryAcquire().ok());
  EXPECT_EQ(there.OwnerOf("").code(), StatusCode::kInvalidArgument);
}

// Each way of asking, because the one that waits in line cleans up in a way of its own.
TEST_F(ReentrantMutexOnRedisTest, AnotherKindOfLockUnderTheSameNameIsNamedAsTheCauseOnce) {
  const Result<Lease> held = NewMutex().NewOwner().TryAcquire();
  ASSERT_TRUE(held.ok());
  const std::string prefix = ReentrantMutexOptions().key_prefix;
  Mutex plain = Make<Mutex>(*process_.client, "ledger", MutexOptions{.key_prefix = prefix});
  FairMutex fair =
      Make<FairMutex>(*process_.client, "ledger", FairMutexOptions{.key_prefix = prefix});
  for (const Status& status : {plain.TryAcquire().status(), plain.Acquire().status(),
                               fair.TryAcquire().status(), fair.Acquire().status()}) {
    EXPECT_EQ(status.ToString(),
              "protocol-error: a key that begins with interlock:reentrant:{ledger} holds another "
              "type of value (WRONGTYPE): another kind of lock, or something else, uses this "
              "prefix and name");
  }
  EXPECT_EQ(NewMutex().NewOwner().TryAcquire().code(), StatusCode::kNotAcquired);
}

TEST_F(ReentrantMutexOnRedisTest, TheLeaseIsSharedByAllHolds) {
  ReentrantMutex mutex = NewMutex(milliseconds(40));
  ReentrantMutex::Owner me = mutex.NewOwner();
  Result<Lease> outer = me.TryAcquire();
  Result<Lease> inner = me.TryAcquire();
  ASSERT_TRUE(outer.ok() && inner.ok());
  Result<Lease> next = mutex.NewOwner().AcquireFor(seconds(20));
  ASSERT_TRUE(next.ok());
  EXPECT_EQ(inner->Release().code(), StatusCode::kNotOwner);
  EXPECT_EQ(outer->Release().code(), StatusCode::kNotOwner);
}

}  // namespace
}  // namespace interlock::testing
