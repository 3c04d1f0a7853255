// SPDX-License-Identifier: MIT
//
// What becomes of a grant that too few replicas have.
#include <interlock/replica_acknowledgement.h>

#include <chrono>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <interlock/fair_mutex.h>

#include "tests/lib/lib_test.h"

namespace interlock {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::Answer;
using ::testing::ElementsAre;

class ReplicaAcknowledgementTest : public LockTest {
 protected:
  static constexpr ReplicaAcknowledgement kTwo{.replicas = 2, .timeout = milliseconds(50)};

  void Wait(Answer answer) { connector_.Expect("WAIT", std::move(answer)); }

  Client asking_{runtime_, connector_, {.acknowledged_by = kTwo}};
  Mutex mutex_ = Mutex::Create(asking_, "res", {.lease = seconds(10)}).value();
};

TEST_F(ReplicaAcknowledgementTest, AGrantAndAnExtensionAreAskedAboutOnTheirConnection) {
  Script(Grant(7));
  Wait(Number(2));
  Result<Lease> lease = mutex_.TryAcquire();
  ASSERT_TRUE(lease.ok()) << lease.status().ToString();
  EXPECT_THAT(Sent(1).argv, ElementsAre("WAIT", "2", "50"));
  EXPECT_EQ(Sent(1).connection, Sent(0).connection);
  Script(Number(1));
  Wait(Number(3));
  EXPECT_TRUE(lease->Extend(seconds(10)).ok());
  Script(Number(1));
  EXPECT_TRUE(lease->Release().ok());
  EXPECT_EQ(connector_.connects(), 1);
}

TEST_F(ReplicaAcknowledgementTest, ARefusalIsNot) {
  Script(Refuse(seconds(5)));
  EXPECT_EQ(mutex_.TryAcquire().code(), StatusCode::kNotAcquired);
}

TEST_F(ReplicaAcknowledgementTest, AGrantThatTooFewHaveIsGivenBack) {
  Script(Grant(7));
  Wait(Number(1));
  Script(Number(1));  // abandoned
  const Result<Lease> lease = mutex_.TryAcquire();
  EXPECT_EQ(lease.code(), StatusCode::kUnavailable);
  EXPECT_NE(lease.status().message().find("not acknowledged by 2 replicas: by 1"),
            std::string::npos)
      << lease.status().message();
}

TEST_F(ReplicaAcknowledgementTest, SoIsOneOfWhichNobodyKnows) {
  Script(Grant(7));
  Wait(Answer::Lost());
  Script(Number(1));
  EXPECT_EQ(mutex_.TryAcquire().code(), StatusCode::kUnavailable);
  EXPECT_EQ(runtime_.elapsed(), milliseconds(1050));
  Script(Grant(8));
  Wait(Error("UNBLOCKED force unblock from blocking operation"));
  Script(Number(1));
  EXPECT_EQ(mutex_.TryAcquire().code(), StatusCode::kUnavailable);
}

TEST_F(ReplicaAcknowledgementTest, AWaiterTriesAgain) {
  Script(Grant(7));
  Wait(Number(0));
  Script(Number(1));
  Script(Grant(8));
  Wait(Number(2));
  Result<Lease> lease = mutex_.AcquireFor(seconds(5));
  ASSERT_TRUE(lease.ok()) << lease.status().ToString();
  EXPECT_EQ(lease->fencing_token(), 8U);
  Script(Number(1));
}

TEST_F(ReplicaAcknowledgementTest, AnExtensionThatTooFewHaveIsNotBelieved) {
  Script(Grant(7));
  Wait(Number(2));
  Result<Lease> lease = mutex_.TryAcquire();
  const MonotonicTime before = lease->valid_until();
  runtime_.Advance(seconds(1));
  Script(Number(1));
  Wait(Number(0));
  EXPECT_EQ(lease->Extend(seconds(10)).code(), StatusCode::kUnknownOutcome);
  EXPECT_EQ(lease->valid_until(), before);
  EXPECT_TRUE(lease->valid());
  Script(Number(1));
}

// What a release hands over was written by somebody else's connection, so the new owner asks for
// it.
TEST_F(ReplicaAcknowledgementTest, WhatIsHandedOverIsAskedForOnceMore) {
  FairMutex fair = FairMutex::Create(asking_, "res").value();
  Script(Refuse(seconds(5)));
  connector_.Expect(
      "BLPOP",
      Answer::With(testing::Array({testing::Text("turn"), testing::Text("9 1700000000000")})));
  Script(Grant(9));
  Wait(Number(2));
  Result<Lease> lease = fair.AcquireFor(seconds(5));
  ASSERT_TRUE(lease.ok()) << lease.status().ToString();
  Script(Number(1));
}

// Else the same token would be granted the resource again and again, and nobody else ever.
TEST_F(ReplicaAcknowledgementTest, AWaiterInLineGivesItBackAndGoesToTheEnd) {
  FairMutex fair = FairMutex::Create(asking_, "res").value();
  Script(Grant(7));
  Wait(Number(1));
  Script(Number(1));  // has left
  Script(Grant(8));
  Wait(Number(2));
  Result<Lease> lease = fair.AcquireFor(seconds(5));
  ASSERT_TRUE(lease.ok()) << lease.status().ToString();
  EXPECT_EQ(Argument(2, 0), Argument(0, 0)) << "what leaves is what was granted";
  EXPECT_NE(Argument(3, 0), Argument(0, 0));
  EXPECT_EQ(lease->token(), Argument(3, 0));
  Script(Number(1));
}

TEST_F(ReplicaAcknowledgementTest, ItsTimeOutIsPartOfTheOverrun) {
  EXPECT_EQ(asking_.overrun_bound() - client_.overrun_bound(), 5 * kTwo.timeout);
  EXPECT_FALSE(Client(runtime_, connector_, {.acknowledged_by = {.replicas = -1}}).status().ok());
  EXPECT_FALSE(
      Client(runtime_, connector_, {.acknowledged_by = {.timeout = Duration(0)}}).status().ok());
}

class DiskAcknowledgementTest : public LockTest {
 protected:
  static constexpr ReplicaAcknowledgement kDisk{
      .replicas = 1, .on_disk = true, .timeout = seconds(2)};

  static Answer Both(int local, int replicas) {
    return Answer::With(testing::Array({testing::Integer(local), testing::Integer(replicas)}));
  }
  Status Tried(Answer answer) {
    Script(Grant(7));
    connector_.Expect("WAITAOF", std::move(answer));
    Script(Number(1));  // abandoned
    return mutex_.TryAcquire().status();
  }

  Client asking_{runtime_, connector_, {.acknowledged_by = kDisk}};
  Mutex mutex_ = Mutex::Create(asking_, "res", {.lease = seconds(10)}).value();
};

TEST_F(DiskAcknowledgementTest, AGrantStandsOnceItIsOnDiskHereAndThere) {
  Script(Grant(7));
  connector_.Expect("WAITAOF", Both(1, 1));
  Result<Lease> lease = mutex_.TryAcquire();
  ASSERT_TRUE(lease.ok()) << lease.status().ToString();
  EXPECT_THAT(Sent(1).argv, ElementsAre("WAITAOF", "1", "1", "2000"));
  lease->Forget();
}

TEST_F(DiskAcknowledgementTest, OneThatIsNotIsGivenBackAndTheMessageSaysWhy) {
  const auto says = [](const Status& status, std::string_view what) {
    EXPECT_EQ(status.code(), StatusCode::kUnavailable);
    EXPECT_NE(status.message().find(what), std::string::npos) << status.message();
  };
  says(Tried(Both(0, 1)), "not on the server's disk in time");
  says(Tried(Both(1, 0)), "not acknowledged as on disk: by 0");
  says(Tried(Error("ERR WAITAOF cannot be used when numlocal is set but appendonly is disabled.")),
       "appendonly is disabled");
  says(Tried(Error("ERR unknown command 'WAITAOF'")), "unknown command 'WAITAOF'");
  says(Tried(Number(1)), "not acknowledged as on disk");
}

}  // namespace
}  // namespace interlock
