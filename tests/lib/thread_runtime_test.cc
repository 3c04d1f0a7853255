// SPDX-License-Identifier: MIT
//
// These run on real threads, and are what the thread sanitizer looks at; they wait for events, and
// never for a length of time to pass.
#include <interlock/thread_runtime.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include <interlock/client.h>
#include <interlock/mutex.h>

#include "tests/support/fake_connection.h"

namespace interlock {
namespace {

using namespace std::chrono_literals;

TEST(ThreadRuntimeTest, NowNeverGoesBack) {
  ThreadRuntime runtime;
  MonotonicTime last = runtime.Now();
  for (int i = 0; i < 10'000; ++i) {
    const MonotonicTime now = runtime.Now();
    ASSERT_GE(now, last);
    last = now;
  }
}

TEST(ThreadRuntimeTest, AnEventStaysSet) {
  ThreadRuntime runtime;
  const auto event = runtime.NewEvent();
  EXPECT_FALSE(event->IsSet());
  event->Set();
  event->Set();
  EXPECT_TRUE(event->IsSet());
  EXPECT_TRUE(event->WaitUntil(kNever));
  EXPECT_TRUE(event->WaitUntil(MonotonicTime::min()));
}

TEST(ThreadRuntimeTest, AWaitEndsAtItsDeadline) {
  ThreadRuntime runtime;
  const auto event = runtime.NewEvent();
  EXPECT_FALSE(event->WaitUntil(MonotonicTime::min()));
  const MonotonicTime deadline = runtime.Now() + 2ms;
  EXPECT_FALSE(event->WaitUntil(deadline));
  EXPECT_GE(runtime.Now(), deadline);
}

TEST(ThreadRuntimeTest, SetWakesEveryWaiter) {
  ThreadRuntime runtime;
  const auto event = runtime.NewEvent();
  std::atomic<int> woken{0};
  std::vector<std::unique_ptr<Task>> tasks;
  for (int i = 0; i < 4; ++i) {
    tasks.push_back(runtime.Spawn("waiter", [&] {
      if (event->WaitUntil(kNever)) ++woken;
    }));
  }
  event->Set();
  tasks.clear();
  EXPECT_EQ(woken, 4);
}

// The setter may still be inside Set when the waiter, woken, destroys the event.
TEST(ThreadRuntimeTest, AnEventMayBeDestroyedByTheOneItWoke) {
  ThreadRuntime runtime;
  for (int i = 0; i < 200; ++i) {
    auto event = runtime.NewEvent();
    Event* raw = event.get();
    const auto setter = runtime.Spawn("setter", [raw] { raw->Set(); });
    EXPECT_TRUE(event->WaitUntil(kNever));
    event.reset();
  }
}

TEST(ThreadRuntimeTest, JoinWaitsForTheBodyAndIsIdempotent) {
  ThreadRuntime runtime;
  bool done = false;
  const auto task = runtime.Spawn("a name longer than fifteen bytes", [&] { done = true; });
  task->Join();
  EXPECT_TRUE(done);
  task->Join();
}

TEST(ThreadRuntimeTest, RandomBytesDiffer) {
  ThreadRuntime runtime;
  std::set<std::array<std::byte, 16>> seen;
  for (int i = 0; i < 1000; ++i) {
    std::array<std::byte, 16> bytes{};
    runtime.FillRandom(bytes);
    ASSERT_TRUE(seen.insert(bytes).second);
  }
  std::vector<std::byte> many(100'000);  // more than the kernel gives at once without interruption
  runtime.FillRandom(many);
  EXPECT_NE(std::count(many.begin(), many.end(), std::byte{0}), 100'000);
  runtime.FillRandom(std::span<std::byte>());
}

/// Grants every acquire and confirms every release: enough of a server to exercise the pool.
class GrantingConnection final : public Connection {
 public:
  Status Send(std::span<const std::string_view> argv, MonotonicTime /*deadline*/) override {
    acquire_ = argv.size() == 9;  // three keys, three arguments; a release has one more
    return Status();
  }
  Result<Reply> Receive(MonotonicTime /*deadline*/) override {
    if (!acquire_) return testing::Integer(1);
    return testing::Array({testing::Integer(1), testing::Text("1")});
  }
  Result<Reply> ReceiveUnlessStopped(MonotonicTime deadline, const std::stop_token& /*stop*/,
                                     Duration /*patience*/) override {
    return Receive(deadline);
  }
  bool broken() const override { return false; }

 private:
  bool acquire_ = false;
};

class GrantingConnector final : public Connector {
 public:
  Result<std::unique_ptr<Connection>> Connect(MonotonicTime /*deadline*/) override {
    return std::unique_ptr<Connection>(std::make_unique<GrantingConnection>());
  }
  std::string endpoint() const override { return "redis://granting"; }
};

TEST(ThreadRuntimeTest, TheLossOfALeaseMayBeWaitedForByManyThreads) {
  ThreadRuntime runtime;
  GrantingConnector connector;
  Client client(runtime, connector);
  Mutex mutex = Mutex::Create(client, "res").value();
  for (int round = 0; round < 50; ++round) {
    Lease lease = mutex.TryAcquire().value();
    std::atomic<int> told{0};
    std::vector<std::unique_ptr<Task>> tasks;
    for (int i = 0; i < 3; ++i) {
      tasks.push_back(runtime.Spawn("watchdog", [&] {
        if (lease.lost().WaitUntil(runtime.Now() + 10s)) ++told;
      }));
    }
    lease.lost().Set();
    tasks.clear();
    EXPECT_EQ(told, 3);
  }
}

TEST(ThreadRuntimeTest, OneClientAndOneMutexServeManyThreads) {
  ThreadRuntime runtime;
  GrantingConnector connector;
  Client client(runtime, connector, {.max_idle_connections = 2});
  Mutex mutex = Mutex::Create(client, "res").value();
  std::atomic<int> granted{0};
  std::mutex tokens_mutex;
  std::set<std::string> tokens;
  std::vector<std::unique_ptr<Task>> tasks;
  for (int i = 0; i < 4; ++i) {
    tasks.push_back(runtime.Spawn("client", [&] {
      for (int round = 0; round < 200; ++round) {
        Result<Lease> lease = mutex.AcquireFor(1s);
        if (!lease.ok()) continue;
        const std::lock_guard<std::mutex> guard(tokens_mutex);
        tokens.insert(lease->token());
        if (lease->Release().ok()) ++granted;
      }
    }));
  }
  tasks.clear();
  EXPECT_EQ(granted, 800);
  EXPECT_EQ(tokens.size(), 800U);
}

}  // namespace
}  // namespace interlock
