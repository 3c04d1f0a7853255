// SPDX-License-Identifier: MIT
//
// Readers and writers on the whole production stack.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <interlock/shared_mutex.h>

#include "tests/redis/lock_test.h"

namespace interlock::testing {
namespace {

class SharedMutexOnRedisTest : public LockTest {
 protected:
  SharedMutex NewShared(const Process& process, SharedMutexOptions options = {}) {
    return Make<SharedMutex>(*process.client, "res", std::move(options));
  }
  Result<std::string> Ask(const std::vector<std::string>& words) { return server_->Command(words); }

  /// Until so many clients sleep in the server.
  void WaitForSleepers(int count) {
    const std::string wanted = "blocked_clients:" + std::to_string(count) + "\r";
    const MonotonicTime deadline = In(seconds(20));
    while (Ask({"INFO", "clients"})->find(wanted) == std::string::npos) {
      ASSERT_LT(runtime_.Now(), deadline);
      SleepFor(milliseconds(2));
    }
  }
};

TEST_F(SharedMutexOnRedisTest, ReadersShareAndAWriterIsAlone) {
  const Process a = NewProcess();
  const Process b = NewProcess();
  SharedMutex one = NewShared(a);
  SharedMutex other = NewShared(b);
  Result<Lease> first = one.reader().TryAcquire();
  Result<Lease> second = other.reader().TryAcquire();
  ASSERT_TRUE(first.ok());
  ASSERT_TRUE(second.ok()) << second.status().ToString();
  EXPECT_GT(second->fencing_token(), first->fencing_token());
  EXPECT_EQ(other.writer().TryAcquire().code(), StatusCode::kNotAcquired);
  EXPECT_TRUE(first->Release().ok());
  EXPECT_EQ(other.writer().TryAcquire().code(), StatusCode::kNotAcquired);
  EXPECT_TRUE(second->Release().ok());
  Result<Lease> writing = other.writer().TryAcquire();
  ASSERT_TRUE(writing.ok()) << writing.status().ToString();
  EXPECT_GT(writing->fencing_token(), second->fencing_token());
  EXPECT_EQ(one.writer().TryAcquire().code(), StatusCode::kNotAcquired);
  EXPECT_EQ(one.reader().TryAcquire().code(), StatusCode::kNotAcquired);
  EXPECT_TRUE(writing->Release().ok());
  EXPECT_EQ(writing->Release().code(), StatusCode::kOk);
}

// Far sooner than their leases of 30 s would let them look again.
TEST_F(SharedMutexOnRedisTest, AWritersReleaseWakesAllReaders) {
  const Process process = NewProcess();
  SharedMutex mutex = NewShared(process);
  Result<Lease> writing = mutex.writer().TryAcquire();
  ASSERT_TRUE(writing.ok());
  constexpr int kReaders = 4;
  std::atomic<int> inside = 0;
  std::vector<std::thread> readers;
  for (int i = 0; i < kReaders; ++i) {
    readers.emplace_back([&] {
      Result<Lease> reading = mutex.reader().AcquireFor(seconds(10));
      ASSERT_TRUE(reading.ok()) << reading.status().ToString();
      ++inside;
      const MonotonicTime deadline = In(seconds(10));
      while (inside < kReaders && runtime_.Now() < deadline) SleepFor(milliseconds(1));
    });
  }
  WaitForSleepers(kReaders);
  EXPECT_TRUE(writing->Release().ok());
  for (std::thread& reader : readers) reader.join();
  EXPECT_EQ(inside, kReaders);
}

TEST_F(SharedMutexOnRedisTest, TheLastReadersReleaseWakesAWriter) {
  const Process process = NewProcess();
  SharedMutex mutex = NewShared(process);
  Result<Lease> first = mutex.reader().TryAcquire();
  Result<Lease> last = mutex.reader().TryAcquire();
  std::thread writer([&] {
    const Result<Lease> writing = mutex.writer().AcquireFor(seconds(10));
    EXPECT_TRUE(writing.ok()) << writing.status().ToString();
  });
  WaitForSleepers(1);
  EXPECT_TRUE(first->Release().ok());
  EXPECT_TRUE(last->Release().ok());
  writer.join();
}

// The writer was told of a lease of 30 s, and would sleep as long behind the short one.
TEST_F(SharedMutexOnRedisTest, TheReleaseOfTheLongestReaderWakesAWriterBehindAnother) {
  const Process process = NewProcess();
  SharedMutex mutex = NewShared(process);
  SharedMutex brief = NewShared(process, {.lease = milliseconds(600)});
  Result<Lease> longest = mutex.reader().TryAcquire();
  ASSERT_TRUE(longest.ok());
  brief.reader().TryAcquire()->Forget();
  std::thread writer([&] {
    const Result<Lease> writing = mutex.writer().AcquireFor(seconds(10));
    EXPECT_TRUE(writing.ok()) << writing.status().ToString();
  });
  WaitForSleepers(1);
  EXPECT_TRUE(longest->Release().ok());
  writer.join();
}

// ... and no longer than it waits.
TEST_F(SharedMutexOnRedisTest, AWaitingWriterKeepsNewReadersOutIfItIsPreferred) {
  for (const bool preferred : {true, false}) {
    const Process process = NewProcess();
    SharedMutex mutex = NewShared(process, {.prefer_writers = preferred});
    Result<Lease> reading = mutex.reader().TryAcquire();
    ASSERT_TRUE(reading.ok());
    std::thread writer([&] {
      EXPECT_EQ(mutex.writer().AcquireFor(milliseconds(500)).code(), StatusCode::kTimeout);
    });
    WaitForSleepers(1);
    EXPECT_EQ(mutex.reader().TryAcquire().ok(), !preferred);
    const Result<Lease> patient = mutex.reader().AcquireFor(seconds(10));
    EXPECT_TRUE(patient.ok()) << patient.status().ToString();
    writer.join();
    EXPECT_TRUE(mutex.reader().TryAcquire().ok());
    EXPECT_TRUE(reading->Release().ok());
  }
}

// A writer that would have waited for longer is stopped, and another one is there still.
TEST_F(SharedMutexOnRedisTest, AReaderSleepsNoLongerThanTheWritersThatAreLeftWait) {
  const Process process = NewProcess();
  SharedMutex mutex = NewShared(process);
  Result<Lease> reading = mutex.reader().TryAcquire();
  ASSERT_TRUE(reading.ok());
  std::stop_source source;
  std::thread stopped(
      [&] { EXPECT_EQ(mutex.writer().Acquire(source.get_token()).code(), StatusCode::kStopped); });
  WaitForSleepers(1);
  const MonotonicTime begun = runtime_.Now();
  // The first to be woken, and it gives up before the others have gone.
  std::thread impatient([&] {
    EXPECT_EQ(mutex.reader().AcquireFor(milliseconds(1500)).code(), StatusCode::kTimeout);
  });
  WaitForSleepers(2);
  std::thread reader([&] { EXPECT_TRUE(mutex.reader().AcquireFor(seconds(15)).ok()); });
  WaitForSleepers(3);
  std::thread left(
      [&] { EXPECT_EQ(mutex.writer().AcquireFor(seconds(2)).code(), StatusCode::kTimeout); });
  WaitForSleepers(4);
  source.request_stop();
  stopped.join();
  impatient.join();
  left.join();
  reader.join();
  EXPECT_LT(runtime_.Now() - begun, seconds(10));
  EXPECT_TRUE(reading->Release().ok());
}

// It is dropped in the middle of its wait, as a crash would drop it.
TEST_F(SharedMutexOnRedisTest, ADeadWaitingWriterKeepsReadersOutForALeaseAtMost) {
  const Process process = NewProcess();
  SharedMutex mutex = NewShared(process, {.lease = milliseconds(400)});
  Result<Lease> reading = mutex.reader().TryAcquire();
  ASSERT_TRUE(reading.ok());
  ASSERT_EQ(*Ask({"EVAL",
                  "local t = redis.call('TIME') return redis.call('ZADD', KEYS[1], "
                  "string.format('%.0f', t[1] * 1000 + t[2] / 1000 + 400), 'dead')",
                  "1", "interlock:shared:{res}:waiting"}),
            "1");
  EXPECT_TRUE(reading->Release().ok());
  EXPECT_EQ(mutex.reader().TryAcquire().code(), StatusCode::kNotAcquired);
  const MonotonicTime begun = runtime_.Now();
  EXPECT_TRUE(mutex.reader().AcquireFor(seconds(10)).ok());
  EXPECT_LT(runtime_.Now() - begun, seconds(5));
}

TEST_F(SharedMutexOnRedisTest, ADeadReaderKeepsAWriterOutForALeaseAtMost) {
  const Process process = NewProcess();
  SharedMutex mutex = NewShared(process, {.lease = milliseconds(300)});
  Result<Lease> reading = mutex.reader().TryAcquire();
  ASSERT_TRUE(reading.ok());
  reading->Forget();
  Result<Lease> writing = mutex.writer().AcquireFor(seconds(10));
  ASSERT_TRUE(writing.ok()) << writing.status().ToString();
  EXPECT_TRUE(writing->Extend(seconds(10)).ok());
  EXPECT_EQ(mutex.reader().TryAcquire().code(), StatusCode::kNotAcquired);
}

// A reader that comes late takes nothing from the writer that came after it.
TEST_F(SharedMutexOnRedisTest, ALateReadersReleaseAndExtendLeaveTheWriterAlone) {
  const Process process = NewProcess();
  SharedMutex mutex = NewShared(process, {.lease = milliseconds(200)});
  Result<Lease> late = mutex.reader().TryAcquire();
  ASSERT_TRUE(late.ok());
  SleepFor(milliseconds(250));
  Result<Lease> writing = mutex.writer().TryAcquire();
  ASSERT_TRUE(writing.ok());
  ASSERT_TRUE(writing->Extend(seconds(10)).ok());
  EXPECT_EQ(late->Extend().code(), StatusCode::kLeaseLost);
  EXPECT_EQ(late->Release().code(), StatusCode::kNotOwner);
  EXPECT_EQ(mutex.reader().TryAcquire().code(), StatusCode::kNotAcquired);
  EXPECT_TRUE(writing->Release().ok());
}

TEST_F(SharedMutexOnRedisTest, EveryKeyHasATtl) {
  const Process process = NewProcess();
  SharedMutex mutex = NewShared(process, {.lease = seconds(5)});
  {
    Result<Lease> reading = mutex.reader().TryAcquire();
    EXPECT_EQ(mutex.writer().AcquireFor(milliseconds(20)).code(), StatusCode::kTimeout);
  }
  Result<Lease> writing = mutex.writer().TryAcquire();
  EXPECT_EQ(mutex.reader().AcquireFor(milliseconds(20)).code(), StatusCode::kTimeout);
  EXPECT_TRUE(writing->Release().ok());
  Result<Lease> reading = mutex.reader().TryAcquire();
  EXPECT_EQ(*Ask({"EVAL",
                  "local bare = 0 for _, key in ipairs(redis.call('KEYS', '*')) do "
                  "if redis.call('PTTL', key) < 0 then bare = bare + 1 end end return bare",
                  "0"}),
            "0");
}

TEST_F(SharedMutexOnRedisTest, ManyReadersAndWritersNeverMeet) {
  constexpr int kThreads = 8;
  constexpr int kRounds = 25;
  std::atomic<int> readers = 0;
  std::atomic<int> writers = 0;
  std::atomic<int> together = 0;
  std::atomic<int> done = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      const Process process = NewProcess();
      SharedMutex mutex = NewShared(process);
      for (int round = 0; round < kRounds; ++round) {
        const bool writes = (i + round) % 4 == 0;
        LeaseSource& side = writes ? mutex.writer() : mutex.reader();
        Result<Lease> lease = side.AcquireFor(seconds(60));
        ASSERT_TRUE(lease.ok()) << lease.status().ToString();
        ++(writes ? writers : readers);
        EXPECT_LE(writers, 1);
        EXPECT_EQ(writes ? readers : writers, 0);
        if (readers > 1) ++together;
        SleepFor(milliseconds(1));
        --(writes ? writers : readers);
        EXPECT_TRUE(lease->Release().ok());
        ++done;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(done, kThreads * kRounds);
  EXPECT_GT(together, 0);
}

}  // namespace
}  // namespace interlock::testing
