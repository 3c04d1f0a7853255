// SPDX-License-Identifier: MIT
#include <interlock/single_file.h>

#include <chrono>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/lib/lib_test.h"

namespace interlock {
namespace {

using namespace std::chrono_literals;
using testing::Answer;
using testing::Array;
using ::testing::HasSubstr;
using testing::Text;

class SingleFileTest : public LockTest {
 protected:
  SingleFile NewFile(int concurrency = 1) {
    return SingleFile::Create(client_, {.key_prefix = "s:", .concurrency = concurrency}).value();
  }
  void GrantAndRelease() {
    Script(Grant(3));
    Script(Number(1));
  }
  static Answer Turn(std::string element) {
    return Answer::With(Array({Text("s:{default}:turn:t"), Text(std::move(element))}));
  }
};

TEST_F(SingleFileTest, UsesTheDefaultNameAndPassesItsLimit) {
  SingleFile file = NewFile(3);
  EXPECT_EQ(file.name(), "default");
  Script(Grant(3));
  Result<Lease> lease = file.TryAcquire();
  ASSERT_TRUE(lease.ok());
  EXPECT_EQ(Key(0, 0), "s:{default}");
  EXPECT_EQ(Key(0, 4), "s:{default}:holders");
  EXPECT_EQ(Argument(0, 3), "300000");
  EXPECT_EQ(Argument(0, 6), "3");
  lease->Forget();
}

TEST_F(SingleFileTest, SynchronizeAnswersTheValueOfTheBodyAndReleases) {
  SingleFile file = NewFile();
  GrantAndRelease();
  const Result<std::string> value = file.Synchronize([] { return std::string("done"); });
  EXPECT_EQ(value.value(), "done");
  EXPECT_EQ(connector_.sent().size(), 2U);
}

TEST_F(SingleFileTest, SynchronizeOfAVoidBodyAnswersAStatus) {
  SingleFile file = NewFile();
  GrantAndRelease();
  int calls = 0;
  const Status status = file.Synchronize([&] { ++calls; });
  EXPECT_TRUE(status.ok());
  EXPECT_EQ(calls, 1);
}

TEST_F(SingleFileTest, SynchronizePassesAResultOrStatusOfTheBodyOn) {
  SingleFile file = NewFile();
  GrantAndRelease();
  EXPECT_EQ(file.Synchronize([] { return Status(StatusCode::kUnavailable, "x"); }).code(),
            StatusCode::kUnavailable);
  GrantAndRelease();
  const Result<int> value = file.Synchronize([]() -> Result<int> { return 5; });
  EXPECT_EQ(*value, 5);
}

TEST_F(SingleFileTest, SynchronizeHandsTheLeaseToABodyThatWantsIt) {
  SingleFile file = NewFile();
  GrantAndRelease();
  const auto fence = file.Synchronize(1s, [](Lease& lease) {
    EXPECT_TRUE(lease.valid());
    return lease.fencing_token();
  });
  EXPECT_EQ(fence.value(), 3U);
}

TEST_F(SingleFileTest, SynchronizeTakesBodiesThatCanOnlyBeMoved) {
  SingleFile file = NewFile();
  GrantAndRelease();
  auto body = [owned = std::make_unique<int>(9)] { return *owned; };
  EXPECT_EQ(*file.Synchronize(std::move(body)), 9);
}

// The time-out is a value of its own, and the body is not run.
TEST_F(SingleFileTest, SynchronizeReturnsTimeoutWithoutRunningTheBody) {
  SingleFile file = NewFile();
  for (std::chrono::seconds left : {60s, 55s, 50s}) {
    Script(Refuse(left));
    Pop(Answer::TimesOut());
  }
  Script(Number(0));
  bool ran = false;
  const Result<int> value = file.Synchronize(15s, [&] {
    ran = true;
    return 1;
  });
  EXPECT_EQ(value.code(), StatusCode::kTimeout);
  EXPECT_FALSE(ran);
  EXPECT_EQ(runtime_.elapsed(), 15s);
}

// Whoever gives up leaves the line under its own token, and sends nothing that could change the
// permit of another.
TEST_F(SingleFileTest, GivingUpLeavesTheLine) {
  SingleFile file = NewFile();
  Script(Refuse(60s));
  Pop(Answer::TimesOut());
  Script(Number(0));
  EXPECT_EQ(file.AcquireFor(4s).code(), StatusCode::kTimeout);
  EXPECT_EQ(connector_.sent().size(), 3U);
  EXPECT_EQ(Argument(2, 0), Argument(0, 0));
}

// The release of the one before has granted it: no further command.
TEST_F(SingleFileTest, ATurnIsAPermit) {
  SingleFile file = NewFile();
  Script(Refuse(60s));
  Pop(Turn("42 300000").After(2s));
  Script(Number(1));
  const auto fence = file.Synchronize([](Lease& lease) { return lease.fencing_token(); });
  EXPECT_EQ(fence.value(), 42U);
  EXPECT_EQ(connector_.sent().size(), 3U);
}

TEST_F(SingleFileTest, AnExceptionOfTheBodySurvivesTheRelease) {
  SingleFile file = NewFile();
  Script(Grant(3));
  for (int i = 0; i < 3; ++i) Script(Answer::Lost());  // a failing release does not replace it
  EXPECT_THROW((void)file.Synchronize([] { throw std::runtime_error("body"); }),
               std::runtime_error);
  EXPECT_EQ(connector_.sent().size(), 4U);
}

TEST_F(SingleFileTest, AnotherConcurrencyInUseIsAClearError) {
  SingleFile file = NewFile(2);
  Script(Answer::With(testing::Array({testing::Integer(-2), testing::Integer(5)})));
  const Result<Lease> lease = file.Acquire();
  EXPECT_EQ(lease.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(lease.status().message(), HasSubstr("concurrency is 2"));
  EXPECT_THAT(lease.status().message(), HasSubstr("concurrency of 5"));
}

TEST_F(SingleFileTest, RejoinsAfterALostConnectionWithinItsBudget) {
  SingleFile file = NewFile();
  Script(Refuse(60s));
  Pop(Answer::Reset());
  Script(Refuse(58s));
  Pop(Turn("42 300000").After(3s));
  Script(Number(1));
  const Result<int> value = file.Synchronize(4s, [] { return 1; });
  EXPECT_TRUE(value.ok());
  EXPECT_EQ(Argument(2, 0), Argument(0, 0));
  EXPECT_EQ(Sent(3).argv.back(), "4.000");
}

TEST_F(SingleFileTest, TheThrowingFormAnswersWhatTheBodyAnswers) {
  SingleFile file = NewFile();
  GrantAndRelease();
  EXPECT_EQ(file.SynchronizeOrThrow([] { return 5; }), 5);
  GrantAndRelease();
  file.SynchronizeOrThrow(1s, [](Lease& lease) { EXPECT_TRUE(lease.valid()); });
}

TEST_F(SingleFileTest, TheThrowingFormThrowsWhenTheBodyDidNotRun) {
  SingleFile file = NewFile();
  Script(Refuse(50s));
  try {
    file.SynchronizeOrThrow(0s, [] { FAIL() << "it ran"; });
    FAIL() << "it has answered";
  } catch (const LockError& error) {
    EXPECT_EQ(error.status().code(), StatusCode::kTimeout);
  }
}

// The body had run by then, but perhaps not alone.
TEST_F(SingleFileTest, SynchronizeTellsThatThePermitDidNotLast) {
  SingleFile file = NewFile();
  const auto sleeps = [&] {
    runtime_.Advance(std::chrono::hours(1));
    return 42;
  };
  GrantAndRelease();
  EXPECT_EQ(file.Synchronize(sleeps).code(), StatusCode::kLeaseLost);
  GrantAndRelease();
  EXPECT_EQ(file.Synchronize(1s, [&] { sleeps(); }).code(), StatusCode::kLeaseLost);
  GrantAndRelease();
  try {
    file.SynchronizeOrThrow(sleeps);
    FAIL() << "nothing thrown";
  } catch (const LockError& error) {
    EXPECT_EQ(error.status().code(), StatusCode::kLeaseLost);
  }
  // The server may know it sooner: an operator has taken the permit away.
  Script(Grant(3));
  Script(Number(0));
  EXPECT_EQ(file.Synchronize([] {}).code(), StatusCode::kLeaseLost);
}

TEST_F(SingleFileTest, ABodyMayGiveItsPermitAwayItself) {
  SingleFile file = NewFile();
  GrantAndRelease();
  EXPECT_TRUE(file.Synchronize([](Lease& lease) { EXPECT_TRUE(lease.Release().ok()); }).ok());
  Script(Grant(3));
  EXPECT_TRUE(file.Synchronize([](Lease& lease) { lease.Forget(); }).ok());
  Script(Grant(3));
  Script(Number(1));
  std::optional<Lease> kept;
  EXPECT_TRUE(file.Synchronize([&](Lease& lease) { kept.emplace(std::move(lease)); }).ok());
  EXPECT_TRUE(kept->valid());
}

TEST_F(SingleFileTest, ExtendAndReleaseNameTheirKeys) {
  SingleFile file = NewFile();
  Script(Grant(3));
  Result<Lease> lease = file.TryAcquire();
  Script(Number(1));
  EXPECT_TRUE(lease->Extend().ok());
  EXPECT_EQ(Key(1, 3), "s:{default}:holders");
  Script(Number(1));
  EXPECT_TRUE(lease->Release().ok());
  EXPECT_EQ(Key(2, 2), "s:{default}:queue");
  EXPECT_EQ(Key(2, 3), "s:{default}:holders");
}

TEST_F(SingleFileTest, ALostReplyIsCleanedUp) {
  SingleFile file = NewFile(2);
  Script(Answer::Lost());
  Script(Number(1));
  EXPECT_EQ(file.TryAcquire().code(), StatusCode::kUnavailable);
  EXPECT_EQ(Argument(1, 0), Argument(0, 0));
}

}  // namespace
}  // namespace interlock
