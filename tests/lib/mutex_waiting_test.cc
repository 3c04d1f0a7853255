// SPDX-License-Identifier: MIT
#include <chrono>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <interlock/mutex.h>

#include "tests/lib/lib_test.h"

namespace interlock {
namespace {

using namespace std::chrono_literals;
using testing::Answer;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class MutexWaitingTest : public LockTest {
 protected:
  /// Sent commands by name: "EVALSHA", "BLPOP", ...
  std::vector<std::string> Names() {
    std::vector<std::string> names;
    for (const auto& command : connector_.sent()) names.push_back(command.argv[0]);
    return names;
  }
};

TEST_F(MutexWaitingTest, AFreeResourceNeedsNoWait) {
  Mutex mutex = NewMutex();
  Script(Grant(1));
  Result<Lease> lease = mutex.AcquireFor(5s);
  ASSERT_TRUE(lease.ok());
  EXPECT_EQ(connector_.sent().size(), 1U);
  lease->Forget();
}

TEST_F(MutexWaitingTest, IsWokenByAHintAndTriesAgainWithANewToken) {
  Mutex mutex = NewMutex();
  Script(Refuse(8s));
  Pop(Hint().After(2s));
  Script(Grant(1));
  Result<Lease> lease = mutex.AcquireFor(5s);
  ASSERT_TRUE(lease.ok());
  EXPECT_EQ(runtime_.elapsed(), 2s);
  EXPECT_NE(Argument(0, 0), Argument(2, 0));
  EXPECT_THAT(Sent(1).argv, ElementsAre("BLPOP", "t:{res}:signal", "5.000"));
  lease->Forget();
}

// A crashed holder sends no hint; its lease is what the waiter waits for.
TEST_F(MutexWaitingTest, LooksAgainWhenTheOwnersLeaseIsOver) {
  Mutex mutex = NewMutex();
  Script(Refuse(3s));
  Pop(Answer::TimesOut());
  Script(Grant(1));
  Result<Lease> lease = mutex.Acquire();
  ASSERT_TRUE(lease.ok());
  EXPECT_EQ(Sent(1).argv.back(), "3.001");
  lease->Forget();
}

TEST_F(MutexWaitingTest, NeverSleepsLongerThanTheCap) {
  Mutex mutex = NewMutex();
  Script(Refuse(10h));
  Pop(Answer::TimesOut());
  Script(Refuse(std::chrono::milliseconds(-1)));
  Pop(Answer::TimesOut());
  Script(Grant(1));
  mutex.Acquire()->Forget();
  EXPECT_EQ(Sent(1).argv.back(), "30.000");
  EXPECT_EQ(Sent(3).argv.back(), "30.000");
}

TEST_F(MutexWaitingTest, AcquireReturnsTimeoutWhenHeldPastDeadline) {
  Mutex mutex = NewMutex();
  Script(Refuse(8s));
  Pop(Answer::TimesOut());
  Script(Refuse(3s));
  EXPECT_EQ(mutex.AcquireFor(5s).status().ToString(),
            "timeout: no grant of t:{res} before the deadline");
  EXPECT_EQ(runtime_.elapsed(), 5s);
}

// A hint that arrives at the last moment was meant for this waiter: dropping it would leave the
// resource free and everybody else asleep.
TEST_F(MutexWaitingTest, TriesOnceMoreAfterAHintAtTheDeadline) {
  Mutex mutex = NewMutex();
  Script(Refuse(8s));
  Pop(Hint().After(5s));
  Script(Grant(1));
  Result<Lease> lease = mutex.AcquireFor(5s);
  EXPECT_TRUE(lease.ok());
  lease->Forget();
}

TEST_F(MutexWaitingTest, ZeroAndNegativeTimeoutsTryExactlyOnce) {
  Mutex mutex = NewMutex();
  for (const Duration timeout : {Duration(0), Duration(-5s), Duration::min()}) {
    Script(Refuse(8s));
    EXPECT_EQ(mutex.AcquireFor(timeout).code(), StatusCode::kTimeout);
  }
  Script(Refuse(8s));
  EXPECT_EQ(mutex.AcquireUntil(MonotonicTime::min()).code(), StatusCode::kTimeout);
  EXPECT_EQ(connector_.sent().size(), 4U);
}

TEST_F(MutexWaitingTest, AHugeTimeoutIsForEverAndDoesNotOverflow) {
  Mutex mutex = NewMutex();
  Script(Refuse(1s));
  Pop(Answer::TimesOut());
  Script(Grant(1));
  mutex.AcquireFor(Duration::max())->Forget();
}

TEST_F(MutexWaitingTest, LosingTheRaceAfterAHintMeansWaitingOn) {
  Mutex mutex = NewMutex();
  Script(Refuse(8s));
  Pop(Hint().After(1s));
  Script(Refuse(9s));
  Pop(Hint().After(1s));
  Script(Grant(1));
  mutex.AcquireFor(5s)->Forget();
  EXPECT_EQ(Sent(3).argv.back(), "4.000");  // one budget for the whole call
}

TEST_F(MutexWaitingTest, AnOutageIsSatOutWithGrowingPauses) {
  Mutex mutex = NewMutex();
  for (int i = 0; i < 4; ++i) {
    connector_.FailConnect(Status(StatusCode::kUnavailable, "refused"));
  }
  Script(Grant(1));
  mutex.Acquire()->Forget();
  const auto& waits = runtime_.waits();
  ASSERT_EQ(waits.size(), 4U);
  for (std::size_t i = 0; i < 4; ++i) {
    const Duration full = 50ms * (1 << i);
    EXPECT_LE(waits[i], full);
    EXPECT_GT(waits[i], full / 2);
  }
}

TEST_F(MutexWaitingTest, AnOutagePastTheDeadlineIsATimeoutThatSaysWhy) {
  Mutex mutex = NewMutex();
  connector_.FailEveryConnect(Status(StatusCode::kUnavailable, "refused"));
  const Result<Lease> lease = mutex.AcquireFor(10s);
  EXPECT_EQ(lease.code(), StatusCode::kTimeout);
  EXPECT_THAT(lease.status().message(), HasSubstr("refused"));
  EXPECT_EQ(runtime_.elapsed(), 10s);
}

TEST_F(MutexWaitingTest, AConnectionLostWhileAsleepIsReplacedAtOnce) {
  Mutex mutex = NewMutex();
  Script(Refuse(8s));
  Pop(Answer::Reset());
  Script(Refuse(8s));
  Pop(Hint());
  Script(Grant(1));
  mutex.AcquireFor(5s)->Forget();
  EXPECT_TRUE(runtime_.waits().empty());
  EXPECT_NE(Sent(2).connection, Sent(1).connection);
}

// A proxy that kills blocked connections must not turn waiting into polling at full speed.
TEST_F(MutexWaitingTest, SleepsThatKeepFailingArePaced) {
  Mutex mutex = NewMutex();
  connector_.Otherwise([](const std::vector<std::string>& argv) {
    return argv[0] == "BLPOP" ? Answer::Reset() : Refuse(60s);
  });
  EXPECT_EQ(mutex.AcquireFor(60s).code(), StatusCode::kTimeout);
  EXPECT_LT(connector_.sent().size(), 200U);
}

TEST_F(MutexWaitingTest, ALostReplyIsCleanedUpBeforeTheNextTry) {
  Mutex mutex = NewMutex();
  Script(Answer::Lost());
  Script(Number(1));  // the clean-up
  Script(Grant(1));
  mutex.AcquireFor(5s)->Forget();
  EXPECT_EQ(Argument(1, 0), Argument(0, 0));
  EXPECT_NE(Argument(2, 0), Argument(0, 0));
}

// Otherwise the waiter would wait for its own forgotten grant.
TEST_F(MutexWaitingTest, AnUnconfirmedTryIsSettledBeforeTheNextOne) {
  Mutex mutex = NewMutex();
  Script(Answer::Reset());
  for (int i = 0; i < 3; ++i) Script(Answer::Reset());
  Script(Number(1));
  Script(Grant(1));
  mutex.AcquireFor(60s)->Forget();
  EXPECT_EQ(Argument(4, 0), Argument(0, 0));
}

TEST_F(MutexWaitingTest, AnUnconfirmedTryAtTheDeadlineIsUnknownNotATimeout) {
  Mutex mutex = NewMutex();
  connector_.Otherwise([](const std::vector<std::string>&) { return Answer::Reset(); });
  const Result<Lease> lease = mutex.AcquireFor(3s);
  EXPECT_EQ(lease.code(), StatusCode::kUnknownOutcome);
  std::set<std::string> tokens;
  for (std::size_t i = 0; i < connector_.sent().size(); ++i) tokens.insert(Argument(i, 0));
  EXPECT_EQ(tokens.size(), 1U) << "a second try while the first may still be granted";
}

TEST_F(MutexWaitingTest, TheDeadlineIsOverrunByNoMoreThanTheBound) {
  Mutex mutex = NewMutex();
  connector_.Otherwise([](const std::vector<std::string>&) { return Answer::Lost(); });
  const Result<Lease> lease = mutex.AcquireFor(3s);
  EXPECT_EQ(lease.code(), StatusCode::kUnknownOutcome);
  EXPECT_LE(runtime_.elapsed(), 3s + client_.overrun_bound());
}

TEST_F(MutexWaitingTest, ShutdownEndsEveryWaitAtOnce) {
  Mutex mutex = NewMutex();
  Script(Refuse(8s));
  Pop(Answer::Cancelled());
  EXPECT_EQ(mutex.Acquire().code(), StatusCode::kCancelled);
  connector_.Otherwise([this](const std::vector<std::string>& argv) {
    if (argv[0] == "EVALSHA") return Refuse(8s);
    connector_.FailEveryConnect(Status(StatusCode::kCancelled));
    return Answer::Lost();
  });
  EXPECT_EQ(mutex.Acquire().code(), StatusCode::kCancelled);
  EXPECT_THAT(Names(), ElementsAre("EVALSHA", "BLPOP", "EVALSHA", "BLPOP"));
}

TEST_F(MutexWaitingTest, WrongCredentialsEndAnEndlessWait) {
  Mutex mutex = NewMutex();
  connector_.FailConnect(Status(StatusCode::kInvalidArgument, "WRONGPASS"));
  EXPECT_EQ(mutex.Acquire().code(), StatusCode::kInvalidArgument);
}

// A further try before the clean-up is confirmed might wait for the waiter's own grant.
TEST_F(MutexWaitingTest, AnUnreadableReplyIsCleanedUpBeforeTheNextTry) {
  Mutex mutex = NewMutex();
  Script(Number(1));
  for (int i = 0; i < 3; ++i) Script(Answer::Lost());
  Script(Number(1));
  Script(Grant(2));
  Result<Lease> lease = mutex.Acquire();
  ASSERT_TRUE(lease.ok()) << lease.status().ToString();
  EXPECT_EQ(Argument(4, 0), Argument(0, 0));
  EXPECT_NE(Argument(5, 0), Argument(0, 0));
  lease->Forget();
}

TEST_F(MutexWaitingTest, AKeyOfAnotherTypeEndsAnEndlessWait) {
  Mutex mutex = NewMutex();
  Script(Refuse(8s));
  Pop(Error("WRONGTYPE Operation against a key"));
  EXPECT_EQ(mutex.Acquire().code(), StatusCode::kProtocolError);
}

}  // namespace
}  // namespace interlock
