// SPDX-License-Identifier: MIT
//
// Waits on a real server that are stopped by other threads: they end soon, and nothing is left of
// them.
#include <signal.h>

#include <atomic>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <interlock/count_down_latch.h>
#include <interlock/fair_mutex.h>
#include <interlock/multi_mutex.h>
#include <interlock/mutex.h>
#include <interlock/observer.h>
#include <interlock/semaphore.h>
#include <interlock/shared_mutex.h>

#include "tests/redis/lock_kinds.h"
#include "tests/redis/lock_test.h"

namespace interlock::testing {
namespace {

using std::chrono::hours;

/// Sleeps in the server without a look for longer than any test may take.
constexpr RetryOptions kLongSleeps = {.max_wait = hours(1)};

class StopOnRedisTest : public LockTest {
 protected:
  void SetUp() override {
    LockTest::SetUp();
    ours_ = NewProcess(server_->url(), {.observer = counts_});
    theirs_ = NewProcess();
    look_ = MustConnect(server_->url());
  }

  int Blocked() {
    constexpr std::string_view kName = "blocked_clients:";
    const Result<Reply> info = Call(*look_, {"INFO", "clients"});
    const std::size_t at = info.ok() ? info->text.find(kName) : std::string::npos;
    return at != std::string::npos ? std::stoi(info->text.substr(at + kName.size())) : -1;
  }

  /// False after five seconds.
  bool BecomeBlocked(int count) {
    const MonotonicTime limit = In(seconds(5));
    while (Blocked() != count && runtime_.Now() < limit) SleepFor(milliseconds(1));
    return Blocked() == count;
  }

  /// Runs `wait` until it sleeps in the server, stops it, and answers its status.
  Status StopAsleep(const std::function<Status(std::stop_token)>& wait) {
    std::stop_source source;
    Status ended;
    MonotonicTime end{};
    const auto task = runtime_.Spawn("waiter", [&] {
      ended = wait(source.get_token());
      end = runtime_.Now();
    });
    EXPECT_TRUE(BecomeBlocked(1));
    const MonotonicTime begun = runtime_.Now();
    source.request_stop();
    task->Join();
    EXPECT_LT(end - begun, seconds(1));
    EXPECT_EQ(Blocked(), 0);
    return ended;
  }

  /// `lock` is held by somebody; when they let go, the next one gets it at once.
  void ExpectStops(LeaseSource& held_by, LeaseSource& lock) {
    Result<Lease> held = held_by.Acquire();
    ASSERT_TRUE(held.ok()) << held.status().ToString();
    const Status ended =
        StopAsleep([&](std::stop_token stop) { return lock.Acquire(stop).status(); });
    EXPECT_EQ(ended.code(), StatusCode::kStopped) << ended.ToString();
    EXPECT_TRUE(held->Release().ok());
    EXPECT_TRUE(lock.TryAcquire().ok());
    EXPECT_TRUE(held_by.TryAcquire().ok());
  }

  std::shared_ptr<CountingObserver> counts_ = std::make_shared<CountingObserver>();
  Process ours_;
  Process theirs_;
  std::unique_ptr<Connection> look_;
};

class StopOfAnyKindOnRedisTest : public StopOnRedisTest,
                                 public ::testing::WithParamInterface<LockKind> {};

TEST_P(StopOfAnyKindOnRedisTest, LeavesNothing) {
  const Parties parties = GetParam().meet(*theirs_.client, *ours_.client, kLongSleeps);
  ExpectStops(*parties.giver, *parties.outsider);
  EXPECT_EQ(Call(*look_, {"EXISTS", "interlock:fair:{res}:queue"})->integer, 0);
  EXPECT_EQ(Call(*look_, {"EXISTS", "interlock:shared:{res}:waiting"})->integer, 0);
}

INSTANTIATE_TEST_SUITE_P(Kinds, StopOfAnyKindOnRedisTest, ::testing::ValuesIn(LockKinds()),
                         NameOfKind);

TEST_F(StopOnRedisTest, AWriterBehindAWriter) {
  SharedMutex a = Make<SharedMutex>(*ours_.client, "s", SharedMutexOptions{.retry = kLongSleeps});
  SharedMutex b = Make<SharedMutex>(*theirs_.client, "s", SharedMutexOptions{.retry = kLongSleeps});
  ExpectStops(b.writer(), a.writer());
  EXPECT_EQ(Call(*look_, {"EXISTS", "interlock:shared:{s}:waiting"})->integer, 0);
}

TEST_F(StopOnRedisTest, AMultiMutexGivesBackWhatItHas) {
  Mutex second = Make<Mutex>(*theirs_.client, "b");
  MultiMutex both = Make<MultiMutex>(*ours_.client, std::vector<std::string>{"a", "b"},
                                     MutexOptions{.lease = hours(1), .retry = kLongSleeps});
  const Result<Lease> held = second.Acquire();
  ASSERT_TRUE(held.ok());
  const Status ended =
      StopAsleep([&](std::stop_token stop) { return both.Acquire(stop).status(); });
  EXPECT_EQ(ended.code(), StatusCode::kStopped) << ended.ToString();
  EXPECT_TRUE(Make<Mutex>(*theirs_.client, "a").TryAcquire().ok());
}

TEST_F(StopOnRedisTest, OneWaiterForALatchDoesNotStopAnother) {
  CountDownLatchOptions options{.retry = kLongSleeps};
  CountDownLatch latch = Make<CountDownLatch>(*ours_.client, "l", options);
  ASSERT_TRUE(latch.Close(1).ok());
  const Status ended = StopAsleep([&](std::stop_token stop) { return latch.Await(stop); });
  EXPECT_EQ(ended.code(), StatusCode::kStopped) << ended.ToString();
  for (int round = 0; round < 50; ++round) {
    ASSERT_TRUE(latch.Remove().ok());
    ASSERT_TRUE(latch.Close(1).ok());
    std::stop_source source;
    Status stays;
    const auto stopped =
        runtime_.Spawn("goes", [&] { (void)latch.AwaitFor(seconds(20), source.get_token()); });
    ASSERT_TRUE(BecomeBlocked(1));
    const MonotonicTime begun = runtime_.Now();
    const auto waiter = runtime_.Spawn("stays", [&] { stays = latch.AwaitFor(seconds(20)); });
    ASSERT_TRUE(BecomeBlocked(2));
    const auto opener =
        runtime_.Spawn("opens", [&] { (void)latch.CountDown("party " + std::to_string(round)); });
    source.request_stop();
    waiter->Join();
    ASSERT_TRUE(stays.ok()) << stays.ToString();
    // Woken, and not at its deadline.
    ASSERT_LT(runtime_.Now() - begun, seconds(15));
  }
}

// However the two meet, nobody is left to wait for the end of a lease of an hour.
TEST_F(StopOnRedisTest, AStopThatMeetsAReleaseLosesNothing) {
  const MutexOptions options{.lease = hours(1), .retry = kLongSleeps};
  const FairMutexOptions fair{.lease = hours(1), .retry = kLongSleeps};
  const SemaphoreOptions semaphore{.lease = hours(1), .retry = kLongSleeps};
  std::vector<std::pair<std::shared_ptr<LeaseSource>, std::shared_ptr<LeaseSource>>> locks;
  const auto add = [&](auto first, auto second) {
    locks.emplace_back(std::make_shared<decltype(first)>(std::move(first)),
                       std::make_shared<decltype(second)>(std::move(second)));
  };
  add(Make<Mutex>(*ours_.client, "m", options), Make<Mutex>(*theirs_.client, "m", options));
  add(Make<FairMutex>(*ours_.client, "f", fair), Make<FairMutex>(*theirs_.client, "f", fair));
  add(Make<Semaphore>(*ours_.client, "p", semaphore),
      Make<Semaphore>(*theirs_.client, "p", semaphore));
  std::atomic<int> leases = 0;
  std::atomic<int> stops = 0;
  for (int round = 0; round < 150; ++round) {
    auto& [ours, theirs] = locks[static_cast<std::size_t>(round) % locks.size()];
    Result<Lease> held = theirs->Acquire();
    ASSERT_TRUE(held.ok());
    std::stop_source source;
    const auto stopped = runtime_.Spawn("stopped", [&, &lock = *ours] {
      const Result<Lease> lease = lock.AcquireFor(seconds(20), source.get_token());
      EXPECT_TRUE(lease.ok() || lease.code() == StatusCode::kStopped) << lease.status().ToString();
      ++(lease.ok() ? leases : stops);
    });
    ASSERT_TRUE(BecomeBlocked(1)) << "round " << round;
    Status next;
    const MonotonicTime begun = runtime_.Now();
    const auto waiter = runtime_.Spawn(
        "next", [&, &lock = *theirs] { next = lock.AcquireFor(seconds(20)).status(); });
    ASSERT_TRUE(BecomeBlocked(2));
    const auto holder = runtime_.Spawn("holder", [&] { EXPECT_TRUE(held->Release().ok()); });
    if (round % 2 == 0) runtime_.NewEvent()->WaitUntil(In(std::chrono::microseconds(7 * round)));
    source.request_stop();
    stopped->Join();
    waiter->Join();
    holder->Join();
    ASSERT_TRUE(next.ok()) << "round " << round << ": " << next.ToString();
    ASSERT_LT(runtime_.Now() - begun, seconds(15)) << "round " << round;
    ASSERT_EQ(Blocked(), 0);
  }
  EXPECT_EQ(leases + stops, 150);
}

TEST_F(StopOnRedisTest, AServerThatHangsIsWaitedForNoLongerThanACommandMayTake) {
  Process process = NewProcess(server_->url(), {.command_timeout = milliseconds(200),
                                                .connect_timeout = milliseconds(200),
                                                .cleanup_attempts = 1});
  Mutex mutex = Make<Mutex>(*process.client, "m", MutexOptions{.retry = kLongSleeps});
  Result<Lease> held = Make<Mutex>(*theirs_.client, "m").Acquire();
  ASSERT_TRUE(held.ok());
  std::stop_source source;
  Status ended;
  const auto task =
      runtime_.Spawn("waiter", [&] { ended = mutex.Acquire(source.get_token()).status(); });
  ASSERT_TRUE(BecomeBlocked(1));
  ASSERT_EQ(::kill(server_->pid(), SIGSTOP), 0);
  const MonotonicTime begun = runtime_.Now();
  source.request_stop();
  task->Join();
  EXPECT_LT(runtime_.Now() - begun, process.client->overrun_bound() + seconds(1));
  EXPECT_FALSE(ended.ok());
  ASSERT_EQ(::kill(server_->pid(), SIGCONT), 0);
  EXPECT_TRUE(held->Release().ok());
  EXPECT_EQ(Blocked(), 0);
}

TEST_F(StopOnRedisTest, APauseEndsAtOnceAlthoughTheServerIsAway) {
  Mutex mutex = Make<Mutex>(
      *ours_.client, "m", MutexOptions{.retry = {.first_pause = hours(1), .max_pause = hours(1)}});
  server_.reset();
  std::stop_source source;
  Status ended;
  const auto task =
      runtime_.Spawn("waiter", [&] { ended = mutex.Acquire(source.get_token()).status(); });
  SleepFor(milliseconds(50));
  source.request_stop();
  task->Join();
  EXPECT_EQ(ended.code(), StatusCode::kStopped) << ended.ToString();
}

TEST_F(StopOnRedisTest, ManyWaitersAreStoppedByOneRequest) {
  Mutex mutex = Make<Mutex>(*ours_.client, "m", MutexOptions{.retry = kLongSleeps});
  Result<Lease> held = mutex.Acquire();
  ASSERT_TRUE(held.ok());
  std::stop_source source;
  std::atomic<unsigned> stopped = 0;
  constexpr unsigned kWaiters = 16;
  std::vector<std::unique_ptr<Task>> tasks;
  for (unsigned i = 0; i < kWaiters; ++i) {
    tasks.push_back(runtime_.Spawn("waiter", [&] {
      if (mutex.Acquire(source.get_token()).code() == StatusCode::kStopped) ++stopped;
    }));
  }
  ASSERT_TRUE(BecomeBlocked(static_cast<int>(kWaiters)));
  source.request_stop();
  for (const auto& task : tasks) task->Join();
  EXPECT_EQ(stopped, kWaiters);
  EXPECT_EQ(counts_->count(Observation::Kind::kGaveUp), kWaiters);
  EXPECT_GE(counts_->count(Observation::Kind::kWaiting), kWaiters);
  EXPECT_EQ(Blocked(), 0);
}

}  // namespace
}  // namespace interlock::testing
