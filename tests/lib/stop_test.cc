// SPDX-License-Identifier: MIT
//
// A wait that is stopped, at each place where it can be.
#include <chrono>
#include <stop_token>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <interlock/count_down_latch.h>
#include <interlock/fair_mutex.h>
#include <interlock/multi_mutex.h>
#include <interlock/redlock.h>
#include <interlock/shared_mutex.h>
#include <interlock/single_file.h>

#include "src/scripts/fair_scripts.h"
#include "tests/lib/lib_test.h"

namespace interlock {
namespace {

using namespace std::chrono_literals;
using testing::Answer;
using ::testing::ElementsAre;

class StopTest : public LockTest {
 protected:
  void StopAt(Duration elapsed) {
    runtime_.At(elapsed, [this] { source_.request_stop(); });
  }
  std::vector<std::string> Names() {
    std::vector<std::string> names;
    for (const auto& command : connector_.sent()) names.push_back(command.argv[0]);
    return names;
  }

  std::stop_source source_;
};

TEST_F(StopTest, ATokenThatWasStoppedBeforeSendsNothing) {
  source_.request_stop();
  const std::stop_token stop = source_.get_token();
  Mutex mutex = NewMutex();
  EXPECT_EQ(mutex.Acquire(stop).status().ToString(),
            "stopped: t:{res}: stop was requested before the call; nothing was sent");
  EXPECT_EQ(mutex.AcquireFor(5s, stop).code(), StatusCode::kStopped);
  EXPECT_EQ(mutex.AcquireUntil(MonotonicTime::min(), stop).code(), StatusCode::kStopped);
  EXPECT_EQ(MultiMutex::Create(client_, {"a", "b"})->Acquire(stop).code(), StatusCode::kStopped);
  EXPECT_EQ(CountDownLatch::Create(client_, "l")->Await(stop).code(), StatusCode::kStopped);
  SingleFile file = SingleFile::Create(client_, {}).value();
  const auto body = [] { ADD_FAILURE() << "the body ran"; };
  EXPECT_EQ(file.Synchronize(body, stop).code(), StatusCode::kStopped);
  EXPECT_EQ(file.Synchronize(5s, body, stop).code(), StatusCode::kStopped);
  EXPECT_THROW(file.SynchronizeOrThrow(body, stop), LockError);
  EXPECT_THROW(file.SynchronizeOrThrow(5s, body, stop), LockError);
  EXPECT_EQ(connector_.sent().size(), 0U);
  EXPECT_EQ(connector_.connects(), 0);
}

TEST_F(StopTest, ATokenThatIsNeverStoppedChangesNothing) {
  Mutex mutex = NewMutex();
  Script(Refuse(8s));
  Pop(Hint().After(2s));
  Script(Grant(1));
  mutex.AcquireFor(5s, source_.get_token())->Forget();
  EXPECT_EQ(connector_.connects(), 1);
}

// The hint that may have been under way was meant for one waiter: it is not lost with this one.
TEST_F(StopTest, EndsASleepInTheServerAtOnceAndTriesOnceMore) {
  Mutex mutex = NewMutex();
  Script(Refuse(8s));
  Pop(Answer::TimesOut());
  Script(Refuse(8s));
  StopAt(2s);
  const Result<Lease> lease = mutex.Acquire(source_.get_token());
  EXPECT_EQ(lease.code(), StatusCode::kStopped);
  EXPECT_EQ(lease.outcome(), Outcome::kFailure);
  EXPECT_EQ(runtime_.elapsed(), 2s);
  EXPECT_NE(Sent(1).connection, Sent(2).connection);
}

TEST_F(StopTest, ReturnsALeaseThatTheLastTryFinds) {
  Mutex mutex = NewMutex();
  Script(Refuse(8s));
  Pop(Answer::Lost());
  Script(Grant(1));
  StopAt(2s);
  Result<Lease> lease = mutex.Acquire(source_.get_token());
  ASSERT_TRUE(lease.ok());
  EXPECT_EQ(runtime_.elapsed(), 2s);
  lease->Forget();
}

TEST_F(StopTest, EndsAPauseAtOnceWithoutAnotherTry) {
  Mutex mutex = NewMutex();
  for (int i = 0; i < 4; ++i) connector_.FailConnect(Status(StatusCode::kUnavailable));
  StopAt(160ms);  // in the third pause, of at least 100 ms after at least 25 and 50
  EXPECT_EQ(mutex.Acquire(source_.get_token()).code(), StatusCode::kStopped);
  EXPECT_EQ(runtime_.elapsed(), 160ms);
  EXPECT_EQ(connector_.sent().size(), 0U);
}

TEST_F(StopTest, ATryWhoseReplyWasLostIsUndoneOrUnknown) {
  for (const bool answers : {true, false}) {
    Mutex mutex = NewMutex();
    std::stop_source source;
    Script(Answer::Reset());
    for (int i = 0; i < 3; ++i) Script(Answer::Reset());  // cleanup_attempts
    Script(answers ? Number(0) : Answer::Reset());
    runtime_.At(runtime_.elapsed() + 25ms + 50ms + 20ms, [&] { source.request_stop(); });
    EXPECT_EQ(mutex.Acquire(source.get_token()).code(),
              answers ? StatusCode::kStopped : StatusCode::kUnknownOutcome);
    EXPECT_EQ(Argument(connector_.sent().size() - 1, 0), Argument(connector_.sent().size() - 5, 0));
  }
}

TEST_F(StopTest, AWriterThatStandsInTheServerLeaves) {
  SharedMutex mutex = SharedMutex::Create(client_, "res", {.lease = 10s}).value();
  Script(Refuse(8s));
  Pop(Answer::TimesOut());
  Script(Refuse(8s));
  StopAt(2s);
  EXPECT_EQ(mutex.writer().Acquire(source_.get_token()).code(), StatusCode::kStopped);
  EXPECT_THAT(Names(), ElementsAre("EVALSHA", "BLPOP", "EVALSHA"));
}

TEST_F(StopTest, AFairWaiterLeavesTheLine) {
  FairMutex mutex = FairMutex::Create(client_, "res", {.lease = 10s}).value();
  Script(Refuse(8s));
  Pop(Answer::TimesOut());
  Script(Number(0));
  StopAt(2s);
  EXPECT_EQ(mutex.Acquire(source_.get_token()).code(), StatusCode::kStopped);
  EXPECT_EQ(runtime_.elapsed(), 2s);
  const internal::Script* abandon = internal::FairScripts::All().at(2);
  EXPECT_EQ(abandon->name, "fair-leave");
  EXPECT_EQ(Sent(2).argv.at(1), abandon->sha());
  EXPECT_EQ(Argument(2, 0), Argument(0, 0));
}

TEST_F(StopTest, AFairWaiterThatCannotLeaveSaysSo) {
  FairMutex mutex = FairMutex::Create(client_, "res", {.lease = 10s}).value();
  Script(Refuse(8s));
  Pop(Answer::TimesOut());
  for (int i = 0; i < 3; ++i) Script(Answer::Reset());
  StopAt(2s);
  EXPECT_EQ(mutex.Acquire(source_.get_token()).code(), StatusCode::kUnknownOutcome);
}

TEST_F(StopTest, AFairWaiterIsStoppedInAPause) {
  FairMutex mutex = FairMutex::Create(client_, "res", {.lease = 10s}).value();
  connector_.FailEveryConnect(Status(StatusCode::kUnavailable));
  StopAt(1s);
  EXPECT_EQ(mutex.Acquire(source_.get_token()).code(), StatusCode::kStopped);
  EXPECT_EQ(runtime_.elapsed(), 1s);
  EXPECT_EQ(connector_.sent().size(), 0U);
}

TEST_F(StopTest, AllResourcesOfAMultiMutexAreGivenBack) {
  MultiMutex both = MultiMutex::Create(client_, {"a", "b"}).value();
  Script(Grant(1));
  Script(Refuse(8s));
  Pop(Answer::TimesOut());
  Script(Refuse(8s));
  Script(Number(1));
  StopAt(2s);
  EXPECT_EQ(both.Acquire(source_.get_token()).code(), StatusCode::kStopped);
  EXPECT_EQ(runtime_.elapsed(), 2s);
  EXPECT_EQ(Argument(4, 0), Argument(0, 0));
}

TEST_F(StopTest, ALatchIsLookedAtOnceMore) {
  CountDownLatch latch = CountDownLatch::Create(client_, "res").value();
  const auto closed =
      Answer::With(testing::Array({testing::Integer(1), testing::Integer(2), testing::Integer(0)}));
  Script(closed);
  Pop(Answer::TimesOut());
  Script(closed);
  StopAt(2s);
  EXPECT_EQ(latch.Await(source_.get_token()).code(), StatusCode::kStopped);
  EXPECT_EQ(runtime_.elapsed(), 2s);
}

TEST_F(StopTest, ALatchIsStoppedInAPause) {
  CountDownLatch latch = CountDownLatch::Create(client_, "res").value();
  connector_.FailEveryConnect(Status(StatusCode::kUnavailable));
  StopAt(1s);
  EXPECT_EQ(latch.Await(source_.get_token()).code(), StatusCode::kStopped);
  EXPECT_EQ(runtime_.elapsed(), 1s);
}

TEST_F(StopTest, ARedlockIsStoppedInItsPauseAndLeavesNothing) {
  testing::FakeConnector second{runtime_, "redis://second"};
  testing::FakeConnector third{runtime_, "redis://third"};
  Client two(runtime_, second);
  Client three(runtime_, third);
  Redlock lock = Redlock::Create({&client_, &two, &three}, "res").value();
  const auto refuse = [](const auto&) { return Refuse(8s); };
  connector_.Otherwise(refuse);
  second.Otherwise(refuse);
  third.Otherwise(refuse);
  StopAt(1s);
  EXPECT_EQ(lock.Acquire(source_.get_token()).code(), StatusCode::kStopped);
  EXPECT_EQ(runtime_.elapsed(), 1s);
}

}  // namespace
}  // namespace interlock
