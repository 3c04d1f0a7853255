// SPDX-License-Identifier: MIT
#include <interlock/semaphore.h>

#include <chrono>
#include <optional>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/lib/lib_test.h"

namespace interlock {
namespace {

using namespace std::chrono_literals;
using testing::Answer;
using testing::Array;
using ::testing::HasSubstr;
using testing::Integer;

class SemaphoreTest : public LockTest {
 protected:
  Semaphore NewSemaphore(std::optional<int> limit = 3) {
    return Semaphore::Create(client_, "gpu", {.key_prefix = "s:", .limit = limit}).value();
  }
  static Answer OtherLimit(int in_force) {
    return Answer::With(Array({Integer(-2), Integer(in_force)}));
  }
};

TEST_F(SemaphoreTest, CreateRefusesALimitOutOfRange) {
  for (const int limit : {0, -1, kMaxPermits + 1}) {
    const Result<Semaphore> made = Semaphore::Create(client_, "gpu", {.limit = limit});
    ASSERT_EQ(made.code(), StatusCode::kInvalidArgument);
    EXPECT_THAT(made.status().message(), HasSubstr("limit is " + std::to_string(limit)));
  }
  EXPECT_TRUE(Semaphore::Create(client_, "gpu", {.limit = kMaxPermits}).ok());
}

TEST_F(SemaphoreTest, AcquirePassesTheLimitAndHowLongItStands) {
  Script(Grant(3));
  Result<Lease> lease = NewSemaphore().TryAcquire();
  ASSERT_TRUE(lease.ok());
  EXPECT_EQ(Key(0, 0), "s:{gpu}");
  EXPECT_EQ(Key(0, 3), "s:{gpu}:limit");
  EXPECT_EQ(Argument(0, 3), "3");
  EXPECT_EQ(Argument(0, 2), "604800000");
  lease->Forget();
}

TEST_F(SemaphoreTest, ARefusalSaysThatThePermitsAreOut) {
  const auto refusal = [this](std::optional<int> limit) {
    Script(Refuse(8s));
    const Result<Lease> lease = NewSemaphore(limit).TryAcquire();
    EXPECT_EQ(lease.code(), StatusCode::kNotAcquired);
    return lease.status().message();
  };
  EXPECT_EQ(refusal(3), "all 3 permits of s:{gpu} are out");
  EXPECT_EQ(refusal(1), "the one permit of s:{gpu} is out");
  EXPECT_EQ(refusal(std::nullopt), "no permit of s:{gpu} is free");
}

TEST_F(SemaphoreTest, AcquireWithAnotherLimitNamesBoth) {
  Script(OtherLimit(8));
  const Status refused = NewSemaphore().AcquireFor(1s).status();
  EXPECT_EQ(refused.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(refused.message(), HasSubstr("limit is 3, but s:{gpu} is in use with a limit of 8"));
}

TEST_F(SemaphoreTest, AcquireWithoutALimitSaysSoWhereNoneIsInForce) {
  Script(OtherLimit(0));
  const Status refused = NewSemaphore(std::nullopt).TryAcquire().status();
  EXPECT_EQ(Argument(0, 3), "0");
  EXPECT_EQ(refused.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(refused.message(), HasSubstr("has no limit yet"));
}

// It took the place of one who could have been let in.
TEST_F(SemaphoreTest, AWaiterThatIsWokenToAnotherLimitWakesTheNext) {
  Script(Refuse(8s));
  Pop(Hint());
  Script(OtherLimit(8));
  Script(Number(1));
  EXPECT_EQ(NewSemaphore().AcquireFor(10s).code(), StatusCode::kInvalidArgument);
  ASSERT_EQ(connector_.sent().size(), 4U);
  EXPECT_EQ(Key(3, 1), "s:{gpu}:signal");
}

TEST_F(SemaphoreTest, SetLimitRefusesWhatIsOutOfRangeAndSendsNothing) {
  Semaphore semaphore = NewSemaphore();
  EXPECT_EQ(semaphore.SetLimit(0).code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(semaphore.SetLimit(kMaxPermits + 1).code(), StatusCode::kInvalidArgument);
  EXPECT_TRUE(connector_.sent().empty());
}

TEST_F(SemaphoreTest, SetLimitReportsAnUnknownOutcome) {
  connector_.Expect("EVALSHA", Answer::Lost());
  EXPECT_EQ(NewSemaphore().SetLimit(2).code(), StatusCode::kUnknownOutcome);
}

TEST_F(SemaphoreTest, CountsCallAnotherShapeAProtocolError) {
  connector_.Expect("EVALSHA", Answer::With(Integer(1)));
  EXPECT_EQ(NewSemaphore().Counts().code(), StatusCode::kProtocolError);
}

}  // namespace
}  // namespace interlock
