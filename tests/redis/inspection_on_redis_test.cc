// SPDX-License-Identifier: MIT
//
// What an operator can see of a lock on a real server, and take away from a holder.
#include <interlock/inspection.h>

#include <chrono>
#include <string>
#include <thread>

#include <gtest/gtest.h>
#include <interlock/interlock.h>

#include "tests/redis/lock_kinds.h"
#include "tests/redis/lock_test.h"

namespace interlock::testing {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class InspectionOnRedisTest : public LockTest {
 protected:
  void SetUp() override {
    LockTest::SetUp();
    billing_ = NewProcess(server_->url(), {.label = "billing-7"});
    nobody_ = NewProcess();
  }

  /// What the lock says of its one holder, which is `lease`.
  static void ExpectHolder(LeaseSource& lock, const Lease& lease, std::uint64_t fencing_token) {
    const Result<Inspection> now = lock.Inspect();
    ASSERT_TRUE(now.ok()) << now.status().ToString();
    ASSERT_EQ(now->holders.size(), 1U);
    const Holder& holder = now->holders.front();
    EXPECT_EQ(holder.token, lease.token());
    EXPECT_EQ(holder.label(), "billing-7");
    EXPECT_EQ(holder.fencing_token, fencing_token);
    EXPECT_LE(holder.remaining, seconds(30));
    EXPECT_GT(holder.remaining, seconds(20));
  }

  /// Only the holder that was seen loses it, and is told so.
  static void ExpectForcedRelease(LeaseSource& lock, Lease lease) {
    const Result<Inspection> seen = lock.Inspect();
    ASSERT_TRUE(seen.ok() && !seen->holders.empty());
    const Holder holder = seen->holders.front();
    EXPECT_TRUE(lock.ForceRelease(holder).ok());
    EXPECT_TRUE(lock.ForceRelease(holder).ok()) << "an operator may do it twice";
    EXPECT_TRUE(lock.Inspect()->holders.empty());
    EXPECT_EQ(lease.Extend().code(), StatusCode::kNotOwner);
    const Result<Lease> next = lock.TryAcquire();
    ASSERT_TRUE(next.ok()) << next.status().ToString();
    EXPECT_EQ(lock.ForceRelease({"00000000000000000000000000000000", {}, 1}).code(),
              StatusCode::kNotOwner);
    // The next grant may have erased the trace of the release.
    const Status late = lock.ForceRelease(holder);
    EXPECT_TRUE(late.ok() || late.code() == StatusCode::kNotOwner) << late.ToString();
    EXPECT_EQ(lock.Inspect()->holders.front().token, next->token());
  }

  void ExpectInspected(LeaseSource& lock, bool fenced) {
    EXPECT_TRUE(lock.Inspect()->holders.empty());
    Result<Lease> lease = lock.TryAcquire();
    ASSERT_TRUE(lease.ok()) << lease.status().ToString();
    ExpectHolder(lock, *lease, fenced ? lease->fencing_token() : 0);
    ExpectForcedRelease(lock, std::move(*lease));
  }

  /// To less than is left of it. A late request may ask for that behind a longer one.
  static void ExpectNeverShortened(LeaseSource& lock) {
    Result<Lease> lease = lock.TryAcquire();
    ASSERT_TRUE(lease.ok()) << lease.status().ToString();
    EXPECT_TRUE(lease->Extend(seconds(1)).ok());
    const Result<Inspection> now = lock.Inspect();
    ASSERT_TRUE(now.ok() && now->holders.size() == 1U) << lock.name();
    EXPECT_GT(now->holders.front().remaining, seconds(20)) << lock.name();
    EXPECT_TRUE(lease->Release().ok());
  }

  Process billing_;
  Process nobody_;
};

class InspectionOfAnyKindOnRedisTest : public InspectionOnRedisTest,
                                       public ::testing::WithParamInterface<LockKind> {
 protected:
  Parties Meet() { return GetParam().meet(*billing_.client, *nobody_.client, {}); }
};

TEST_P(InspectionOfAnyKindOnRedisTest, ShowsItsHolderAndTakesItAway) {
  ExpectInspected(*Meet().giver, GetParam().fenced);
}

TEST_P(InspectionOfAnyKindOnRedisTest, AnExtensionShortensNoLease) {
  ExpectNeverShortened(*Meet().giver);
}

INSTANTIATE_TEST_SUITE_P(Kinds, InspectionOfAnyKindOnRedisTest, ::testing::ValuesIn(LockKinds()),
                         NameOfKind);

TEST_F(InspectionOnRedisTest, OnlyLinesHaveWaitersToCount) {
  Client& client = *billing_.client;
  EXPECT_FALSE(Make<Mutex>(client, "res").Inspect()->waiters.has_value());
  EXPECT_EQ(Make<FairMutex>(client, "res").Inspect()->waiters, 0);
  EXPECT_EQ(Make<SharedMutex>(client, "res").writer().Inspect()->waiters, 0);
}

TEST_F(InspectionOnRedisTest, OfASemaphore) {
  Semaphore semaphore = Make<Semaphore>(*billing_.client, "res", SemaphoreOptions{.limit = 2});
  ExpectInspected(semaphore, false);
  ExpectNeverShortened(semaphore);
  const Result<Lease> one = semaphore.TryAcquire();
  const Result<Lease> two = semaphore.TryAcquire();
  ASSERT_TRUE(one.ok() && two.ok());
  EXPECT_EQ(semaphore.Inspect()->holders.size(), 2U);
}

TEST_F(InspectionOnRedisTest, OfAWholeSharedMutexByWhoHoldsNeither) {
  SharedMutex mutex = Make<SharedMutex>(*billing_.client, "res");
  SharedMutex operators = Make<SharedMutex>(*nobody_.client, "res");
  EXPECT_TRUE(operators.Inspect()->holders.empty());
  const Result<Lease> one = mutex.reader().TryAcquire();
  const Result<Lease> two = mutex.reader().TryAcquire();
  ASSERT_TRUE(one.ok() && two.ok());
  Result<Inspection> readers = operators.Inspect();
  ASSERT_TRUE(readers.ok()) << readers.status().ToString();
  ASSERT_EQ(readers->holders.size(), 2U);
  EXPECT_EQ(readers->waiters, 0);
  EXPECT_TRUE(operators.writer().Inspect()->holders.empty()) << "a side tells of its own kind";
  for (const Holder& holder : readers->holders) {
    EXPECT_EQ(holder.fencing_token, 0U);
    EXPECT_EQ(operators.writer().ForceRelease(holder).code(), StatusCode::kNotOwner);
    EXPECT_TRUE(operators.ForceRelease(holder).ok());
  }
  const Result<Lease> writing = mutex.writer().TryAcquire();
  ASSERT_TRUE(writing.ok()) << writing.status().ToString();
  const Result<Inspection> writer = operators.Inspect();
  ASSERT_TRUE(writer.ok() && writer->holders.size() == 1U);
  EXPECT_EQ(writer->holders.front().token, writing->token());
  EXPECT_EQ(writer->holders.front().fencing_token, writing->fencing_token());
  EXPECT_EQ(operators.reader().ForceRelease(writer->holders.front()).code(), StatusCode::kNotOwner);
  EXPECT_TRUE(operators.ForceRelease(writer->holders.front()).ok());
  EXPECT_TRUE(mutex.reader().TryAcquire().ok());
}

// What the server would hold if it had lost a part of what it acknowledged.
TEST_F(InspectionOnRedisTest, AWriterBesideReadersIsNotHidden) {
  SharedMutex mutex = Make<SharedMutex>(*billing_.client, "res");
  const Result<Lease> reading = mutex.reader().TryAcquire();
  ASSERT_TRUE(reading.ok());
  ASSERT_EQ(*server_->Command({"SET", "interlock:shared:{res}", "w", "PX", "30000"}), "OK");
  const Result<Inspection> both = mutex.Inspect();
  ASSERT_TRUE(both.ok() && both->holders.size() == 2U);
  EXPECT_EQ(both->holders[0].token, "w");
  EXPECT_EQ(both->holders[1].token, reading->token());
}

TEST_F(InspectionOnRedisTest, OfAReentrantMutexByWhoOwnsNothing) {
  ReentrantMutex::Owner owner = Make<ReentrantMutex>(*billing_.client, "res").NewOwner();
  ReentrantMutex operators = Make<ReentrantMutex>(*nobody_.client, "res");
  EXPECT_TRUE(operators.Inspect()->holders.empty());
  const Result<Lease> outer = owner.TryAcquire();
  const Result<Lease> inner = owner.TryAcquire();
  ASSERT_TRUE(outer.ok() && inner.ok());
  const Result<Inspection> now = operators.Inspect();
  ASSERT_TRUE(now.ok() && now->holders.size() == 2U);
  EXPECT_EQ(now->holders.front().label(), "billing-7");
  EXPECT_TRUE(operators.ForceRelease(now->holders.front()).ok());
  EXPECT_EQ(operators.NewOwner().TryAcquire().code(), StatusCode::kNotAcquired);
  EXPECT_TRUE(operators.ForceRelease(now->holders.back()).ok());
  EXPECT_TRUE(operators.NewOwner().TryAcquire().ok());
}

TEST_F(InspectionOnRedisTest, OfEveryHoldOfAReentrantMutex) {
  ReentrantMutex mutex = Make<ReentrantMutex>(*billing_.client, "res");
  ReentrantMutex::Owner owner = mutex.NewOwner();
  Result<Lease> outer = owner.TryAcquire();
  const Result<Lease> inner = owner.TryAcquire();
  ASSERT_TRUE(outer.ok() && inner.ok());
  EXPECT_EQ(owner.Inspect()->holders.size(), 2U);
  EXPECT_TRUE(outer->Release().ok());
  EXPECT_EQ(owner.Inspect()->holders.front().token, inner->token());
}

TEST_F(InspectionOnRedisTest, AClientWithoutALabelHasTokensWithoutOne) {
  Mutex mutex = Make<Mutex>(*nobody_.client, "res");
  const Result<Lease> lease = mutex.TryAcquire();
  ASSERT_TRUE(lease.ok());
  EXPECT_EQ(lease->token().size(), 32U);
  EXPECT_EQ(mutex.Inspect()->holders.front().label(), "");
}

TEST_F(InspectionOnRedisTest, AForcedReleaseHandsOverToTheNextInLine) {
  FairMutex mutex = Make<FairMutex>(*billing_.client, "res");
  Result<Lease> dead = mutex.TryAcquire();
  ASSERT_TRUE(dead.ok());
  Result<Lease> next = Status(StatusCode::kTimeout);
  std::thread waiter([&] { next = mutex.AcquireFor(seconds(20)); });
  while (mutex.Inspect()->waiters != 1) SleepFor(milliseconds(5));
  EXPECT_TRUE(mutex.ForceRelease(mutex.Inspect()->holders.front()).ok());
  waiter.join();
  EXPECT_TRUE(next.ok()) << next.status().ToString();
  dead->Forget();
}

TEST_F(InspectionOnRedisTest, ALeaseOfALabelledClientCanBeHandedOver) {
  Mutex mutex = Make<Mutex>(*billing_.client, "res");
  Result<Lease> lease = mutex.TryAcquire();
  ASSERT_TRUE(lease.ok());
  const std::string token = lease->token();
  const Result<std::string> text = lease->HandOver();
  ASSERT_TRUE(text.ok()) << text.status().ToString();
  const Result<Lease> adopted = Make<Mutex>(*nobody_.client, "res").Adopt(*text);
  ASSERT_TRUE(adopted.ok()) << adopted.status().ToString();
  EXPECT_EQ(adopted->token(), token);
}

}  // namespace
}  // namespace interlock::testing
