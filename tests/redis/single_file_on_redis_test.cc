// SPDX-License-Identifier: MIT
//
// The queue semaphore on the whole production stack.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <interlock/single_file.h>
#include <interlock/single_files.h>

#include "tests/redis/lock_test.h"
#include "tests/redis/stub_server.h"

namespace interlock::testing {
namespace {

class SingleFileOnRedisTest : public LockTest {
 protected:
  SingleFile NewFile(const Process& process, int concurrency = 1,
                     Duration expire_in = seconds(300)) {
    return Make<SingleFile>(
        *process.client,
        SingleFileOptions{
            .name = "import", .concurrency = concurrency, .expire_in = expire_in, .retry = {}});
  }
};

TEST_F(SingleFileOnRedisTest, DefaultsAreEnough) {
  const Process process = NewProcess();
  SingleFile file = Make<SingleFile>(*process.client);
  const Result<int> value = file.Synchronize([] { return 42; });
  ASSERT_TRUE(value.ok()) << value.status().ToString();
  EXPECT_EQ(*value, 42);
}

// One configuration, given once; one instance that differs from it.
TEST_F(SingleFileOnRedisTest, AConfigurationIsGivenOnceAndChangedPerInstance) {
  const auto port = static_cast<std::uint16_t>(server_->port());
  SingleFiles files(runtime_, {.concurrency = 2, .host = "127.0.0.1", .port = port});
  SingleFile first = files.Make().value();
  SingleFile second = files.Make([](auto& options) { options.name = "other"; }).value();
  EXPECT_EQ(first.name(), "default");
  EXPECT_EQ(second.name(), "other");
  const Result<int> value = first.Synchronize(seconds(5), [&] {
    EXPECT_EQ(first.Inspect()->holders.size(), 1U);
    return second.Synchronize(seconds(5), [] { return 42; });
  });
  EXPECT_EQ(*value, 42);
}

TEST_F(SingleFileOnRedisTest, AConfigurationThatLeadsNowhereIsAClearError) {
  SingleFiles files(runtime_, {.host = ""});
  EXPECT_EQ(files.Make().code(), StatusCode::kInvalidArgument);
  const auto no_server = [](SingleFileOptions& options) {
    options.host = "127.0.0.1";
    options.port = 1;
  };
  EXPECT_EQ(files.Make(no_server)->TryAcquire().code(), StatusCode::kUnavailable);
}

TEST_F(SingleFileOnRedisTest, AServerOutOfMemoryStillLetsGo) {
  const Process process = NewProcess();
  Result<Lease> lease = NewFile(process).TryAcquire();
  ASSERT_TRUE(lease.ok());
  ASSERT_EQ(*server_->Command({"CONFIG", "SET", "maxmemory", "1"}), "OK");
  EXPECT_TRUE(lease->Extend().ok());
  EXPECT_TRUE(lease->Release().ok());
}

// As many inside as allowed, never more; every worker gets in.
TEST_F(SingleFileOnRedisTest, NoMoreThanTheConcurrencyAreInside) {
  for (const int concurrency : {1, 3}) {
    constexpr int kThreads = 8;
    constexpr int kRounds = 15;
    std::atomic<int> inside = 0;
    std::atomic<int> most = 0;
    std::atomic<int> done = 0;
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i) {
      threads.emplace_back([&] {
        const Process process = NewProcess();
        SingleFile file = NewFile(process, concurrency);
        for (int round = 0; round < kRounds; ++round) {
          const Status status = file.Synchronize(seconds(60), [&] {
            const int now = ++inside;
            for (int seen = most; seen < now && !most.compare_exchange_weak(seen, now);) {
            }
            SleepFor(milliseconds(1));
            --inside;
            ++done;
          });
          EXPECT_TRUE(status.ok()) << status.ToString();
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(done, kThreads * kRounds);
    EXPECT_EQ(most, concurrency);
  }
}

TEST_F(SingleFileOnRedisTest, ATimeOutMeansThatTheBodyDidNotRun) {
  const Process a = NewProcess();
  const Process b = NewProcess();
  const Result<Lease> held = NewFile(a).TryAcquire();
  ASSERT_TRUE(held.ok());
  bool ran = false;
  SingleFile file = NewFile(b);
  EXPECT_EQ(file.Synchronize(milliseconds(100), [&] { ran = true; }).code(), StatusCode::kTimeout);
  EXPECT_FALSE(ran);
}

// Giving up changes no permit: the holder still excludes a third client.
TEST_F(SingleFileOnRedisTest, GivingUpLeavesTheHolderAlone) {
  const Process a = NewProcess();
  const Process b = NewProcess();
  Result<Lease> held = NewFile(a).TryAcquire();
  ASSERT_TRUE(held.ok());
  SingleFile file = NewFile(b);
  EXPECT_EQ(file.AcquireFor(milliseconds(50)).code(), StatusCode::kTimeout);
  EXPECT_EQ(file.TryAcquire().code(), StatusCode::kNotAcquired);
  EXPECT_TRUE(held->Release().ok());
  EXPECT_TRUE(file.TryAcquire().ok());
}

TEST_F(SingleFileOnRedisTest, AnExceptionOfTheBodyReleasesAndPassesThrough) {
  const Process process = NewProcess();
  SingleFile file = NewFile(process);
  EXPECT_THROW((void)file.Synchronize([] { throw std::runtime_error("body"); }),
               std::runtime_error);
  EXPECT_TRUE(file.TryAcquire().ok());
}

TEST_F(SingleFileOnRedisTest, TheBodyMayUseItsLease) {
  const Process process = NewProcess();
  const Status status = NewFile(process, 1, milliseconds(500)).Synchronize([](Lease& lease) {
    return lease.Extend(seconds(10));
  });
  EXPECT_TRUE(status.ok()) << status.ToString();
}

// The expiry is far off, so only the hand-over can have woken the waiters; each blocks once per
// turn.
TEST_F(SingleFileOnRedisTest, AReleaseHandsOverWithoutPolling) {
  const Process a = NewProcess();
  Result<Lease> held = NewFile(a).TryAcquire();
  ASSERT_TRUE(held.ok());
  constexpr int kWaiters = 4;
  std::vector<std::thread> waiters;
  for (int i = 0; i < kWaiters; ++i) {
    waiters.emplace_back([&] {
      const Process process = NewProcess();
      const Status status = NewFile(process).Synchronize(seconds(30), [] {});
      EXPECT_TRUE(status.ok()) << status.ToString();
    });
  }
  EXPECT_TRUE(server_->AwaitBlockedClients(kWaiters));
  EXPECT_TRUE(held->Release().ok());
  for (std::thread& waiter : waiters) waiter.join();
  EXPECT_EQ(server_->Calls("blpop"), kWaiters);
}

TEST_F(SingleFileOnRedisTest, ACrashedHolderGivesItsPermitBackAfterTheExpiry) {
  const Process a = NewProcess();
  const Process b = NewProcess();
  Result<Lease> crashed = NewFile(a, 1, milliseconds(200)).TryAcquire();
  ASSERT_TRUE(crashed.ok());
  crashed->Forget();
  EXPECT_TRUE(NewFile(b, 1, milliseconds(200)).AcquireFor(seconds(20)).ok());
}

TEST_F(SingleFileOnRedisTest, AnotherConcurrencyIsRefusedWhilePermitsAreOut) {
  const Process a = NewProcess();
  const Process b = NewProcess();
  const Result<Lease> held = NewFile(a, 2).TryAcquire();
  ASSERT_TRUE(held.ok());
  EXPECT_EQ(NewFile(b, 3).TryAcquire().code(), StatusCode::kInvalidArgument);
}

TEST_F(SingleFileOnRedisTest, NamesAreIndependent) {
  const Process process = NewProcess();
  const Result<Lease> held = NewFile(process).TryAcquire();
  ASSERT_TRUE(held.ok());
  SingleFile other =
      Make<SingleFile>(*process.client, SingleFileOptions{.name = "export", .retry = {}});
  EXPECT_TRUE(other.TryAcquire().ok());
}

// A waiter whose connection dies queues again, within the same time budget.
TEST_F(SingleFileOnRedisTest, AWaiterThatLostItsConnectionWaitsAgain) {
  const Process a = NewProcess();
  const Process b = NewProcess();
  Result<Lease> held = NewFile(a).TryAcquire();
  ASSERT_TRUE(held.ok());
  SingleFile file = NewFile(b);
  std::thread waiter([&] {
    const Status status = file.Synchronize(seconds(30), [] {});
    EXPECT_TRUE(status.ok()) << status.ToString();
  });
  EXPECT_TRUE(server_->AwaitBlockedClients(1));
  ASSERT_TRUE(server_->Command({"CLIENT", "KILL", "TYPE", "normal"}).ok());
  EXPECT_TRUE(server_->AwaitBlockedClients(1));
  EXPECT_TRUE(held->Release().ok());
  waiter.join();
}

TEST_F(SingleFileOnRedisTest, EveryKeyHasATtl) {
  const Process process = NewProcess();
  Result<Lease> lease = NewFile(process).TryAcquire();
  ASSERT_TRUE(lease.ok());
  EXPECT_TRUE(lease->Release().ok());
  const Result<std::string> keyspace = server_->Command({"INFO", "keyspace"});
  const std::size_t keys = keyspace->find("keys=");
  ASSERT_NE(keys, std::string::npos);
  const std::string count = keyspace->substr(keys + 5, keyspace->find(',', keys) - keys - 5);
  EXPECT_NE(keyspace->find("expires=" + count + ","), std::string::npos) << *keyspace;
}

}  // namespace
}  // namespace interlock::testing
