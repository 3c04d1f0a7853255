// SPDX-License-Identifier: MIT
//
// A mutex without fencing: which commands it sends, what it learns of the server, and what it says
// where a mutex with fencing would know more.
#include <interlock/mutex.h>

#include <chrono>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/lib/lib_test.h"

namespace interlock {
namespace {

using namespace std::chrono_literals;
using testing::Answer;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class NativeMutexTest : public LockTest {
 protected:
  void Command(const std::string& name, Answer answer) {
    connector_.Expect(name, std::move(answer));
  }
  static Answer Ok() { return Answer::With({Reply::Type::kStatus, 0, "OK", {}}); }
  static Answer Nil() { return Answer::With({}); }
  static Answer Unknown(const std::string& command) {
    return Error("ERR unknown command '" + command + "', with args beginning with: ");
  }

  Lease Granted() {
    Command("SET", Ok());
    return mutex_.TryAcquire().value();
  }

  Mutex mutex_ =
      Mutex::Create(client_, "res", {.key_prefix = "t:", .lease = 10s, .fencing = false}).value();
};

TEST_F(NativeMutexTest, AcquiresRenewsAndReleasesByOneCommandEach) {
  Lease lease = Granted();
  const std::string token = lease.token();
  EXPECT_EQ(lease.fencing_token(), 0U);
  EXPECT_THAT(Sent(0).argv, ElementsAre("SET", "t:{res}", token, "NX", "PX", "10000"));
  Command("SET", Ok());
  EXPECT_TRUE(lease.Extend(10s).ok());
  EXPECT_THAT(Sent(1).argv, ElementsAre("SET", "t:{res}", token, "IFEQ", token, "PX", "10000"));
  Command("DELIFEQ", Number(1));
  EXPECT_TRUE(lease.Release().ok());
  EXPECT_THAT(Sent(2).argv, ElementsAre("DELIFEQ", "t:{res}", token));
  EXPECT_EQ(connector_.connects(), 1);
}

TEST_F(NativeMutexTest, ANilRefusesAnAcquireAndEndsALease) {
  Command("SET", Nil());
  EXPECT_EQ(mutex_.TryAcquire().code(), StatusCode::kNotAcquired);
  Lease lease = Granted();
  Command("SET", Nil());
  EXPECT_EQ(lease.Extend(10s).code(), StatusCode::kNotOwner);
}

TEST_F(NativeMutexTest, WhatTheServerLacksIsTriedOnce) {
  Lease first = Granted();
  Command("DELIFEQ", Unknown("DELIFEQ"));
  Command("DELEX", Unknown("DELEX"));
  Script(Number(1));
  EXPECT_TRUE(first.Release().ok());
  Lease second = Granted();
  Script(Number(1));
  EXPECT_TRUE(second.Release().ok());
  EXPECT_EQ(connector_.sent().size(), 6U);
}

TEST_F(NativeMutexTest, AServerWithDelexAloneIsLearned) {
  Lease first = Granted();
  Command("DELIFEQ", Unknown("DELIFEQ"));
  Command("DELEX", Number(1));
  EXPECT_TRUE(first.Release().ok());
  Lease second = Granted();
  Command("DELEX", Number(1));
  EXPECT_TRUE(second.Release().ok());
  EXPECT_THAT(Sent(4).argv, ElementsAre("DELEX", "t:{res}", "IFEQ", second.token()));
}

TEST_F(NativeMutexTest, WhatWasLearnedIsForgottenWithTheConnection) {
  Lease lease = Granted();
  Command("SET", Error("ERR syntax error"));
  Script(Number(1));
  EXPECT_TRUE(lease.Extend(10s).ok());
  Command("SET", Answer::Lost());  // an acquire of somebody else in this process
  Command("DELIFEQ", Number(1));
  EXPECT_EQ(mutex_.TryAcquire().code(), StatusCode::kUnavailable);
  Command("SET", Ok());
  EXPECT_TRUE(lease.Extend(10s).ok());
  Command("DELIFEQ", Number(1));
  EXPECT_TRUE(lease.Release().ok());
}

TEST_F(NativeMutexTest, AServerOutOfMemoryIsAskedByTheScriptAndAskedAgain) {
  Lease lease = Granted();
  for (int i = 0; i < 2; ++i) {
    Command("SET", Error("OOM command not allowed when used memory > 'maxmemory'."));
    Script(Number(1));
    EXPECT_TRUE(lease.Extend(10s).ok());
  }
  lease.Forget();
}

TEST_F(NativeMutexTest, AnExtensionIsToItsOwnLease) {
  Lease lease = Granted();
  Command("SET", Ok());
  EXPECT_TRUE(lease.Extend(3s).ok());
  EXPECT_EQ(Sent(1).argv.back(), "10000");
  const Status longer = lease.Extend(11s);
  EXPECT_EQ(longer.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(longer.message(), HasSubstr("11000 ms"));
  lease.Forget();
}

// The renewals of its first holder would go on to be to another lease than those of the next.
TEST_F(NativeMutexTest, ALeaseIsNotHandedOver) {
  Lease lease = Granted();
  EXPECT_EQ(lease.HandOver().code(), StatusCode::kInvalidArgument);
  EXPECT_TRUE(lease.valid());
  lease.Forget();
}

TEST_F(NativeMutexTest, AWaitThatMayHaveBeenGrantedIsUnknownWhateverEndsIt) {
  Command("SET", Answer::Lost());
  Command("DELIFEQ", Number(0));
  Command("SET", Error("NOPERM this user has no permissions to run the 'set' command"));
  const Result<Lease> waited = mutex_.AcquireFor(5s);
  EXPECT_EQ(waited.code(), StatusCode::kUnknownOutcome);
  EXPECT_THAT(waited.status().message(), HasSubstr("NOPERM"));
}

// Nothing can keep it from arriving later.
TEST_F(NativeMutexTest, AnAcquireWhoseReplyWasLostIsUnknownUnlessItsGrantWasTakenAway) {
  Command("SET", Answer::Lost());
  Command("DELIFEQ", Number(0));
  EXPECT_EQ(mutex_.TryAcquire().code(), StatusCode::kUnknownOutcome);
  Command("SET", Answer::Lost());
  Command("DELIFEQ", Number(1));
  EXPECT_EQ(mutex_.TryAcquire().code(), StatusCode::kUnavailable);
}

TEST_F(NativeMutexTest, AReleaseIsUnknownIfItMayHaveBeenDoneByALostTry) {
  Lease lease = Granted();
  Command("DELIFEQ", Answer::Lost());
  Command("DELIFEQ", Number(0));
  EXPECT_EQ(lease.Release().code(), StatusCode::kUnknownOutcome);
  Lease other = Granted();
  Command("DELIFEQ", Number(0));
  EXPECT_EQ(other.Release().code(), StatusCode::kNotOwner);
}

TEST_F(NativeMutexTest, AWaiterPollsAfterGrowingPauses) {
  for (int i = 0; i < 3; ++i) Command("SET", Nil());
  Command("SET", Ok());
  Result<Lease> lease = mutex_.AcquireFor(5s);
  ASSERT_TRUE(lease.ok()) << lease.status().ToString();
  // 50, 100 and 200 ms, each shortened by up to a half.
  EXPECT_GE(runtime_.elapsed(), 175ms);
  EXPECT_LE(runtime_.elapsed(), 350ms);
  lease->Forget();
}

TEST_F(NativeMutexTest, TheLockDelayIsAddedToEveryLease) {
  Mutex mutex =
      Mutex::Create(client_, "res",
                    {.key_prefix = "t:", .lease = 10s, .lock_delay = 2s, .fencing = false})
          .value();
  Command("SET", Ok());
  Lease lease = mutex.TryAcquire().value();
  EXPECT_EQ(Sent(0).argv.back(), "12000");
  lease.Forget();
}

}  // namespace
}  // namespace interlock
