// SPDX-License-Identifier: MIT
//
// Each program that trusts its lock is found broken, and its token replays; each that fences is
// found in order, under the same faults.
#include <gtest/gtest.h>
#include <interlock/harness/simulate.h>

#include "programs.h"

namespace {

namespace harness = interlock::harness;

harness::SimulateOptions Options() {
  return {.runs = 600,
          .faults = {{"pause", 2}, {"delay-request", 2}, {"crash", 1}, {"lost-reply", 1}}};
}

void ExpectBroken(const harness::Program& program, std::string_view invariant) {
  const auto verdict = harness::Simulate(program, Options());
  EXPECT_TRUE(verdict.violated) << verdict.text;
  EXPECT_EQ(verdict.invariant, invariant) << verdict.text;
  EXPECT_EQ(harness::Replay(program, verdict.token).message, verdict.message);
}

void ExpectRight(const harness::Program& program) {
  const auto verdict = harness::Simulate(program, Options());
  EXPECT_TRUE(verdict.ok) << verdict.text;
}

TEST(InventoryTest, IsOversoldBehindALockAlone) {
  ExpectBroken(acme::Inventory(acme::Guard::kTrust), "no item is sold twice");
}
TEST(InventoryTest, IsNotOversoldWithFencing) { ExpectRight(acme::Inventory(acme::Guard::kFence)); }

TEST(LeaderTest, WritesAfterItLostItsLease) {
  ExpectBroken(acme::Leader(acme::Guard::kTrust), "no leader writes after its successor");
}
TEST(LeaderTest, IsRefusedByALogThatFences) { ExpectRight(acme::Leader(acme::Guard::kFence)); }

TEST(OnceJobTest, RunsTwiceBehindALockAlone) {
  ExpectBroken(acme::OnceJob(acme::Guard::kTrust), "the job runs once");
}
TEST(OnceJobTest, RunsOnceWithFencing) { ExpectRight(acme::OnceJob(acme::Guard::kFence)); }

}  // namespace
