// SPDX-License-Identifier: MIT
//
// Locks that take several resources at once, all or none: each of the resources has its history and
// verdicts, and every second client names them the other way round.
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenarios/locks/specimen.h"
#include "scenarios/run/run.h"
#include "tests/scenarios/search/explore_fixture.h"

namespace interlock::scenarios {
namespace {

using std::chrono::milliseconds;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

Operation Asks(Ask ask, int resource, Duration think) {
  return {.ask = ask, .think = think, .hold = milliseconds(200), .resource = resource};
}

Workload SeveralOf(std::vector<std::vector<Operation>> clients) {
  Workload workload;
  workload.lease = std::chrono::seconds(1);
  workload.latency_max = milliseconds(2);
  workload.resources = 2;
  for (std::vector<Operation>& operations : clients) {
    workload.clients.emplace_back().operations = std::move(operations);
  }
  return workload;
}

RunResult SeveralRun(std::string_view lock, const Workload& workload,
                     std::string_view scenario = "nested",
                     SynchronyClass synchrony = SynchronyClass::kNone) {
  const auto subject = Named(lock);
  const RunCase run_case{subject.get(), FindScenario(scenario), synchrony};
  sim::Universe universe;
  sim::Choices choices = sim::Choices::FromTape({});
  return RunOnce(universe, run_case, workload, choices, true);
}

/// Two clients that name the same resources in opposite orders, at the same time.
Workload Crosswise() {
  const Operation waits = Asks(Ask::kWait, 0, Duration{});
  return SeveralOf({{waits}, {waits}});
}

/// C1 holds the second and the third resource while C2, a little later, tries for the first two.
Workload HalfTaken() {
  return SeveralOf({{Asks(Ask::kTry, 1, Duration{})}, {Asks(Ask::kTry, 0, milliseconds(50))}});
}

std::vector<std::string> SeveralNotes(const RunResult& run, int client) {
  std::vector<std::string> notes;
  for (const sim::TraceEvent& event : run.events) {
    const bool its = event.kind == sim::TraceKind::kNote && event.process == client;
    if (its) notes.push_back(event.text);
  }
  return notes;
}

TEST(SeveralTest, AClientOnlyEverHasAllOrNothing) {
  const RunResult run = SeveralRun("multi-mutex", HalfTaken());
  EXPECT_TRUE(run.violations.empty()) << run.violations.front().what;
  EXPECT_THAT(SeveralNotes(run, 0), Contains("granted: jobs:42/2"));
  EXPECT_THAT(SeveralNotes(run, 0), Contains("granted: jobs:42/3"));
  EXPECT_THAT(SeveralNotes(run, 1),
              ElementsAre("try: jobs:42", "try: jobs:42/2", "not-acquired: jobs:42",
                          "not-acquired: jobs:42/2"));
  EXPECT_TRUE(run.goals.Has(Goal::kRefused));
}

TEST(SeveralTest, WhatItGotOfARefusedRequestMayNotStayTaken) {
  const RunResult run = SeveralRun("broken/multi-keeps-part", HalfTaken());
  const Violation* kept = run.Find(Judged::kKeys);
  ASSERT_NE(kept, nullptr);
  EXPECT_EQ(kept->client, 1);
  EXPECT_THAT(kept->what, HasSubstr("(jobs:42)")) << "the one that was free";
  EXPECT_NE(run.Find(Judged::kSpuriousRefusal), nullptr);
}

TEST(SeveralTest, ACircleOfPartsIsADeadlock) {
  const RunResult run = SeveralRun("broken/multi-unordered", Crosswise());
  const Violation* stuck = run.Find(Judged::kDeadlock);
  ASSERT_NE(stuck, nullptr);
  EXPECT_THAT(stuck->what, HasSubstr("C1 waited for what C2 held"));
  EXPECT_THAT(stuck->what, HasSubstr("C2 waited for what C1 held"));
}

TEST(SeveralTest, OneOrderForEverybodyClosesNoCircle) {
  const RunResult run = SeveralRun("multi-mutex", Crosswise());
  EXPECT_TRUE(run.violations.empty()) << run.violations.front().what;
  EXPECT_TRUE(run.goals.Has(Goal::kWaiterGranted));
}

TEST(SeveralTest, EverySecondClientNamesThemTheOtherWayRound) {
  const Scenario& scenario = *FindScenario("nested");
  const auto all = LockOptionsFor(scenario, Crosswise(), {.several = true});
  ASSERT_EQ(all.size(), 3U) << "and one beside the last";
  EXPECT_THAT(OptionsOf(0, all[1]).several, ElementsAre("jobs:42/2", "jobs:42/3"));
  EXPECT_THAT(OptionsOf(1, all[1]).several, ElementsAre("jobs:42/3", "jobs:42/2"));
  EXPECT_EQ(LockOptionsFor(scenario, Crosswise(), {}).size(), 2U);
}

/// Wherever two pauses strike, one before the leases are extended and one meanwhile: what was
/// extended first may be over when the answer about the last is read.
TEST(SeveralTest, ALeaseThatEndsWhileAnotherIsExtendedIsNoGrant) {
  constexpr int kSteps = 30;
  Workload workload = SeveralOf({{Asks(Ask::kTry, 0, Duration{})}});
  workload.latency_max = Duration{};
  GoalSet goals;
  for (int first = 0; first < kSteps; ++first) {
    for (int second = first + 1; second < kSteps; ++second) {
      workload.clients.front().faults = {{sim::FaultKind::kPause, first, milliseconds(500)},
                                         {sim::FaultKind::kExpiry, second, milliseconds(500)}};
      const RunResult run = SeveralRun("multi-mutex", workload, "pause", SynchronyClass::kBounded);
      ASSERT_TRUE(run.violations.empty())
          << run.violations.front().what << " in steps " << first << " and " << second;
      goals.AddAll(run.goals);
    }
  }
  EXPECT_TRUE(goals.Has(Goal::kGrantCameLate));
}

/// What is inside another operation may not ask for either of its resources.
TEST(SeveralTest, NobodyAsksInsideForWhatItHolds) {
  Operation inside = Asks(Ask::kTry, 1, Duration{});
  inside.inside = true;
  const RunResult run =
      SeveralRun("multi-mutex", SeveralOf({{Asks(Ask::kTry, 0, Duration{}), inside}}));
  EXPECT_TRUE(run.violations.empty());
  EXPECT_THAT(SeveralNotes(run, 0), Contains("granted: jobs:42/2"));
  EXPECT_THAT(SeveralNotes(run, 0), Not(Contains("try: jobs:42/3")));
}

}  // namespace
}  // namespace interlock::scenarios
