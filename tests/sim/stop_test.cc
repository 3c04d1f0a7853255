// SPDX-License-Identifier: MIT
//
// Waits that are stopped: what the connection does, and that of the locks which sleep in the server
// no hint is lost with a sleeper, however its stop meets a release.
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <ostream>
#include <stop_token>
#include <string>

#include <interlock/client.h>
#include <interlock/fair_mutex.h>
#include <interlock/mutex.h>
#include <interlock/semaphore.h>

#include "tests/sim/world_fixture.h"

namespace interlock::sim {
namespace {

constexpr Duration kPatience = seconds(1);

TEST(StopTest, TheServerForgetsASleeperAndSaysSo) {
  Bench bench(1);
  std::stop_source source;
  bench.world->Start(0, [&] {
    auto connection = bench.Connect(0);
    ASSERT_TRUE(Send(*connection, {"BLPOP", "k", "0"}).ok());
    const Result<Reply> reply =
        connection->ReceiveUnlessStopped(kNever, source.get_token(), kPatience);
    EXPECT_EQ(reply.code(), StatusCode::kUnknownOutcome);
    EXPECT_TRUE(connection->broken());
    // Connected at 2 ms, stopped at 5 ms; there and back again.
    EXPECT_EQ(bench.world->now(), VirtualTime(milliseconds(7)));
    connection.reset();
    connection = bench.Connect(0);
    EXPECT_EQ(Call(*connection, {"RPUSH", "k", "x"})->integer, 1);
    EXPECT_EQ(Call(*connection, {"LLEN", "k"})->integer, 1);
  });
  bench.world->Start(0, [&] {
    bench.Sleep(0, milliseconds(5));
    source.request_stop();
  });
  EXPECT_EQ(bench.world->Run(kHorizon), StopReason::kFinished);
}

TEST(StopTest, WhatTheServerSentBeforeIsHeard) {
  Bench bench(2);
  std::stop_source source;
  bench.world->Start(0, [&] {
    auto connection = bench.Connect(0);
    ASSERT_TRUE(Send(*connection, {"BLPOP", "k", "0"}).ok());
    const Result<Reply> reply =
        connection->ReceiveUnlessStopped(kNever, source.get_token(), kPatience);
    ASSERT_TRUE(reply.ok());
    EXPECT_EQ(reply->elements.at(1).text, "x");
    EXPECT_TRUE(connection->broken());
    EXPECT_EQ(connection->Call({}, kNever).code(), StatusCode::kUnavailable);
  });
  bench.world->Start(1, [&] {
    auto connection = bench.Connect(1);
    bench.Sleep(1, milliseconds(8));
    EXPECT_TRUE(Call(*connection, {"RPUSH", "k", "x"}).ok());
  });
  bench.world->Start(0, [&] {
    bench.Sleep(0, microseconds(11'500));  // when the reply is under way
    source.request_stop();
  });
  EXPECT_EQ(bench.world->Run(kHorizon), StopReason::kFinished);
}

TEST(StopTest, AServerThatDoesNotCloseIsWaitedForPatiently) {
  Bench bench(1, {{FaultKind::kHalfOpen, 0, 3, {}}});
  std::stop_source source;
  source.request_stop();
  bench.world->Start(0, [&] {
    auto connection = bench.Connect(0);
    ASSERT_TRUE(connection != nullptr);
    ASSERT_TRUE(Send(*connection, {"BLPOP", "k", "0"}).ok());
    ASSERT_TRUE(Send(*connection, {"BLPOP", "k", "0"}).ok());
    const VirtualTime begun = bench.world->now();
    EXPECT_EQ(connection->ReceiveUnlessStopped(kNever, source.get_token(), kPatience).code(),
              StatusCode::kUnknownOutcome);
    EXPECT_LE(bench.world->now() - begun, kPatience);
  });
  EXPECT_EQ(bench.world->Run(kHorizon), StopReason::kFinished);
}

/// Makes the lock of one client.
using Maker = std::function<std::shared_ptr<LeaseSource>(Client&)>;

struct Kind {
  std::string name;
  Maker make;
};

void PrintTo(const Kind& kind, std::ostream* out) { *out << kind.name; }

constexpr Duration kLease = std::chrono::hours(1);
constexpr RetryOptions kLongSleeps = {.max_wait = std::chrono::hours(1)};

struct Meeting {
  std::uint64_t hash = 0;
  StatusCode stopped = StatusCode::kOk;
  bool next_got_in = false;
};

/// One holds and lets go while a second one, which waits, is stopped, and a third one waits as
/// well.
Meeting Meet(const Maker& make, std::uint64_t seed) {
  Universe universe;
  WorldOptions options;
  options.latency_min = microseconds(10);
  options.latency_max = milliseconds(60);
  Choices choices = Choices::FromSeed(seed);
  const FaultPlan none;
  World world(universe, options, none, choices, nullptr);
  std::stop_source source;
  Meeting meeting;
  const auto sleep = [&](int process, Duration length) {
    Runtime& runtime = world.runtime(process);
    runtime.NewEvent()->WaitUntil(AddSaturating(runtime.Now(), length));
  };
  const auto start = [&](int process, std::function<void(LeaseSource&)> body) {
    world.AddProcess({});
    world.Start(process, [&world, &make, process, body = std::move(body)] {
      Client client(world.runtime(process), world.connector(process));
      body(*make(client));
    });
  };
  start(0, [&](LeaseSource& lock) {
    const Result<Lease> held = lock.TryAcquire();
    sleep(0, milliseconds(1000));
  });
  start(1, [&](LeaseSource& lock) {
    sleep(1, milliseconds(300));
    meeting.stopped = lock.Acquire(source.get_token()).code();
  });
  start(2, [&](LeaseSource& lock) {
    sleep(2, milliseconds(500));
    // In time: at its deadline it would find the lock free, whoever was to wake it.
    meeting.next_got_in = lock.AcquireFor(seconds(60)).ok() && world.now() < seconds(3);
  });
  world.Start(1, [&] {
    sleep(1, milliseconds(950) + milliseconds(seed % 64 * 4));
    source.request_stop();
  });
  world.Run(kHorizon);
  meeting.hash = world.trace().hash();
  return meeting;
}

class StopMeetsRelease : public ::testing::TestWithParam<Kind> {};

TEST_P(StopMeetsRelease, LosesNothing) {
  int leases = 0;
  int stops = 0;
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    const Meeting meeting = Meet(GetParam().make, seed);
    ASSERT_TRUE(meeting.next_got_in) << "seed " << seed;
    ASSERT_TRUE(meeting.stopped == StatusCode::kOk || meeting.stopped == StatusCode::kStopped)
        << "seed " << seed << ": " << ToString(meeting.stopped);
    ++(meeting.stopped == StatusCode::kOk ? leases : stops);
    if (seed % 100 == 0) {
      EXPECT_EQ(meeting.hash, Meet(GetParam().make, seed).hash);
    }
  }
  EXPECT_GT(leases, 300);
  EXPECT_GT(stops, 300);
}

template <typename Lock, typename Options>
Maker MakerOf(Options options) {
  return [options](Client& client) -> std::shared_ptr<LeaseSource> {
    return std::make_shared<Lock>(Lock::Create(client, "res", options).value());
  };
}

INSTANTIATE_TEST_SUITE_P(
    Locks, StopMeetsRelease,
    ::testing::Values(
        Kind{"Mutex", MakerOf<Mutex>(MutexOptions{.lease = kLease, .retry = kLongSleeps})},
        Kind{"FairMutex",
             MakerOf<FairMutex>(FairMutexOptions{.lease = kLease, .retry = kLongSleeps})},
        Kind{"Semaphore",
             MakerOf<Semaphore>(SemaphoreOptions{.lease = kLease, .retry = kLongSleeps})}),
    [](const auto& lock) { return lock.param.name; });

}  // namespace
}  // namespace interlock::sim
