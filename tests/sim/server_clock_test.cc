// SPDX-License-Identifier: MIT
//
// The clock of a server, which jumps or runs at a rate of its own: when keys expire then, and what
// waits by that clock ends.
#include <gtest/gtest.h>

#include <cstdint>

#include "sim/faults.h"
#include "tests/sim/server_fault_fixture.h"

namespace interlock::sim {
namespace {

TEST(ServerClockTest, AJumpMovesExpiryEitherWayAndTheDeadlineOnTheVirtualClock) {
  for (const int by : {50, -50}) {
    RunWith({Strikes(FaultKind::kServerClockJump, seconds(by))}, Alone(),
            [by](Bench& bench, Connection& c) {
              const auto deadline = bench.world->server().PeekExpiresAtMs(0, "k");
              const VirtualTime ends = bench.world->GlobalTimeOfServerMs(*deadline + 1);
              EXPECT_EQ(ends, milliseconds(60'004 - 1000 * by));
              bench.Sleep(0, ends - bench.world->now() - milliseconds(2));
              EXPECT_EQ(Ask(c, {"GET", "k"}), "v");
              bench.Sleep(0, milliseconds(1));
              EXPECT_EQ(Ask(c, {"GET", "k"}), "nil");
            });
  }
}

TEST(ServerClockTest, AFasterClockEndsALeaseExactlyWhenItShowsTheDeadline) {
  for (const std::int64_t ppm : {400'000, -400'000, 3'333}) {
    RunWith({Strikes(FaultKind::kServerClockRate, Duration(ppm))}, Alone(),
            [ppm](Bench& bench, Connection& c) {
              const auto deadline = bench.world->server().PeekExpiresAtMs(0, "k");
              const VirtualTime ends = bench.world->GlobalTimeOfServerMs(*deadline + 1);
              EXPECT_NEAR(static_cast<double>(ends.count()), 60e9 * 1e6 / (1e6 + double(ppm)), 5e6);
              // A request takes 1 ms to arrive.
              bench.Sleep(0, ends - bench.world->now() - milliseconds(1) - microseconds(1));
              EXPECT_EQ(Ask(c, {"GET", "k"}), "v");
              bench.Sleep(0, milliseconds(1));
              EXPECT_EQ(Ask(c, {"GET", "k"}), "nil");
            });
  }
}

TEST(ServerClockTest, AJumpEndsAPopThatWaitsByTheServersClock) {
  Bench bench(2, {{FaultKind::kServerClockJump, 1, 1, seconds(100)}}, Alone());
  VirtualTime answered{};
  bench.world->Start(0, [&] {
    const auto connection = bench.Connect(0);
    EXPECT_EQ(Ask(*connection, {"BLPOP", "list", "90"}), "nil");
    answered = bench.world->now();
  });
  bench.world->Start(1, [&] {
    bench.Sleep(1, seconds(10));
    bench.world->Step(1);
    const auto connection = bench.Connect(1);
    EXPECT_EQ(Ask(*connection, {"GET", "k"}), "nil");
  });
  bench.world->Run(kHorizon);
  EXPECT_LT(answered, seconds(11));
}

}  // namespace
}  // namespace interlock::sim
