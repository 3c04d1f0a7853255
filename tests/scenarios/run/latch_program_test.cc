// SPDX-License-Identifier: MIT
//
// What clients do with a latch in a whole run, and that the steps which specimens of latches are
// made of are sound.
#include "scenarios/run/latch_program.h"

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenarios/judge/property.h"
#include "scenarios/locks/specimens/latch.h"
#include "scenarios/run/run.h"
#include "tests/scenarios/judge/histories.h"
#include "tests/scenarios/search/explore_fixture.h"

namespace interlock::scenarios {
namespace {

using std::chrono::milliseconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::PropertiesOf;

/// Client i does operations of these kinds, all of one latch.
Workload LatchOf(std::vector<std::vector<Ask>> clients) {
  Workload workload;
  workload.lease = std::chrono::seconds(1);
  workload.latency_max = milliseconds(2);
  for (const std::vector<Ask>& asks : clients) {
    ClientPlan& plan = workload.clients.emplace_back();
    for (const Ask ask : asks) {
      plan.operations.push_back(
          {.ask = ask, .think = milliseconds(100), .wait = milliseconds(300)});
    }
  }
  return workload;
}

RunResult LatchRun(const harness::Subject& latch, const Workload& workload,
                   std::string_view scenario) {
  const RunCase run_case{&latch, FindScenario(scenario), SynchronyClass::kNone};
  sim::Universe universe;
  sim::Choices choices = sim::Choices::FromTape({});
  return RunOnce(universe, run_case, workload, choices, true);
}

std::vector<std::string> LatchNotes(const RunResult& run, int client) {
  std::vector<std::string> notes;
  for (const sim::TraceEvent& event : run.events) {
    const bool its = event.kind == sim::TraceKind::kNote && event.process == client;
    if (its) notes.push_back(event.text);
  }
  return notes;
}

TEST(LatchProgramTest, EachOperationOfTheLatchIsAParty) {
  Workload workload = LatchOf({{Ask::kTry, Ask::kTry}, {Ask::kWait}});
  workload.clients[0].operations[1].resource = 1;
  std::vector<std::string> names;
  for (const int party : PartiesOf(workload, 0)) names.push_back(NameOfParty(party));
  EXPECT_THAT(names, ElementsAre("C1.1", "C2.1"));
  EXPECT_EQ(PartiesOf(workload, 1).size(), 1U);
  EXPECT_EQ(PartiesOf(workload, 2).size(), 1U) << "a latch of nobody is opened by one";
}

TEST(LatchProgramTest, WhoHasStillToCountDoesNotWaitForItself) {
  const auto run = LatchRun(*Named("count-down-latch"),
                            LatchOf({{Ask::kWait, Ask::kWait}, {Ask::kTry}}), "contention");
  EXPECT_THAT(run.violations, IsEmpty());
  EXPECT_THAT(LatchNotes(run, 0),
              ElementsAre("count down for C1.1", "ok", "count down for C1.2", "ok", "wait", "ok"));
}

TEST(LatchProgramTest, WhoComesLastCountsForTheDead) {
  Workload workload = LatchOf({{Ask::kTry}, {Ask::kWait}});
  workload.clients[0].faults.push_back({.kind = sim::FaultKind::kCrash, .step = 0});
  const auto run = LatchRun(*Named("count-down-latch"), workload, "crash");
  EXPECT_THAT(run.violations, IsEmpty());
  EXPECT_THAT(LatchNotes(run, 1), ElementsAre("count down for C2.1", "ok", "wait", "ok"));
  EXPECT_THAT(LatchNotes(run, 2),
              ElementsAre("try", "timeout", "count down for C1.1", "ok", "count down for C2.1",
                          "ok", "wait-for", "ok", "count down for C3.1", "ok", "try", "ok"));
}

TEST(LatchProgramTest, WhoIsToExtendSaysOnceMoreThatItHasCounted) {
  Workload workload = LatchOf({{Ask::kTry}, {Ask::kTry}});
  workload.clients[0].operations[0].extend = true;
  workload.clients[0].operations[0].hold = milliseconds(400);
  const auto run = LatchRun(*Named("count-down-latch"), workload, "contention");
  EXPECT_THAT(run.violations, IsEmpty());
  EXPECT_TRUE(run.goals.Has(Goal::kCountedAgain));
  EXPECT_THAT(LatchNotes(run, 0),
              ElementsAre("count down for C1.1", "ok", "count down for C1.1", "ok", "try", "ok"));
}

TEST(LatchProgramTest, AReaderOnlyWaits) {
  Workload workload = LatchOf({{Ask::kTry}, {Ask::kTry, Ask::kWait}});
  for (Operation& operation : workload.clients[1].operations) operation.shared = true;
  workload.clients[1].operations[0].think = Duration{};
  const auto run = LatchRun(*Named("count-down-latch"), workload, "contention");
  EXPECT_THAT(run.violations, IsEmpty());
  EXPECT_THAT(LatchNotes(run, 1), ElementsAre("try", "timeout", "wait", "ok"));
  EXPECT_EQ(PartiesOf(workload, 0).size(), 1U);
}

TEST(LatchProgramTest, WhoComesLateLooksBeforeItMendsAnythingAndCountsOnceTooOften) {
  const auto run =
      LatchRun(*Named("count-down-latch"), LatchOf({{Ask::kTry}, {Ask::kTry}}), "contention");
  EXPECT_THAT(run.violations, IsEmpty());
  EXPECT_THAT(LatchNotes(run, 2),
              ElementsAre("try", "ok", "count down for C1.1", "ok", "count down for C2.1", "ok",
                          "wait-for", "ok", "count down for C3.1", "ok", "try", "ok"));
}

// A server that may have forgotten what it acknowledged has to be told again first.
TEST(LatchProgramTest, WhereServersForgetWhoComesLateCountsFirst) {
  const auto run =
      LatchRun(*Named("count-down-latch"), LatchOf({{Ask::kTry}, {Ask::kTry}}), "data-loss");
  EXPECT_THAT(run.violations, IsEmpty());
  EXPECT_THAT(LatchNotes(run, 2).front(), "count down for C1.1");
}

TEST(LatchProgramTest, ALatchThatCountsExactlyIsClosedByOneTooMany) {
  specimens::LatchRecipe exact{"test/exact", "open while exactly so many have counted"};
  exact.await = specimens::AwaitBy(
      [](specimens::RedisClient& redis, const specimens::LatchCall& call) -> Result<bool> {
        const Result<Reply> count = redis.Call({"SCARD", call.key});
        if (!count.ok()) return count.status();
        return count->integer == call.parties;
      });
  const auto latch = specimens::MakeLatch(exact);
  const auto run = LatchRun(*latch, LatchOf({{Ask::kTry}, {Ask::kTry}}), "contention");
  EXPECT_THAT(PropertiesOf(run.violations), ::testing::Contains(Judged::kSpuriousRefusal));
}

// What the specimens of latches have in common is not what they are convicted of.
TEST(LatchSpecimensTest, TheStepsThatTheyAreMadeOfAreSound) {
  const auto sound = specimens::MakeLatch({"test/latch", "the correct steps"});
  for (const char* scenario : {"contention", "crash", "lossy"}) {
    ExploreOptions options;
    options.run_case = {sound.get(), FindScenario(scenario), SynchronyClass::kNone};
    options.bounds = {.clients = 2, .attempts = 1, .waits = true, .crashes = 1, .lost_replies = 1};
    const Exploration all = Explore(options);
    EXPECT_TRUE(all.complete);
    EXPECT_EQ(all.divergences, 0U);
    for (const Judged property : LookedFor(options)) {
      EXPECT_FALSE(all.violated[property]) << scenario << " " << Slug(property);
    }
  }
}

}  // namespace
}  // namespace interlock::scenarios
