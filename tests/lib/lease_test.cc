// SPDX-License-Identifier: MIT
#include <interlock/lease.h>

#include <chrono>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "src/waiting.h"
#include "tests/lib/lib_test.h"

namespace interlock {
namespace {

using namespace std::chrono_literals;
using testing::Answer;

class LeaseTest : public LockTest {
 protected:
  Lease Acquire(Duration lease = 10s) {
    Script(Grant(7));
    return NewMutex(lease).TryAcquire().value();
  }
};

TEST_F(LeaseTest, IsValidUntilTheLeaseLessTheDriftAllowance) {
  Lease lease = Acquire(10s);
  EXPECT_TRUE(lease.valid());
  EXPECT_EQ(lease.remaining(), 9900ms);
  runtime_.Advance(9900ms - 1ns);
  EXPECT_TRUE(lease.valid());
  runtime_.Advance(1ns);
  EXPECT_FALSE(lease.valid());
  EXPECT_EQ(lease.remaining(), 0ms);
  runtime_.Advance(1h);
  EXPECT_EQ(lease.remaining(), 0ms);
  lease.Forget();
}

TEST_F(LeaseTest, ReleaseSendsItsTokenAndFencingToken) {
  Lease lease = Acquire();
  Script(Number(1));
  EXPECT_TRUE(lease.Release().ok());
  EXPECT_EQ(Argument(1, 0), lease.token());
  EXPECT_EQ(Argument(1, 1), "7");
  EXPECT_FALSE(lease.valid());
}

TEST_F(LeaseTest, SecondReleaseAnswersTheSameAndSendsNothing) {
  Lease lease = Acquire();
  Script(Number(0));
  EXPECT_EQ(lease.Release().code(), StatusCode::kNotOwner);
  EXPECT_EQ(lease.Release().code(), StatusCode::kNotOwner);
  EXPECT_EQ(connector_.sent().size(), 2U);
}

TEST_F(LeaseTest, DestructorReleases) {
  {
    Lease lease = Acquire();
    Script(Number(1));
  }
  EXPECT_EQ(connector_.sent().size(), 2U);
}

TEST_F(LeaseTest, ForgetSendsNothing) {
  Lease lease = Acquire();
  lease.Forget();
  EXPECT_FALSE(lease.valid());
  EXPECT_EQ(lease.Release().code(), StatusCode::kNotOwner);
  EXPECT_EQ(lease.Extend().code(), StatusCode::kNotOwner);
}

TEST_F(LeaseTest, MovedFromHoldsNothing) {
  Lease lease = Acquire();
  Lease other = std::move(lease);
  EXPECT_TRUE(other.valid());
  EXPECT_FALSE(lease.valid());                               // NOLINT(bugprone-use-after-move)
  EXPECT_FALSE(lease.is_lost());                             // NOLINT(bugprone-use-after-move)
  EXPECT_EQ(lease.fencing_token(), 0U);                      // NOLINT(bugprone-use-after-move)
  EXPECT_EQ(lease.Release().code(), StatusCode::kNotOwner);  // NOLINT(bugprone-use-after-move)
  EXPECT_EQ(connector_.sent().size(), 1U);
  other.Forget();
}

TEST_F(LeaseTest, IsLostOnceItIsOverAndNotByARelease) {
  Lease lease = Acquire();
  EXPECT_FALSE(lease.is_lost());
  runtime_.Advance(lease.remaining());
  EXPECT_TRUE(lease.is_lost());
  lease.Forget();
  Lease released = Acquire();
  Script(Number(1));
  ASSERT_TRUE(released.Release().ok());
  runtime_.Advance(1h);
  EXPECT_FALSE(released.is_lost());
}

TEST_F(LeaseTest, AssignmentReleasesWhatWasHeldBefore) {
  Lease first = Acquire();
  Lease second = Acquire();
  const std::string token = first.token();
  Script(Number(1));
  first = std::move(second);
  EXPECT_EQ(Argument(2, 0), token);
  EXPECT_TRUE(first.valid());
  first.Forget();
}

TEST_F(LeaseTest, MayOutliveTheMutex) {
  std::optional<Lease> lease = Acquire();  // the mutex was a temporary
  Script(Number(1));
  EXPECT_TRUE(lease->Release().ok());
}

// The server may still keep a lease that is over here, and others would wait for it.
TEST_F(LeaseTest, ReleaseIsSentAfterLocalExpiry) {
  Lease lease = Acquire();
  runtime_.Advance(11s);
  Script(Number(1));
  EXPECT_TRUE(lease.Release().ok());
}

TEST_F(LeaseTest, ExtendCountsFromSending) {
  Lease lease = Acquire(10s);
  runtime_.Advance(5s);
  const MonotonicTime sent = runtime_.Now();
  Script(Number(1).After(80ms));
  EXPECT_TRUE(lease.Extend().ok());
  EXPECT_EQ(runtime_.Now(), sent + 80ms);
  EXPECT_EQ(lease.valid_until(), sent + 9900ms);
  lease.Forget();
}

TEST_F(LeaseTest, ExtendTakesAnotherLengthButNeverShortens) {
  Lease lease = Acquire(10s);
  const MonotonicTime start = runtime_.Now();
  Script(Number(1));
  EXPECT_TRUE(lease.Extend(20s).ok());
  EXPECT_EQ(Argument(1, 1), "20000");
  EXPECT_EQ(lease.valid_until(), start + 19800ms);
  Script(Number(1));
  EXPECT_TRUE(lease.Extend(1s).ok());
  EXPECT_EQ(lease.valid_until(), start + 19800ms);
  lease.Forget();
}

TEST_F(LeaseTest, ExtendChecksItsRange) {
  Lease lease = Acquire();
  EXPECT_EQ(lease.Extend(0ms).code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(lease.Extend(999us).code(), StatusCode::kInvalidArgument);  // 0 ms would end it
  EXPECT_EQ(lease.Extend(25h).code(), StatusCode::kInvalidArgument);
  EXPECT_TRUE(lease.valid());
  lease.Forget();
}

TEST_F(LeaseTest, ExtendIsNotSentWhenTheLeaseIsOverHere) {
  Lease lease = Acquire(10s);
  runtime_.Advance(9900ms);
  EXPECT_EQ(lease.Extend().code(), StatusCode::kLeaseLost);
  EXPECT_EQ(connector_.sent().size(), 1U);
  lease.Forget();
}

// No task does it: the clock of this runtime moves only when the test waits.
TEST_F(LeaseTest, LostIsSetWhenTheValidityEnds) {
  Lease lease = Acquire(10s);
  EXPECT_FALSE(lease.lost().IsSet());
  EXPECT_FALSE(lease.lost().WaitUntil(runtime_.Now() + 1s));
  EXPECT_TRUE(lease.lost().WaitUntil(kNever));
  EXPECT_EQ(runtime_.Now(), lease.valid_until());
  EXPECT_FALSE(lease.valid());
  lease.Forget();
  EXPECT_TRUE(lease.lost().IsSet());
}

TEST_F(LeaseTest, LostIsSetByARefusalAndNotByARelease) {
  Lease refused = Acquire();
  Lease released = Acquire();
  Script(Number(0));
  EXPECT_EQ(refused.Extend().code(), StatusCode::kNotOwner);
  EXPECT_TRUE(refused.lost().IsSet());
  Script(Number(1));
  EXPECT_TRUE(released.Release().ok());
  runtime_.Advance(1h);
  EXPECT_FALSE(released.lost().IsSet());
}

// Whoever has seen the end must not be contradicted by an answer that was in time.
TEST_F(LeaseTest, ASeenEndIsFinal) {
  Lease lease = Acquire(10s);
  (void)lease.lost();
  runtime_.Advance(9'900ms);
  EXPECT_TRUE(lease.lost().IsSet());
  EXPECT_EQ(lease.Extend().code(), StatusCode::kLeaseLost);
  Script(Number(1));
  EXPECT_TRUE(lease.Release().ok());
}

// The answer is in time, but somebody has said meanwhile that the lease is over.
TEST_F(LeaseTest, AnAnswerRevivesNothingWhoseEndWasSeenMeanwhile) {
  Lease lease = Acquire();
  connector_.Otherwise([&](const auto&) {
    lease.lost().Set();
    return Number(1);
  });
  EXPECT_EQ(lease.Extend().code(), StatusCode::kLeaseLost);
  EXPECT_FALSE(lease.valid());
  EXPECT_TRUE(lease.lost().IsSet());
  lease.Forget();
}

// The server may let somebody else in before its answer is back.
TEST_F(LeaseTest, TheBeliefEndsBeforeTheReleaseIsSent) {
  Lease lease = Acquire();
  bool believed = true;
  connector_.Otherwise([&](const auto&) {
    believed = lease.valid();
    return Number(1);
  });
  EXPECT_TRUE(lease.Release().ok());
  EXPECT_FALSE(believed);
}

TEST_F(LeaseTest, ExtendThatTheServerRefusesMarksTheLeaseLost) {
  Lease lease = Acquire();
  Script(Number(0));
  EXPECT_EQ(lease.Extend().code(), StatusCode::kNotOwner);
  EXPECT_FALSE(lease.valid());
  EXPECT_EQ(lease.Extend().code(), StatusCode::kNotOwner);
  EXPECT_EQ(lease.Release().code(), StatusCode::kNotOwner);
  EXPECT_EQ(connector_.sent().size(), 2U);
}

// The extend may or may not have happened: believing in the old end is right in both cases.
TEST_F(LeaseTest, ExtendWithUnknownOutcomeKeepsTheOldEnd) {
  Lease lease = Acquire(10s);
  const MonotonicTime end = lease.valid_until();
  Script(Answer::Lost());
  EXPECT_EQ(lease.Extend().code(), StatusCode::kUnknownOutcome);
  EXPECT_EQ(lease.valid_until(), end);
  EXPECT_TRUE(lease.valid());
  Script(Number(1));
  EXPECT_TRUE(lease.Extend().ok());
  EXPECT_GT(lease.valid_until(), end);
  lease.Forget();
}

TEST_F(LeaseTest, ReleaseIsRepeatedOnAFreshConnectionAfterALostReply) {
  Lease lease = Acquire();
  Script(Answer::Lost());
  Script(Number(2));  // "released earlier": the first attempt had arrived
  EXPECT_TRUE(lease.Release().ok());
  EXPECT_EQ(Sent(2).argv, Sent(1).argv);
  EXPECT_NE(Sent(2).connection, Sent(1).connection);
}

TEST_F(LeaseTest, ReleaseGivesUpAfterTheConfiguredAttempts) {
  Lease lease = Acquire();
  for (int i = 0; i < 3; ++i) Script(Answer::Lost());
  EXPECT_EQ(lease.Release().code(), StatusCode::kUnknownOutcome);
  EXPECT_FALSE(lease.valid());
  Script(Number(1));  // an indefinite answer may be improved upon
  EXPECT_TRUE(lease.Release().ok());
}

// The first call may have released it and let somebody else in, whom the second one then meets.
TEST_F(LeaseTest, ALaterReleaseRemembersThatAnEarlierOneMayHaveRun) {
  Lease lease = Acquire();
  for (int i = 0; i < 3; ++i) Script(Answer::Lost());
  EXPECT_EQ(lease.Release().code(), StatusCode::kUnknownOutcome);
  Script(Number(3));
  EXPECT_EQ(lease.Release().code(), StatusCode::kUnknownOutcome);
  lease.Forget();
}

TEST_F(LeaseTest, ALaterReleaseThatNeverLeftDoesNotMakeAnEarlierOneDefinite) {
  Lease lease = Acquire();
  for (int i = 0; i < 3; ++i) Script(Answer::Lost());
  EXPECT_EQ(lease.Release().code(), StatusCode::kUnknownOutcome);
  connector_.FailEveryConnect(Status(StatusCode::kUnavailable, "refused"));
  EXPECT_EQ(lease.Release().code(), StatusCode::kUnknownOutcome);
  lease.Forget();
}

TEST_F(LeaseTest, ReleaseThatNeverLeftIsADefiniteFailure) {
  Lease lease = Acquire();
  Script(Answer::NotSent());
  connector_.FailEveryConnect(Status(StatusCode::kUnavailable, "refused"));
  EXPECT_EQ(lease.Release().code(), StatusCode::kUnavailable);
}

TEST_F(LeaseTest, ReleaseEndsAtOnceOnShutdown) {
  Lease lease = Acquire();
  Script(Answer::Cancelled());
  EXPECT_EQ(lease.Release().code(), StatusCode::kCancelled);
  EXPECT_EQ(runtime_.elapsed(), 0ms);
  EXPECT_EQ(connector_.connects(), 1);
}

TEST(ReleaseStatusTest, IsHonestAboutARepeatedRelease) {
  using internal::ReleaseReply;
  using internal::ReleaseStatus;
  EXPECT_TRUE(ReleaseStatus(ReleaseReply::kReleased, false).ok());
  EXPECT_TRUE(ReleaseStatus(ReleaseReply::kReleasedEarlier, true).ok());
  EXPECT_EQ(ReleaseStatus(ReleaseReply::kSuperseded, true).code(), StatusCode::kUnknownOutcome);
  EXPECT_EQ(ReleaseStatus(ReleaseReply::kSuperseded, false).code(), StatusCode::kNotOwner);
  EXPECT_EQ(ReleaseStatus(ReleaseReply::kNotOwner, true).code(), StatusCode::kNotOwner);
}

}  // namespace
}  // namespace interlock
