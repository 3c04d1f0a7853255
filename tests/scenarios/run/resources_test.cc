// SPDX-License-Identifier: MIT
//
// Several resources in one run: each has its own history and verdicts, and a client may hold one
// while it asks for another.
#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenarios/cases/generators.h"
#include "scenarios/judge/property.h"
#include "scenarios/locks/specimen.h"
#include "scenarios/run/run.h"
#include "scenarios/search/campaign.h"
#include "tests/scenarios/plain_subject.h"

namespace interlock::scenarios {
namespace {

using std::chrono::milliseconds;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

Workload TwoResources(std::vector<ClientPlan> clients) {
  Workload workload;
  workload.lease = std::chrono::seconds(1);
  workload.latency_max = milliseconds(2);
  workload.resources = 2;
  workload.clients = std::move(clients);
  return workload;
}

ClientPlan Does(std::vector<Operation> operations) {
  ClientPlan client;
  client.operations = std::move(operations);
  return client;
}

RunResult RunOnResources(const harness::Subject& subject, const Workload& workload) {
  const RunCase run_case{&subject, FindScenario("contention"), SynchronyClass::kNone};
  sim::Universe universe;
  sim::Choices choices = sim::Choices::FromTape({});
  return RunOnce(universe, run_case, workload, choices, true);
}

/// What the clients of the workload noted, without the probes: "C1 granted: jobs:42".
std::vector<std::string> NotesOf(const RunResult& run, int clients) {
  std::vector<std::string> notes;
  for (const sim::TraceEvent& event : run.events) {
    if (event.kind != sim::TraceKind::kNote || event.process >= clients) continue;
    notes.push_back("C" + std::to_string(event.process + 1) + " " + event.text);
  }
  return notes;
}

TEST(ResourcesTest, HoldersOfTwoResourcesAreNotInEachOthersWay) {
  const auto subject = testing::PlainSubject();
  const Operation first{.hold = milliseconds(500)};
  const Operation second{.think = milliseconds(100), .hold = milliseconds(500), .resource = 1};
  const RunResult run = RunOnResources(*subject, TwoResources({Does({first}), Does({second})}));
  EXPECT_TRUE(run.violations.empty());
  EXPECT_FALSE(run.goals.Has(Goal::kContended));
  EXPECT_FALSE(run.goals.Has(Goal::kRefused));
}

TEST(ResourcesTest, OneResourceIsContendedLikeInARunOfItsOwn) {
  const auto subject = testing::PlainSubject();
  const Operation first{.hold = milliseconds(500), .resource = 1};
  const Operation second{.think = milliseconds(100), .hold = milliseconds(500), .resource = 1};
  const RunResult run = RunOnResources(*subject, TwoResources({Does({first}), Does({second})}));
  EXPECT_TRUE(run.violations.empty());
  EXPECT_TRUE(run.goals.Has(Goal::kContended));
  EXPECT_TRUE(run.goals.Has(Goal::kRefused));
}

// Each resource is asked for when all is healed, so that a loss of any of them shows.
TEST(ResourcesTest, EachResourceHasItsProbe) {
  const auto subject = testing::PlainSubject();
  const RunResult run = RunOnResources(*subject, TwoResources({Does({})}));
  std::vector<std::string> granted;
  for (const sim::TraceEvent& event : run.events) {
    if (event.text.starts_with("granted")) granted.push_back(event.text);
  }
  EXPECT_THAT(granted, ::testing::UnorderedElementsAre("granted: jobs:42", "granted: jobs:42/2"));
}

TEST(ResourcesTest, AViolationNamesItsResource) {
  const auto subject = testing::PlainSubject({.release_blindly = true});
  const Operation late{.hold = milliseconds(990), .overstay = milliseconds(300), .resource = 1};
  const Operation next{.think = milliseconds(1'050), .hold = milliseconds(900), .resource = 1};
  const RunResult run = RunOnResources(*subject, TwoResources({Does({late}), Does({next})}));
  const Violation* released = run.Find(Judged::kForeignRelease);
  ASSERT_NE(released, nullptr);
  EXPECT_EQ(released->resource, 1);
  EXPECT_THAT(released->what, HasSubstr("(jobs:42/2)"));
}

TEST(ResourcesTest, AnOperationInsideAnotherIsDoneBeforeThatReleases) {
  const auto subject = testing::PlainSubject();
  const Operation outer{.hold = milliseconds(10)};
  const Operation inner{.hold = milliseconds(10), .resource = 1, .inside = true};
  const Operation after{.hold = milliseconds(10), .resource = 1};
  const RunResult run = RunOnResources(*subject, TwoResources({Does({outer, inner, after})}));
  EXPECT_TRUE(run.violations.empty());
  std::vector<std::string> order;
  for (const std::string& note : NotesOf(run, 1)) {
    const bool counts = note.starts_with("C1 granted") || note.starts_with("C1 released");
    if (counts) order.push_back(note);
  }
  EXPECT_THAT(order, ElementsAre("C1 granted: jobs:42", "C1 granted: jobs:42/2",
                                 "C1 released: jobs:42/2", "C1 released: jobs:42",
                                 "C1 granted: jobs:42/2", "C1 released: jobs:42/2"));
}

TEST(ResourcesTest, WhatOutlivesTheOneThatItIsInsideOfIsGivenBackAfterIt) {
  Operation outer;
  Operation inner;
  inner.resource = 1;
  inner.inside = true;
  inner.outlives = true;
  const RunResult run =
      RunOnResources(*testing::PlainSubject(), TwoResources({Does({outer, inner, outer})}));
  std::vector<std::string> released;
  for (const std::string& note : NotesOf(run, 1)) {
    if (note.find("C1 release:") == 0) released.push_back(note);
  }
  EXPECT_THAT(released,
              ElementsAre("C1 release: jobs:42", "C1 release: jobs:42/2", "C1 release: jobs:42"));
  EXPECT_TRUE(run.violations.empty());
}

// See harness::Hold.
TEST(ResourcesTest, WhatIsDroppedIsNotGivenBackAndBelievedInNoMore) {
  Operation outer;
  outer.hold = milliseconds(10);
  Operation inner = outer;
  inner.resource = 1;
  inner.inside = true;
  inner.drops = true;
  const RunResult run =
      RunOnResources(*testing::PlainSubject(), TwoResources({Does({outer, inner})}));
  EXPECT_TRUE(run.violations.empty());
  std::vector<std::string> ends;
  for (const std::string& note : NotesOf(run, 1)) {
    if (note.find("release:") != std::string::npos || note.find("drop") != std::string::npos) {
      ends.push_back(note);
    }
  }
  EXPECT_THAT(ends, ElementsAre("C1 drop its hold: jobs:42/2", "C1 release: jobs:42"));
  const ClientHold& dropped = run.histories[1].history.holds.front();
  EXPECT_EQ(dropped.belief.back().to, dropped.dropped);
  EXPECT_EQ(dropped.release_called, kOpen);
}

TEST(ResourcesTest, WhatIsInsideARefusedOperationIsLeftOut) {
  const auto subject = testing::PlainSubject();
  const Operation holds{.hold = milliseconds(500)};
  const Operation outer{.think = milliseconds(100), .hold = milliseconds(10)};
  const Operation inner{.hold = milliseconds(10), .resource = 1, .inside = true};
  const RunResult run =
      RunOnResources(*subject, TwoResources({Does({holds}), Does({outer, inner})}));
  EXPECT_THAT(NotesOf(run, 2), Contains("C2 try: jobs:42"));
  EXPECT_THAT(NotesOf(run, 2), Not(Contains("C2 try: jobs:42/2")));
}

// A lock that does not nest would wait for itself.
TEST(ResourcesTest, NobodyAsksInsideForWhatItHolds) {
  const auto subject = testing::PlainSubject();
  const Operation outer{.hold = milliseconds(10)};
  const Operation inner{.hold = milliseconds(10), .inside = true};
  const RunResult run = RunOnResources(*subject, TwoResources({Does({outer, inner})}));
  EXPECT_EQ(std::ranges::count(NotesOf(run, 1), "C1 try: jobs:42"), 1);
}

// Two clients that ask crosswise wait for each other until a lease ends; both go on then.
TEST(ResourcesTest, ACrosswiseWaitEndsWithTheLease) {
  const auto subject = testing::PlainSubject();
  const auto crosswise = [](int first) {
    return Does(
        {{.hold = milliseconds(10), .resource = first},
         {.ask = Ask::kWait, .hold = milliseconds(10), .resource = 1 - first, .inside = true}});
  };
  const RunResult run = RunOnResources(*subject, TwoResources({crosswise(0), crosswise(1)}));
  EXPECT_TRUE(run.violations.empty());
  EXPECT_THAT(NotesOf(run, 2), Contains("C1 granted: jobs:42/2"));
  EXPECT_THAT(NotesOf(run, 2), Contains("C2 granted: jobs:42"));
}

TEST(ResourcesTest, SoundLocksKeepTheirPromisesWithSeveralAndNested) {
  Scenario scenario = *FindScenario("chaos");
  scenario.shape.max_resources = kMostResources;
  scenario.shape.nest = true;
  const Generator generator(scenario);
  sim::Universe universe;
  for (const auto& subject : SoundSubjects()) {
    if (!Applies(scenario, subject->traits())) continue;
    for (std::uint64_t seed = 0; seed < 150; ++seed) {
      const RunCase run_case{subject.get(), &scenario, SynchronyClass::kBounded};
      const Workload workload = generator.Draw(seed);
      sim::Choices choices = ChoicesOfRun(seed);
      const RunResult run = RunOnce(universe, run_case, workload, choices);
      EXPECT_FALSE(run.inconclusive.has_value());
      for (const Violation& violation : run.violations) {
        ADD_FAILURE() << subject->name() << " " << seed << " " << Code(violation.property) << " "
                      << violation.what;
      }
    }
  }
}

}  // namespace
}  // namespace interlock::scenarios
