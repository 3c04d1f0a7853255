// SPDX-License-Identifier: MIT
//
// The mutex on the whole production stack: threads, sockets, hiredis, redis-server. The simulator
// covers interleavings; this shows that the same code works where it is meant to run.
#include <gtest/gtest.h>

#include <atomic>
#include <barrier>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <interlock/mutex.h>

#include "tests/redis/lock_test.h"
#include "tests/redis/stub_server.h"

namespace interlock::testing {
namespace {

constexpr char kKey[] = "interlock:{job}";

class MutexOnRedisTest : public LockTest {
 protected:
  Mutex NewMutex(const Process& process, Duration lease = seconds(30)) {
    return Make<Mutex>(*process.client, "job", MutexOptions{.lease = lease, .retry = {}});
  }
};

TEST_F(MutexOnRedisTest, OneHolderAtATimeAndOnlyTheOwnerReleases) {
  const Process a = NewProcess();
  const Process b = NewProcess();
  Mutex mine = NewMutex(a);
  Mutex theirs = NewMutex(b);
  Result<Lease> held = mine.TryAcquire();
  ASSERT_TRUE(held.ok()) << held.status().ToString();
  EXPECT_TRUE(held->valid());
  EXPECT_EQ(*server_->Command({"GET", kKey}), held->token());
  EXPECT_EQ(theirs.TryAcquire().code(), StatusCode::kNotAcquired);
  EXPECT_TRUE(held->Extend().ok());
  EXPECT_TRUE(held->Release().ok());
  EXPECT_EQ(*server_->Command({"EXISTS", kKey}), "0");
  EXPECT_TRUE(theirs.TryAcquire().ok());
}

TEST_F(MutexOnRedisTest, NoUpdateIsLostBetweenThreads) {
  ExpectNoUpdateIsLost(6, 50, [this](const auto& work) {
    const Process process = NewProcess();
    Mutex mutex = NewMutex(process);
    work(mutex);
  });
}

// The lease is far longer than the waiter's patience, so only the release can have woken it; and
// while it waits nothing is sent.
TEST_F(MutexOnRedisTest, AReleaseWakesAWaiterThatDoesNotPoll) {
  const Process a = NewProcess();
  const Process b = NewProcess();
  Mutex mine = NewMutex(a, seconds(600));
  Mutex theirs = NewMutex(b, seconds(600));
  Result<Lease> held = mine.TryAcquire();
  ASSERT_TRUE(held.ok());
  std::thread waiter([&] {
    const Result<Lease> lease = theirs.AcquireFor(seconds(20));
    EXPECT_TRUE(lease.ok()) << lease.status().ToString();
  });
  EXPECT_TRUE(server_->AwaitBlockedClients(1));
  const std::int64_t tries = server_->Calls("evalsha");
  SleepFor(milliseconds(300));
  EXPECT_EQ(server_->Calls("evalsha"), tries);
  EXPECT_TRUE(held->Release().ok());
  waiter.join();
  EXPECT_EQ(server_->Calls("blpop"), 1);
  // The holder's release, the waiter's second try and its release.
  EXPECT_EQ(server_->Calls("evalsha"), tries + 3);
}

TEST_F(MutexOnRedisTest, AWaiterGivesUpAtItsDeadline) {
  const Process a = NewProcess();
  const Process b = NewProcess();
  const Result<Lease> held = NewMutex(a).TryAcquire();
  ASSERT_TRUE(held.ok());
  const MonotonicTime start = runtime_.Now();
  EXPECT_EQ(NewMutex(b).AcquireFor(milliseconds(150)).code(), StatusCode::kTimeout);
  EXPECT_GE(runtime_.Now() - start, milliseconds(150));
  EXPECT_TRUE(held->valid());
}

TEST_F(MutexOnRedisTest, ACrashedHolderKeepsOthersOutForOneLease) {
  const Process a = NewProcess();
  const Process b = NewProcess();
  Result<Lease> crashed = NewMutex(a, milliseconds(200)).TryAcquire();
  ASSERT_TRUE(crashed.ok());
  const std::uint64_t fence = crashed->fencing_token();
  crashed->Forget();
  Mutex theirs = NewMutex(b, milliseconds(200));
  EXPECT_EQ(theirs.TryAcquire().code(), StatusCode::kNotAcquired);
  const Result<Lease> next = theirs.AcquireFor(seconds(20));
  ASSERT_TRUE(next.ok()) << next.status().ToString();
  EXPECT_GT(next->fencing_token(), fence);
}

// After a crash nobody is let in for the lease and the delay; after a release at once.
TEST_F(MutexOnRedisTest, ALockDelayFollowsALeaseThatWasNotReleased) {
  const MutexOptions options{
      .lease = milliseconds(100), .lock_delay = milliseconds(400), .retry = {}};
  const Process a = NewProcess();
  const Process b = NewProcess();
  Mutex mine = Make<Mutex>(*a.client, "job", options);
  Mutex theirs = Make<Mutex>(*b.client, "job", options);
  EXPECT_TRUE(mine.TryAcquire()->Release().ok());
  EXPECT_TRUE(theirs.TryAcquire()->Release().ok()) << "a release frees at once";
  const MonotonicTime asked = runtime_.Now();
  Result<Lease> crashed = mine.TryAcquire();
  ASSERT_TRUE(crashed.ok()) << crashed.status().ToString();
  crashed->Forget();
  Result<Lease> next = theirs.AcquireFor(seconds(20));
  ASSERT_TRUE(next.ok()) << next.status().ToString();
  EXPECT_GE(runtime_.Now() - asked, milliseconds(500));
  EXPECT_LE(next->remaining(), milliseconds(100));
  EXPECT_TRUE(next->Extend().ok());
  EXPECT_GT(std::stoll(*server_->Command({"PTTL", kKey})), 400);
  EXPECT_TRUE(next->Release().ok());
  EXPECT_EQ(*server_->Command({"EXISTS", kKey}), "0");
}

TEST_F(MutexOnRedisTest, ALostLeaseIsNotReleasedOverItsSuccessor) {
  const Process a = NewProcess();
  const Process b = NewProcess();
  Result<Lease> late = NewMutex(a, milliseconds(50)).TryAcquire();
  ASSERT_TRUE(late.ok());
  const Result<Lease> next = NewMutex(b).AcquireFor(seconds(20));
  ASSERT_TRUE(next.ok());
  EXPECT_FALSE(late->valid());
  EXPECT_EQ(late->Extend().code(), StatusCode::kLeaseLost);
  EXPECT_EQ(late->Release().code(), StatusCode::kNotOwner);
  EXPECT_EQ(*server_->Command({"GET", kKey}), next->token());
}

// Nine clients try once; the holder sleeps past its lease.
TEST_F(MutexOnRedisTest, OfNineClientsOneHoldsAndLosesItByOversleeping) {
  constexpr int kClients = 9;
  std::atomic<int> granted = 0;
  std::atomic<int> refused = 0;
  std::atomic<int> not_owner = 0;
  std::atomic<int> tried = 0;
  std::barrier all_are_there(kClients);  // or the last would come when the lease is over
  std::vector<std::thread> threads;
  for (int i = 0; i < kClients; ++i) {
    threads.emplace_back([&] {
      const Process process = NewProcess(server_->url(15));
      Mutex mutex = Make<Mutex>(
          *process.client, "20171228",
          MutexOptions{.key_prefix = "REDIS_LOCK_", .lease = milliseconds(200), .retry = {}});
      all_are_there.arrive_and_wait();
      Result<Lease> lease = mutex.TryAcquire();
      ++tried;
      if (!lease.ok()) {
        EXPECT_EQ(lease.code(), StatusCode::kNotAcquired) << lease.status().ToString();
        ++refused;
        return;
      }
      ++granted;
      SleepFor(milliseconds(250));
      EXPECT_FALSE(lease->valid());
      if (lease->Release().code() == StatusCode::kNotOwner) ++not_owner;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(tried, kClients);
  EXPECT_EQ(granted, 1);
  EXPECT_EQ(refused, kClients - 1);
  EXPECT_EQ(not_owner, 1);
}

TEST_F(MutexOnRedisTest, AScriptFlushGoesUnnoticed) {
  const Process process = NewProcess();
  Mutex mutex = NewMutex(process);
  Result<Lease> lease = mutex.TryAcquire();
  ASSERT_TRUE(lease.ok());
  ASSERT_EQ(*server_->Command({"SCRIPT", "FLUSH"}), "OK");
  EXPECT_TRUE(lease->Extend().ok());
  ASSERT_EQ(*server_->Command({"SCRIPT", "FLUSH"}), "OK");
  EXPECT_TRUE(lease->Release().ok());
  EXPECT_TRUE(mutex.TryAcquire().ok());
}

// Out of memory, the server refuses writes that need some: nobody new gets in, but a holder can
// still prolong and give back what it has.
TEST_F(MutexOnRedisTest, AServerOutOfMemoryStillLetsGo) {
  const Process process = NewProcess();
  Mutex mutex = NewMutex(process);
  Result<Lease> lease = mutex.TryAcquire();
  ASSERT_TRUE(lease.ok());
  ASSERT_EQ(*server_->Command({"CONFIG", "SET", "maxmemory", "1"}), "OK");
  EXPECT_EQ(mutex.TryAcquire().code(), StatusCode::kNotAcquired);
  EXPECT_TRUE(lease->Extend().ok());
  EXPECT_TRUE(lease->Release().ok());
  EXPECT_EQ(mutex.TryAcquire().code(), StatusCode::kUnavailable);
  ASSERT_EQ(*server_->Command({"CONFIG", "SET", "maxmemory", "0"}), "OK");
  EXPECT_TRUE(mutex.TryAcquire().ok());
}

// Neither waited for, nor overwritten.
TEST_F(MutexOnRedisTest, AKeyOfAnotherTypeIsAnError) {
  const Process process = NewProcess();
  for (const char* suffix : {"", ":fence"}) {
    ASSERT_EQ(*server_->Command({"LPUSH", kKey + std::string(suffix), "theirs"}), "1");
    const Status status = NewMutex(process).Acquire().status();
    EXPECT_EQ(status.outcome(), Outcome::kUnknown) << status.ToString();
    EXPECT_NE(status.message().find("WRONGTYPE"), std::string::npos) << status.ToString();
    ASSERT_EQ(*server_->Command({"DEL", kKey + std::string(suffix)}), "1");
  }
}

class MutexOnBadNetworkTest : public MutexOnRedisTest {
 protected:
  // Loads all scripts, so that the reply that is lost later is that of an execution.
  void LoadScripts() {
    const Process process = NewProcess();
    Mutex mutex = NewMutex(process);
    Result<Lease> lease = mutex.TryAcquire();
    ASSERT_TRUE(lease.ok());
    ASSERT_TRUE(lease->Release().ok());
    ASSERT_TRUE(server_->Command({"DEL", std::string(kKey) + ":signal"}).ok());
  }
};

TEST_F(MutexOnBadNetworkTest, AGrantWhoseReplyWasLostIsUndone) {
  LoadScripts();
  LossyProxy proxy(server_->port());
  const Process process = NewProcess(proxy.url());
  Mutex mutex = NewMutex(process);
  proxy.LoseReplyTo(":cancelled:");
  const Result<Lease> lease = mutex.TryAcquire();
  EXPECT_EQ(lease.code(), StatusCode::kUnavailable) << lease.status().ToString();
  EXPECT_EQ(proxy.lost(), 1);
  EXPECT_EQ(*server_->Command({"EXISTS", kKey}), "0");
  EXPECT_TRUE(mutex.TryAcquire().ok());
}

TEST_F(MutexOnBadNetworkTest, AWaiterOutlivesALostGrant) {
  LoadScripts();
  LossyProxy proxy(server_->port());
  const Process process = NewProcess(proxy.url());
  proxy.LoseReplyTo(":cancelled:");
  const Result<Lease> lease = NewMutex(process).AcquireFor(seconds(20));
  EXPECT_TRUE(lease.ok()) << lease.status().ToString();
  EXPECT_EQ(proxy.lost(), 1);
}

TEST_F(MutexOnBadNetworkTest, AReleaseWhoseReplyWasLostIsToldTheTruth) {
  LoadScripts();
  LossyProxy proxy(server_->port());
  const Process process = NewProcess(proxy.url());
  Result<Lease> lease = NewMutex(process).TryAcquire();
  ASSERT_TRUE(lease.ok());
  proxy.LoseReplyTo(":signal");
  const Status released = lease->Release();
  EXPECT_TRUE(released.ok()) << released.ToString();
  EXPECT_EQ(proxy.lost(), 1);
  EXPECT_EQ(*server_->Command({"EXISTS", kKey}), "0");
}

TEST_F(MutexOnBadNetworkTest, AWaiterWhoseWakeUpWasLostTriesAgain) {
  LossyProxy proxy(server_->port());
  const Process a = NewProcess();
  const Process b = NewProcess(proxy.url());
  Result<Lease> held = NewMutex(a, seconds(600)).TryAcquire();
  ASSERT_TRUE(held.ok());
  Mutex theirs = NewMutex(b, seconds(600));
  proxy.LoseReplyTo("BLPOP");
  std::thread waiter([&] {
    const Result<Lease> lease = theirs.AcquireFor(seconds(20));
    EXPECT_TRUE(lease.ok()) << lease.status().ToString();
  });
  EXPECT_TRUE(server_->AwaitBlockedClients(1));
  EXPECT_TRUE(held->Release().ok());
  waiter.join();
  EXPECT_EQ(proxy.lost(), 1);
}

TEST_F(MutexOnBadNetworkTest, AWaiterOutlivesARestartOfTheServer) {
  const Process a = NewProcess();
  const Process b = NewProcess();
  Result<Lease> held = NewMutex(a, seconds(600)).TryAcquire();
  ASSERT_TRUE(held.ok());
  Mutex theirs = NewMutex(b, seconds(600));
  std::thread waiter([&] {
    const Result<Lease> lease = theirs.AcquireFor(seconds(30));
    EXPECT_TRUE(lease.ok()) << lease.status().ToString();
  });
  EXPECT_TRUE(server_->AwaitBlockedClients(1));
  server_->Kill();
  // A server without persistence: the lease died with it, and its holder is told.
  EXPECT_TRUE(server_->Restart().ok());
  waiter.join();
  EXPECT_EQ(held->Release().code(), StatusCode::kNotOwner);
}

TEST_F(MutexOnBadNetworkTest, AnIdleConnectionThatDiedIsReplacedSilently) {
  const Process process = NewProcess();
  Mutex mutex = NewMutex(process);
  { EXPECT_TRUE(mutex.TryAcquire().ok()); }
  ASSERT_TRUE(server_->Restart().ok());
  const Result<Lease> lease = mutex.TryAcquire();
  EXPECT_TRUE(lease.ok()) << lease.status().ToString();
}

TEST_F(MutexOnBadNetworkTest, NoServerIsADefiniteFailure) {
  const Process process = NewProcess();
  server_->Kill();
  EXPECT_EQ(NewMutex(process).TryAcquire().code(), StatusCode::kUnavailable);
  EXPECT_EQ(NewMutex(process).AcquireFor(milliseconds(50)).code(), StatusCode::kTimeout);
}

// The command stands in the stopped server's buffer: nobody can say what will become of it.
TEST_F(MutexOnBadNetworkTest, AStoppedServerLeavesTheOutcomeUnknown) {
  LoadScripts();
  const Process process = NewProcess(server_->url(), {.command_timeout = milliseconds(100),
                                                      .connect_timeout = milliseconds(100),
                                                      .cleanup_attempts = 2});
  Mutex mutex = NewMutex(process, milliseconds(500));
  { ASSERT_TRUE(mutex.TryAcquire().ok()); }
  server_->Pause();
  EXPECT_EQ(mutex.TryAcquire().code(), StatusCode::kUnknownOutcome);
  server_->Resume();
  // What was left behind lasts for no more than one lease.
  EXPECT_TRUE(mutex.AcquireFor(seconds(20)).ok());
}

}  // namespace
}  // namespace interlock::testing
