// SPDX-License-Identifier: MIT
#include <interlock/mutex.h>

#include <chrono>
#include <set>
#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/lib/lib_test.h"

namespace interlock {
namespace {

using namespace std::chrono_literals;
using testing::Answer;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class MutexTest : public LockTest {};

TEST_F(MutexTest, TryAcquireReturnsALeaseWithItsTokens) {
  Mutex mutex = NewMutex();
  EXPECT_EQ(mutex.name(), "res");
  Script(Grant(42));
  Result<Lease> lease = mutex.TryAcquire();
  ASSERT_TRUE(lease.ok());
  EXPECT_EQ(lease->fencing_token(), 42U);
  EXPECT_EQ(lease->token(), Argument(0, 0));
  EXPECT_EQ(Key(0, 0), "t:{res}");
  EXPECT_EQ(Argument(0, 1), "10000");
  lease->Forget();
}

TEST_F(MutexTest, OneThatWasMovedFromStillWorks) {
  Mutex mutex = NewMutex();
  const Mutex moved = std::move(mutex);
  EXPECT_EQ(mutex.name(), moved.name());  // NOLINT(bugprone-use-after-move)
  Script(Grant(7));
  Lease lease = mutex.TryAcquire().value();
  EXPECT_TRUE(lease.valid());
  lease.Forget();
}

TEST_F(MutexTest, TryAcquireSaysNoAfterOneRoundTrip) {
  Mutex mutex = NewMutex();
  Script(Refuse(5s));
  EXPECT_EQ(mutex.TryAcquire().code(), StatusCode::kNotAcquired);
  EXPECT_EQ(connector_.sent().size(), 1U);
}

TEST_F(MutexTest, EveryTryHasATokenOfItsOwn) {
  Mutex mutex = NewMutex();
  std::set<std::string> tokens;
  for (std::size_t i = 0; i < 50; ++i) {
    Script(Refuse(5s));
    (void)mutex.TryAcquire();
    tokens.insert(Argument(i, 0));
  }
  EXPECT_EQ(tokens.size(), 50U);
}

TEST_F(MutexTest, SubMillisecondsOfALeaseAreRoundedDownForBothSides) {
  Mutex mutex = NewMutex(2ms + 900us);
  Script(Grant(1));
  Result<Lease> lease = mutex.TryAcquire();
  EXPECT_EQ(Argument(0, 1), "2");
  EXPECT_EQ(lease->remaining(), 1980us);
  lease->Forget();
}

TEST_F(MutexTest, ValidityCountsFromSendingNotFromTheReply) {
  Mutex mutex = NewMutex(10s);
  const MonotonicTime sent = runtime_.Now();
  Script(Grant(1).After(800ms));
  Result<Lease> lease = mutex.TryAcquire();
  EXPECT_EQ(lease->valid_until(), sent + 9900ms);
  lease->Forget();
}

// The lease is over here before its holder hears of it: it is given back, not handed out.
TEST_F(MutexTest, AGrantThatArrivesTooLateIsGivenBack) {
  Mutex mutex = NewMutex(500ms);
  Script(Grant(1).After(495ms));
  Script(Number(1));
  const Result<Lease> lease = mutex.TryAcquire();
  EXPECT_EQ(lease.code(), StatusCode::kUnavailable);
  EXPECT_EQ(Argument(1, 0), Argument(0, 0));
  EXPECT_THAT(Key(1, 2), HasSubstr("t:{res}:cancelled:"));
}

TEST_F(MutexTest, ALostReplyIsCleanedUpAndThenADefiniteFailure) {
  Mutex mutex = NewMutex();
  Script(Answer::Lost());
  Script(Number(1));
  const Result<Lease> lease = mutex.TryAcquire();
  EXPECT_EQ(lease.code(), StatusCode::kUnavailable);
  EXPECT_EQ(lease.outcome(), Outcome::kFailure);
  EXPECT_EQ(Argument(1, 0), Argument(0, 0));  // its own token, no other
  EXPECT_EQ(Argument(1, 2), "300000");        // the mark that bars a late arrival
  EXPECT_NE(Sent(1).connection, Sent(0).connection);
}

TEST_F(MutexTest, AnAcquireSentInPartIsCleanedUpToo) {
  Mutex mutex = NewMutex();
  Script(Answer::SentInPart());
  Script(Number(0));
  EXPECT_EQ(mutex.TryAcquire().code(), StatusCode::kUnavailable);
}

TEST_F(MutexTest, CleanUpIsRepeatedOnFreshConnections) {
  Mutex mutex = NewMutex();
  Script(Answer::Lost());
  Script(Answer::Reset());
  Script(Answer::Lost());
  Script(Number(0));
  EXPECT_EQ(mutex.TryAcquire().code(), StatusCode::kUnavailable);
  const std::set<int> connections = {Sent(0).connection, Sent(1).connection, Sent(2).connection,
                                     Sent(3).connection};
  EXPECT_EQ(connections.size(), 4U);
}

TEST_F(MutexTest, AnUnconfirmedCleanUpLeavesTheOutcomeUnknown) {
  Mutex mutex = NewMutex();
  Script(Answer::Lost());
  for (int i = 0; i < 3; ++i) Script(Answer::Lost());
  const Result<Lease> lease = mutex.TryAcquire();
  EXPECT_EQ(lease.code(), StatusCode::kUnknownOutcome);
  EXPECT_THAT(lease.status().message(), HasSubstr("clean-up"));
  EXPECT_LE(runtime_.elapsed(), client_.overrun_bound());
}

TEST_F(MutexTest, NothingIsCleanedUpIfNothingWasSent) {
  Mutex mutex = NewMutex();
  connector_.FailConnect(Status(StatusCode::kUnavailable, "refused"));
  EXPECT_EQ(mutex.TryAcquire().code(), StatusCode::kUnavailable);
  Script(Answer::NotSent());
  EXPECT_EQ(mutex.TryAcquire().code(), StatusCode::kUnavailable);
  EXPECT_EQ(connector_.sent().size(), 1U);
}

TEST_F(MutexTest, AnErrorInsideTheScriptIsCleanedUp) {
  Mutex mutex = NewMutex();
  Script(Error("WRONGTYPE Operation against a key holding the wrong kind of value"));
  Script(Error("WRONGTYPE Operation against a key holding the wrong kind of value"));
  const Result<Lease> lease = mutex.TryAcquire();
  EXPECT_EQ(lease.code(), StatusCode::kProtocolError);
  EXPECT_THAT(lease.status().message(), StartsWith("a key that begins with t:{res} holds"));
  EXPECT_THAT(lease.status().message(), Not(HasSubstr("clean-up")));  // it says the same
}

TEST_F(MutexTest, AnUnreadableReplyIsCleanedUp) {
  Mutex mutex = NewMutex();
  Script(Number(1));
  Script(Number(1));
  EXPECT_EQ(mutex.TryAcquire().code(), StatusCode::kProtocolError);
}

// It may have been granted, and the clean-up that would undo it did not get through.
TEST_F(MutexTest, AnUnreadableReplyThatIsNotCleanedUpLeavesTheOutcomeUnknown) {
  Mutex mutex = NewMutex();
  Script(Number(1));
  for (int i = 0; i < 3; ++i) Script(Answer::Lost());
  const Result<Lease> lease = mutex.TryAcquire();
  EXPECT_EQ(lease.code(), StatusCode::kUnknownOutcome);
  EXPECT_THAT(lease.status().message(), HasSubstr("clean-up"));
}

TEST_F(MutexTest, ShutdownEndsATryAtOnce) {
  Mutex mutex = NewMutex();
  Script(Answer::Cancelled());
  EXPECT_EQ(mutex.TryAcquire().code(), StatusCode::kCancelled);
  Script(Answer::Lost());
  Script(Answer::Cancelled());
  EXPECT_EQ(mutex.TryAcquire().code(), StatusCode::kCancelled);
  EXPECT_EQ(connector_.sent().size(), 3U);
}

TEST_F(MutexTest, IsMovable) {
  Mutex mutex = NewMutex();
  Mutex moved = std::move(mutex);
  Script(Grant(1));
  Result<Lease> lease = moved.TryAcquire();
  ASSERT_TRUE(lease.ok());
  lease->Forget();
}

TEST_F(MutexTest, TwoHoldsThroughOneObjectAreTwoOwners) {
  Mutex mutex = NewMutex();
  Script(Grant(1));
  Script(Grant(2));
  Result<Lease> first = mutex.TryAcquire();
  Result<Lease> second = mutex.TryAcquire();
  EXPECT_NE(first->token(), second->token());
  first->Forget();
  second->Forget();
}

}  // namespace
}  // namespace interlock
