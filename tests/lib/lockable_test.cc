// SPDX-License-Identifier: MIT
#include <interlock/lockable.h>

#include <chrono>
#include <mutex>
#include <utility>

#include <gtest/gtest.h>

#include <interlock/multi_mutex.h>

#include "tests/lib/lib_test.h"

namespace interlock {
namespace {

using namespace std::chrono_literals;
using testing::Answer;

class LockableTest : public LockTest {
 protected:
  Mutex mutex_ = NewMutex();
  Lockable lock_{mutex_};
};

TEST_F(LockableTest, AGuardTakesAndReleases) {
  Script(Grant(7));
  {
    const std::unique_lock guard(lock_);
    EXPECT_TRUE(lock_.locked());
    EXPECT_EQ(lock_.lease().fencing_token(), 7U);
    Script(Number(1));
  }
  EXPECT_FALSE(lock_.locked());
  EXPECT_EQ(connector_.sent().size(), 2U);
}

TEST_F(LockableTest, TwoAreTakenTogether) {
  Mutex other = Mutex::Create(client_, "other", {.key_prefix = "t:"}).value();
  Lockable second(other);
  Script(Grant(1));
  Script(Grant(2));
  {
    const std::scoped_lock guard(lock_, second);
    EXPECT_TRUE(lock_.locked());
    EXPECT_TRUE(second.locked());
    Script(Number(1));
    Script(Number(1));
  }
}

TEST_F(LockableTest, AGuardOfSeveralAtOnceTakesAndReleasesAll) {
  MultiMutex both = MultiMutex::Create(client_, {"b", "a"}, {.key_prefix = "t:"}).value();
  MultiLockable lock(both);
  Script(Refuse(5s));
  EXPECT_FALSE(lock.try_lock());
  Script(Grant(7));
  Script(Grant(8));
  {
    const std::unique_lock guard(lock);
    EXPECT_TRUE(lock.locked());
    EXPECT_EQ(lock.lease().leases().at(1).fencing_token(), 8U);
    EXPECT_THROW((void)lock.try_lock_for(1s), LockError);
    Script(Number(0));
    Script(Number(1));
  }
  EXPECT_FALSE(lock.locked());
  EXPECT_EQ(lock.last_release().code(), StatusCode::kNotOwner);
}

TEST_F(LockableTest, TryLockSaysNoAsAValue) {
  Script(Refuse(5s));
  const std::unique_lock guard(lock_, std::try_to_lock);
  EXPECT_FALSE(guard.owns_lock());
}

TEST_F(LockableTest, TimedFormsSayNoAsAValue) {
  Script(Refuse(50s));
  Pop(Answer::TimesOut());
  Script(Refuse(50s));
  const std::unique_lock guard(lock_, 100ms);
  EXPECT_FALSE(guard.owns_lock());
  Script(Refuse(50s));
  EXPECT_FALSE(lock_.try_lock_until(runtime_.Now()));
}

TEST_F(LockableTest, ADeadlineMayBeOfAnyClock) {
  Script(Refuse(50s));
  EXPECT_FALSE(lock_.try_lock_until(std::chrono::system_clock::time_point::min()));
  Script(Grant(7));
  std::unique_lock guard(lock_, std::chrono::steady_clock::now() + 1h);
  EXPECT_TRUE(guard.owns_lock());
  Script(Number(1));
}

TEST_F(LockableTest, WhatIsNoAnswerIsThrown) {
  connector_.FailEveryConnect(Status(StatusCode::kUnavailable, "away"));
  try {
    (void)lock_.try_lock();
    FAIL() << "it has answered";
  } catch (const LockError& error) {
    EXPECT_EQ(error.status().code(), StatusCode::kUnavailable);
    EXPECT_STREQ(error.what(), "unavailable: away");
  }
  EXPECT_FALSE(lock_.locked());
}

// With std::mutex the second lock() would never return.
TEST_F(LockableTest, AHandleDoesNotWaitForItself) {
  Script(Grant(1));
  const std::unique_lock guard(lock_);
  EXPECT_THROW(lock_.lock(), LockError);
  EXPECT_THROW((void)lock_.try_lock(), LockError);
  EXPECT_THROW((void)lock_.try_lock_for(1s), LockError);
  EXPECT_THROW((void)lock_.try_lock_until(kNever), LockError);
  EXPECT_TRUE(lock_.locked());
  Script(Number(1));
}

TEST_F(LockableTest, UnlockNeverThrowsAndKeepsTheAnswer) {
  Script(Grant(1));
  lock_.lock();
  EXPECT_TRUE(lock_.last_release().ok());
  Script(Number(0));
  lock_.unlock();
  EXPECT_EQ(lock_.last_release().code(), StatusCode::kNotOwner);
}

}  // namespace
}  // namespace interlock
