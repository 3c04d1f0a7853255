// SPDX-License-Identifier: MIT
//
// What an explanation claims is true of the case: the limit that it names is where the case begins
// to pass, what it calls needed cannot be left out, what it calls irrelevant can be anything.
#include "scenarios/search/shrink/explain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenarios/search/shrink/continued.h"
#include "scenarios/search/shrink/critical.h"
#include "scenarios/search/shrink/parts.h"
#include "tests/scenarios/plain_subject.h"

namespace interlock::scenarios {
namespace {

using std::chrono::milliseconds;
using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

/// One client holds and is paused past its lease, the other is granted the lock meanwhile; then the
/// first deletes whatever stands there.
struct BlindRelease {
  BlindRelease() {
    one.workload.lease = milliseconds(1000);
    one.workload.latency_max = milliseconds(1);
    ClientPlan holder;
    Operation hold;
    hold.hold = milliseconds(100);
    holder.operations.push_back(hold);
    holder.faults.push_back({sim::FaultKind::kPause, 8, milliseconds(1600)});
    ClientPlan waiter;
    Operation wait;
    wait.ask = Ask::kWaitFor;
    wait.think = milliseconds(200);
    wait.wait = milliseconds(4000);
    wait.hold = milliseconds(900);
    waiter.operations.push_back(wait);
    one.workload.clients = {holder, waiter};
    sim::Choices choices = sim::Choices::FromTape({});
    run = RunOnce(universe, run_case, one.workload, choices, true);
  }

  std::shared_ptr<const harness::Subject> subject =
      testing::PlainSubject({.release_blindly = true});
  RunCase run_case{subject.get(), FindScenario("chaos"), SynchronyClass::kArbitrary};
  sim::Universe universe;
  TrialCase one;
  RunResult run;
};

TEST(ExplainTest, TheLimitThatItNamesIsWhereTheCaseBeginsToPass) {
  BlindRelease blind;
  ASSERT_NE(blind.run.Find(Judged::kForeignRelease), nullptr);
  const Explanation said = ExplainByTrying(blind.universe, blind.run_case, blind.one, blind.run,
                                           Judged::kForeignRelease, 4000);
  ASSERT_FALSE(said.needed.empty());
  EXPECT_THAT(said.needed.front(), StartsWith("pause of C1 "));
  EXPECT_THAT(said.nearest, StartsWith("the pause of C1 ("));
  const double limit = std::stod(said.nearest.substr(said.nearest.find('(') + 1));
  const auto fails = [&](double ms) {
    Workload changed = blind.one.workload;
    changed.clients[0].faults[0].length = Duration(static_cast<std::int64_t>(ms * 1e6));
    sim::Choices choices = sim::Choices::FromTape({});
    return RunOnce(blind.universe, blind.run_case, changed, choices)
               .Find(Judged::kForeignRelease) != nullptr;
  };
  EXPECT_FALSE(fails(limit - 0.2));
  EXPECT_TRUE(fails(limit + 0.2));
}

TEST(ExplainTest, ItIsTheSameEachTimeAndWithinItsBudget) {
  BlindRelease blind;
  const auto explain = [&](int budget) {
    return ExplainByTrying(blind.universe, blind.run_case, blind.one, blind.run,
                           Judged::kForeignRelease, budget);
  };
  const Explanation first = explain(4000);
  const Explanation second = explain(4000);
  EXPECT_EQ(first.needed, second.needed);
  EXPECT_EQ(first.irrelevant, second.irrelevant);
  EXPECT_EQ(first.critical, second.critical);
  EXPECT_LE(explain(30).tries, 30);
}

TEST(ExplainTest, TheViolatingStepIsTheLastOneBeforeTheViolationIsSeen) {
  BlindRelease blind;
  const Violation* violation = blind.run.Find(Judged::kForeignRelease);
  const std::uint64_t step = ViolatingStep(blind.run, *violation);
  for (const sim::TraceEvent& event : blind.run.events) {
    if (event.step == step) {
      EXPECT_EQ(event.time, violation->at);
    }
    if (event.step > step) {
      EXPECT_GT(event.time, violation->at);
    }
  }
}

// The case fails only if the second client is first, which one choice decides: the first one.
TEST(CriticalStepTest, TheStepThatDecidesIsNamed) {
  BlindRelease blind;
  Trial trial(blind.universe, blind.run_case, Judged::kForeignRelease, 4000);
  ASSERT_TRUE(trial.Confirm(blind.one, 3));
  const std::string said = CriticalStep(trial, blind.one, blind.run);
  EXPECT_THAT(said, AnyOf(std::string(), HasSubstr("of redrawn schedules fail before it")));
}

TEST(ContinuedSourceTest, TheBeginningIsTheTapesAndTheRestIsNot) {
  sim::Tape tape;
  tape.lanes[0] = {2, 1, 2, 1};
  tape.lanes[1] = {5};
  ContinuedSource source(tape, 3, std::make_unique<sim::SeededSource>(7));
  sim::SeededSource rest(7);
  EXPECT_EQ(source.Draw(sim::Lane::kSchedule, 3), 2U);
  EXPECT_EQ(source.Draw(sim::Lane::kNetwork, 4), 3U) << "clamped";
  EXPECT_EQ(source.Draw(sim::Lane::kSchedule, 3), 1U);
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(source.Draw(sim::Lane::kSchedule, 1000), rest.Draw(sim::Lane::kSchedule, 1000));
  }
}

TEST(PartsTest, WithoutLeavesExactlyTheOthers) {
  BlindRelease blind;
  const Aimed all = ByNumber(blind.one.workload);
  EXPECT_EQ(WithoutOperations(all, 0, 2).workload.clients.size(), 2U);
  EXPECT_TRUE(OperationPlaces(WithoutOperations(all, 0, 2).workload).empty());
  EXPECT_EQ(OperationPlaces(WithoutOperations(all, 1, 1).workload).size(), 1U);
  EXPECT_TRUE(WithoutOperations(all, 1, 1).workload.clients[1].operations.empty());
  EXPECT_TRUE(FaultPlaces(WithoutFaults(all, 0, 1).workload).empty());
  EXPECT_EQ(WithoutClient(all, 0).workload.clients[0], all.workload.clients[1]);
}

TEST(PartsTest, ScalingKeepsTheProportions) {
  BlindRelease blind;
  const Workload scaled = ScaledTo(blind.one.workload, milliseconds(500));
  EXPECT_EQ(scaled.lease, milliseconds(500));
  EXPECT_EQ(scaled.clients[0].faults[0].length, milliseconds(800));
  EXPECT_EQ(scaled.clients[1].operations[0].hold, milliseconds(450));
  EXPECT_EQ(ScaledTo(scaled, milliseconds(1000)), blind.one.workload);
}

}  // namespace
}  // namespace interlock::scenarios
