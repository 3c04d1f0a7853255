// SPDX-License-Identifier: MIT
#include <interlock/shared_mutex.h>

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

class SharedMutexTest : public LockTest {
 protected:
  SharedMutex NewShared(bool prefer_writers = true) {
    return SharedMutex::Create(client_, "res",
                               {.key_prefix = "t:", .lease = 10s, .prefer_writers = prefer_writers})
        .value();
  }
  // Of a writer's acquire.
  std::string Standing(std::size_t command) { return Argument(command, 3); }
  std::string Patience(std::size_t command) { return Argument(command, 4); }
};

TEST_F(SharedMutexTest, CreateValidatesAndSendsNothing) {
  EXPECT_EQ(SharedMutex::Create(client_, "a{b").code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(SharedMutex::Create(client_, "res", {.lease = 0s}).code(),
            StatusCode::kInvalidArgument);
  EXPECT_EQ(NewShared().name(), "res");
  EXPECT_EQ(connector_.connects(), 0);
}

TEST_F(SharedMutexTest, BothSidesGrantLeasesOfTheirOwn) {
  SharedMutex mutex = NewShared();
  Script(Grant(1));
  Script(Grant(2));
  Result<Lease> reading = mutex.reader().TryAcquire();
  Result<Lease> writing = mutex.writer().TryAcquire();
  ASSERT_TRUE(reading.ok());
  ASSERT_TRUE(writing.ok());
  EXPECT_EQ(reading->fencing_token(), 1U);
  EXPECT_NE(reading->token(), writing->token());
  Script(Number(1));
  EXPECT_TRUE(reading->Release().ok());
  EXPECT_EQ(Key(2, 0), "t:{res}:readers");
  Script(Number(1));
  EXPECT_TRUE(writing->Release().ok());
  EXPECT_EQ(Key(3, 0), "t:{res}");
}

TEST_F(SharedMutexTest, EachSideIsToldWhatMayBeInItsWay) {
  SharedMutex mutex = NewShared();
  Script(Refuse(8s));
  Script(Refuse(8s));
  EXPECT_EQ(mutex.reader().TryAcquire().status().ToString(),
            "not-acquired: t:{res} has a writer, or one that waits and goes first");
  EXPECT_EQ(mutex.writer().TryAcquire().status().ToString(),
            "not-acquired: t:{res} has readers or another writer");
}

TEST_F(SharedMutexTest, EachSideSleepsOnAListOfItsOwn) {
  SharedMutex mutex = NewShared();
  for (LeaseSource* side : {&mutex.reader(), &mutex.writer()}) {
    Script(Refuse(8s));
    Pop(Hint().After(1s));
    Script(Grant(1));
    side->AcquireFor(5s)->Forget();
  }
  EXPECT_THAT(Sent(1).argv, ElementsAre("BLPOP", "t:{res}:signal:readers", "5.000"));
  EXPECT_THAT(Sent(4).argv, ElementsAre("BLPOP", "t:{res}:signal:writers", "5.000"));
}

// Whoever was woken may have taken the only hint.
TEST_F(SharedMutexTest, AReaderHandsOnAHintOnlyIfItHasBeenRefused) {
  SharedMutex mutex = NewShared();
  Script(Refuse(8s));
  Pop(Hint());
  Script(Grant(1));
  mutex.reader().Acquire()->Forget();
  EXPECT_EQ(Argument(0, 3), "0");
  EXPECT_EQ(Argument(2, 3), "1");
}

TEST_F(SharedMutexTest, APreferredWriterStandsUnderItsLastTokenUntilItsDeadline) {
  SharedMutex mutex = NewShared();
  Script(Refuse(8s));
  Pop(Hint().After(2s));
  Script(Refuse(8s));
  Pop(Answer::TimesOut());
  Script(Refuse(8s));
  Script(Number(1));
  EXPECT_EQ(mutex.writer().AcquireFor(5s).code(), StatusCode::kTimeout);
  EXPECT_EQ(Standing(0), "");
  EXPECT_EQ(Patience(0), "5000");
  EXPECT_EQ(Standing(2), Argument(0, 0));
  EXPECT_EQ(Patience(2), "3000");
  EXPECT_EQ(Standing(4), Argument(2, 0));
  EXPECT_EQ(Patience(4), "0");  // its last try: it stands there no more
}

// It was told that there is less to wait for: another writer may sleep for longer than it need.
TEST_F(SharedMutexTest, AWriterThatTookAHintAndGivesUpHandsItOnToTheNext) {
  for (const bool woken : {true, false}) {
    SharedMutex mutex = NewShared(false);
    const std::size_t first = connector_.sent().size();
    Script(Refuse(8s));
    if (woken) {
      Pop(Hint().After(2s));
      Script(Refuse(4s));
    }
    Pop(Answer::TimesOut());
    Script(Refuse(3s));
    if (woken) Script(Number(1));
    EXPECT_EQ(mutex.writer().AcquireFor(5s).code(), StatusCode::kTimeout);
    ASSERT_EQ(connector_.sent().size() - first, woken ? 6U : 3U);
    if (woken) {
      EXPECT_TRUE(Key(first + 5, 0).ends_with(":signal:writers"));
    }
  }
}

TEST_F(SharedMutexTest, AWriterThatWaitsForEverStandsForALeaseAtATime) {
  SharedMutex mutex = NewShared();
  Script(Refuse(7500ms));
  Pop(Answer::TimesOut());
  Script(Grant(1));
  mutex.writer().Acquire()->Forget();
  EXPECT_EQ(Patience(0), "10000");
}

TEST_F(SharedMutexTest, WhoDoesNotWaitOrIsNotPreferredNeverStandsThere) {
  SharedMutex preferred = NewShared();
  Script(Refuse(8s));
  EXPECT_EQ(preferred.writer().TryAcquire().code(), StatusCode::kNotAcquired);
  EXPECT_EQ(Patience(0), "0");
  SharedMutex modest = NewShared(false);
  Script(Refuse(8s));
  Pop(Hint());
  Script(Grant(1));
  modest.writer().Acquire()->Forget();
  EXPECT_EQ(Patience(1), "0");
  EXPECT_EQ(Standing(3), "");
}

// The reply came after the deadline: readers must not be kept out by a wait that is over.
TEST_F(SharedMutexTest, ALateRefusalIsCleanedUpBeforeItIsATimeout) {
  SharedMutex mutex = NewShared();
  Script(Refuse(8s).After(600ms));
  Script(Number(0));
  EXPECT_EQ(mutex.writer().AcquireFor(500ms).code(), StatusCode::kTimeout);
  EXPECT_EQ(Argument(1, 0), Argument(0, 0));
  EXPECT_EQ(Key(1, 2), "t:{res}:waiting");
}

TEST_F(SharedMutexTest, AWaiterThatCannotBeCleanedUpIsUnknown) {
  SharedMutex mutex = NewShared();
  Script(Refuse(8s).After(600ms));
  connector_.FailEveryConnect(std::nullopt);
  for (int i = 0; i < 3; ++i) Script(Answer::Reset());
  const Result<Lease> lease = mutex.writer().AcquireFor(500ms);
  EXPECT_EQ(lease.code(), StatusCode::kUnknownOutcome);
  EXPECT_THAT(lease.status().message(), HasSubstr("others may be kept out"));
}

TEST_F(SharedMutexTest, AnUpgradeIsRefusedWithTheWayOut) {
  SharedMutex mutex = NewShared();
  Script(Grant(1));
  Result<Lease> reading = mutex.reader().TryAcquire();
  ASSERT_TRUE(reading.ok());
  const Status upgraded = mutex.Upgrade(*reading);
  EXPECT_EQ(upgraded.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(upgraded.message(), HasSubstr("release it, acquire the write lease"));
  EXPECT_TRUE(reading->valid());
  EXPECT_EQ(connector_.sent().size(), 1U);
  reading->Forget();
}

}  // namespace
}  // namespace interlock
