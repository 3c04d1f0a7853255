// SPDX-License-Identifier: MIT
//
// One run: the same inputs give the same trace, in this process, in the next one and in every
// build.
#include "scenarios/run/run.h"

#include <gtest/gtest.h>

#include "scenarios/cases/generators.h"
#include "scenarios/search/campaign.h"
#include "tests/scenarios/plain_subject.h"

namespace interlock::scenarios {
namespace {

using std::chrono::milliseconds;

/// Two clients, one of which is in the other's way; one lost reply. Never to be changed: see below.
Workload FrozenWorkload() {
  Operation first;
  first.ask = Ask::kWait;
  first.hold = milliseconds(300);
  Operation second;
  second.ask = Ask::kWaitFor;
  second.think = milliseconds(20);
  second.wait = milliseconds(700);
  second.hold = milliseconds(40);
  ClientPlan one;
  one.operations = {first, second};
  ClientPlan other;
  other.clock_offset = std::chrono::seconds(1000);
  other.operations = {second, first};
  other.faults = {{sim::FaultKind::kLostReply, 12, {}}};
  Workload workload;
  workload.lease = std::chrono::seconds(1);
  workload.latency_max = milliseconds(3);
  workload.clients = {one, other};
  return workload;
}

RunResult RunFrozen(sim::Universe& universe, bool keep_events) {
  const auto subject = testing::PlainSubject();
  const RunCase run_case{subject.get(), FindScenario("chaos"), SynchronyClass::kArbitrary};
  sim::Choices choices = sim::Choices::FromSeed(2024);
  return RunOnce(universe, run_case, FrozenWorkload(), choices, keep_events);
}

// The hash of one fixed run of a lock that is written in these tests alone. Another value means
// that the simulator or the harness behaves differently than it did, on this machine or in this
// build: old replay tokens then no longer replay. If that was intended, say so and renew the
// constant.
TEST(RunTest, TheGoldenRunHasItsGoldenHash) {
  constexpr std::uint64_t kGoldenHash = 0x5bf0f08b3623aa8f;
  sim::Universe universe;
  const RunResult result = RunFrozen(universe, false);
  EXPECT_TRUE(result.violations.empty());
  EXPECT_FALSE(result.inconclusive.has_value());
  EXPECT_EQ(result.faults, 1);
  EXPECT_EQ(result.trace_hash, kGoldenHash);
}

TEST(RunTest, KeepingEventsChangesNothing) {
  sim::Universe universe;
  const RunResult without = RunFrozen(universe, false);
  const RunResult with = RunFrozen(universe, true);
  EXPECT_EQ(with.trace_hash, without.trace_hash);
  EXPECT_TRUE(without.events.empty());
  EXPECT_FALSE(with.events.empty());
  for (std::size_t i = 1; i < with.events.size(); ++i) {
    EXPECT_LE(with.events[i - 1].time, with.events[i].time);
  }
}

// A universe is used for many runs: nothing of one may be seen in the next.
TEST(RunTest, TheSameInputsGiveTheSameHashInAUsedUniverse) {
  for (const auto& subject : SoundSubjects()) {
    sim::Universe used;
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
      const RunCase run_case{subject.get(), FindScenario("chaos"), SynchronyClass::kArbitrary};
      const Workload workload = Generator(*run_case.scenario).Draw(seed);
      sim::Choices first = ChoicesOfRun(seed);
      sim::Choices second = ChoicesOfRun(seed);
      sim::Universe fresh;
      EXPECT_EQ(RunOnce(used, run_case, workload, first).trace_hash,
                RunOnce(fresh, run_case, workload, second).trace_hash)
          << subject->name() << " " << seed;
    }
  }
}

TEST(RunTest, OtherChoicesGiveAnotherHash) {
  sim::Universe universe;
  const auto subject = testing::PlainSubject();
  const RunCase run_case{subject.get(), FindScenario("chaos"), SynchronyClass::kArbitrary};
  sim::Choices one = sim::Choices::FromSeed(1);
  sim::Choices other = sim::Choices::FromSeed(2);
  EXPECT_NE(RunOnce(universe, run_case, FrozenWorkload(), one).trace_hash,
            RunOnce(universe, run_case, FrozenWorkload(), other).trace_hash);
}

TEST(RunTest, TheRecordedTapeReplaysARunFromASeed) {
  sim::Universe universe;
  const auto subject = testing::PlainSubject();
  const RunCase run_case{subject.get(), FindScenario("chaos"), SynchronyClass::kArbitrary};
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const Workload workload = Generator(*run_case.scenario).Draw(seed);
    sim::Choices drawn = ChoicesOfRun(seed);
    const RunResult original = RunOnce(universe, run_case, workload, drawn);
    sim::Choices replayed = sim::Choices::FromTape(drawn.TakeTape());
    EXPECT_EQ(RunOnce(universe, run_case, workload, replayed).trace_hash, original.trace_hash);
  }
}

TEST(RunTest, AWorkloadWithoutOperationsIsACalmRun) {
  sim::Universe universe;
  const auto subject = testing::PlainSubject();
  const RunCase run_case{subject.get(), FindScenario("contention"), SynchronyClass::kNone};
  Workload workload;
  workload.lease = std::chrono::seconds(1);
  workload.clients.resize(2);
  sim::Choices choices = sim::Choices::FromTape({});
  const RunResult result = RunOnce(universe, run_case, workload, choices);
  EXPECT_TRUE(result.violations.empty());
  EXPECT_FALSE(result.inconclusive.has_value());
  EXPECT_GT(result.commands, 0U);  // the probe of phase 2 asks
}

TEST(RunTest, AnUnmodelledCommandEndsTheRunWithoutAVerdict) {
  sim::Universe universe;
  const auto subject =
      testing::PlainSubject({.name = "test/counting", .preface = {"PFCOUNT", "log"}});
  const RunCase run_case{subject.get(), FindScenario("contention"), SynchronyClass::kNone};
  sim::Choices choices = sim::Choices::FromTape({});
  const RunResult result = RunOnce(universe, run_case, FrozenWorkload(), choices);
  ASSERT_TRUE(result.inconclusive.has_value());
  EXPECT_NE(result.inconclusive->find("PFCOUNT"), std::string::npos) << *result.inconclusive;
  EXPECT_TRUE(result.violations.empty());
}

}  // namespace
}  // namespace interlock::scenarios
