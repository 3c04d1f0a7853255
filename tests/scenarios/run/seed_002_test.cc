// SPDX-License-Identifier: MIT
//
// The test program of the service that two specimens come from, as it stands: nine clients, key
// 20171228, database 15, a lease of 20 s, a hold of 25 s, all try once. It proves what a correct
// library reports there: one lease, eight definite refusals, and a release that finds the lease
// gone.
#include <gtest/gtest.h>

#include "scenarios/cases/generators.h"
#include "scenarios/locks/specimen.h"
#include "scenarios/run/run.h"

namespace interlock::scenarios {
namespace {

TEST(Seed002Test, EverySoundLockReportsOneLeaseEightRefusalsAndTheLoss) {
  const Scenario& scenario = *FindScenario("seed-002");
  sim::Universe universe;
  for (const auto& subject : SoundSubjects()) {
    if (!Applies(scenario, subject->traits())) continue;
    if (subject->traits().renews) continue;  // it loses nothing by working for longer than a lease
    const RunCase run_case{subject.get(), &scenario, SynchronyClass::kNone};
    // Of several it is only told that not all were held any more.
    const std::string loss = subject->traits().several ? "lease-lost" : "not-owner";
    const std::string expected =
        "seed-002 " + std::string(subject->name()) +
        ": 1 lease, 8 refusals, winner's lease lost before release: " + loss;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      sim::Choices choices = sim::Choices::FromSeed(seed);
      const RunResult result = RunOnce(universe, run_case, scenario.pinned.front(), choices);
      EXPECT_EQ(result.story, expected);
      EXPECT_TRUE(result.violations.empty());
      EXPECT_GT(result.virtual_time, std::chrono::seconds(25));
    }
  }
}

TEST(Seed002Test, ItsFiguresAreTheOriginals) {
  const Scenario& scenario = *FindScenario("seed-002");
  EXPECT_EQ(scenario.database, 15);
  EXPECT_EQ(scenario.key_prefix + scenario.resource, "REDIS_LOCK_20171228");
  ASSERT_EQ(scenario.pinned.front().clients.size(), 9U);
  EXPECT_EQ(scenario.pinned.front().lease, std::chrono::seconds(20));
  for (const ClientPlan& client : scenario.pinned.front().clients) {
    ASSERT_EQ(client.operations.size(), 1U);
    EXPECT_EQ(client.operations[0].ask, Ask::kTry);
    EXPECT_EQ(client.operations[0].hold, std::chrono::seconds(25));
  }
}

}  // namespace
}  // namespace interlock::scenarios
