// SPDX-License-Identifier: MIT
//
// MutexOptions::lock_delay: the server keeps the owner for so much longer than anybody believes in
// it.
#include <chrono>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <interlock/multi_mutex.h>
#include <interlock/mutex.h>

#include "tests/lib/lib_test.h"

namespace interlock {
namespace {

using namespace std::chrono_literals;
using testing::Answer;

class LockDelayTest : public LockTest {
 protected:
  Mutex NewMutex(Duration lock_delay) {
    return Mutex::Create(client_, "res",
                         {.key_prefix = "t:", .lease = 10s, .lock_delay = lock_delay})
        .value();
  }
};

TEST_F(LockDelayTest, TheServerAddsItToTheLeaseAndTheHolderDoesNotBelieveInIt) {
  Mutex mutex = NewMutex(2s);
  const MonotonicTime sent = runtime_.Now();
  Script(Grant(1));
  Result<Lease> lease = mutex.TryAcquire();
  ASSERT_TRUE(lease.ok());
  EXPECT_EQ(Argument(0, 1), "12000");
  EXPECT_EQ(lease->valid_until(), sent + 9900ms);
  lease->Forget();
}

TEST_F(LockDelayTest, AnExtensionIsFollowedByItToo) {
  Mutex mutex = NewMutex(2s);
  Script(Grant(1));
  Script(Number(1));
  Script(Number(1));
  Result<Lease> lease = mutex.TryAcquire();
  const MonotonicTime sent = runtime_.Now();
  EXPECT_TRUE(lease->Extend().ok());
  EXPECT_EQ(Argument(1, 1), "12000");
  EXPECT_EQ(lease->valid_until(), sent + 9900ms);
  EXPECT_TRUE(lease->Extend(20s).ok());
  EXPECT_EQ(Argument(2, 1), "22000");
  EXPECT_EQ(lease->valid_until(), sent + 19800ms);
  lease->Forget();
}

TEST_F(LockDelayTest, WhatTheServerKeepsIsNoMoreToExtendOnceTheLeaseIsOver) {
  Mutex mutex = NewMutex(5s);
  Script(Grant(1));
  Result<Lease> lease = mutex.TryAcquire();
  runtime_.Advance(9900ms);
  EXPECT_FALSE(lease->valid());
  EXPECT_EQ(lease->Extend().code(), StatusCode::kLeaseLost);
  EXPECT_EQ(connector_.sent().size(), 1U);
  lease->Forget();
}

// A grant that nobody heard of within its lease was used by nobody, so there is nothing to wait
// for.
TEST_F(LockDelayTest, AReplyThatOutlastsTheLeaseIsNoGrantThoughTheServerStillKeepsIt) {
  Mutex mutex = NewMutex(5s);
  Script(Grant(1).After(9950ms));
  Script(Number(1));
  EXPECT_EQ(mutex.TryAcquire().code(), StatusCode::kUnavailable);
  EXPECT_EQ(Argument(1, 0), Argument(0, 0));
}

// The server's answer has the delay in it: who looked when the lease is over would look in vain.
TEST_F(LockDelayTest, AWaiterSleepsUntilTheDelayIsOver) {
  Mutex mutex = NewMutex(2s);
  Script(Refuse(12s));
  Pop(Answer::TimesOut());
  Script(Grant(1));
  mutex.Acquire()->Forget();
  EXPECT_EQ(Sent(1).argv.back(), "12.001");
}

TEST_F(LockDelayTest, FractionsOfAMillisecondAreRoundedUp) {
  Mutex mutex = NewMutex(1ns);
  Script(Grant(1));
  mutex.TryAcquire()->Forget();
  EXPECT_EQ(Argument(0, 1), "10001");
}

TEST_F(LockDelayTest, NoneSendsWhatAMutexWithoutTheOptionSends) {
  const auto all_sent = [this](Mutex mutex, std::size_t first) {
    Script(Grant(7));
    Script(Number(1));
    Script(Number(1));
    Result<Lease> lease = mutex.TryAcquire();
    const std::string token = lease->token();
    EXPECT_TRUE(lease->Extend().ok());
    EXPECT_TRUE(lease->Release().ok());
    std::vector<std::vector<std::string>> sent;
    for (std::size_t i = first; i < connector_.sent().size(); ++i) {
      sent.push_back(Sent(i).argv);
      for (std::string& word : sent.back()) {
        const std::size_t at = word.find(token);
        if (at != std::string::npos) word.replace(at, token.size(), "T");
      }
    }
    return sent;
  };
  const auto without = all_sent(LockTest::NewMutex(), 0);
  EXPECT_EQ(all_sent(NewMutex(Duration(0)), 3), without);
}

TEST_F(LockDelayTest, EachOfSeveralResourcesHasIt) {
  MultiMutex both =
      MultiMutex::Create(client_, {"a", "b"}, {.lease = 10s, .lock_delay = 2s}).value();
  Script(Grant(1));
  Script(Grant(2));
  Script(Number(1));
  Script(Number(1));
  {
    const Result<MultiLease> held = both.TryAcquire();
    ASSERT_TRUE(held.ok()) << held.status().ToString();
  }
  EXPECT_EQ(Argument(0, 1), "12000");
  EXPECT_EQ(Argument(1, 1), "12000");
}

}  // namespace
}  // namespace interlock
