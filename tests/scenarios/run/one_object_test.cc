// SPDX-License-Identifier: MIT
//
// Several users of one lock object in one process: they are judged as clients are that have a
// process each, and share what a process has.
#include <algorithm>
#include <chrono>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenarios/cases/generators.h"
#include "scenarios/locks/specimen.h"
#include "scenarios/run/recorder/users.h"
#include "scenarios/run/run.h"
#include "scenarios/search/campaign.h"
#include "tests/scenarios/plain_subject.h"
#include "tests/scenarios/worker_subject.h"

namespace interlock::scenarios {
namespace {

using reports::ResultRow;
using reports::Verdict;
using std::chrono::milliseconds;

/// C1 and, in its process, C2; both do that.
Workload TwoUsers(const std::vector<Operation>& first, const std::vector<Operation>& second) {
  Workload workload;
  workload.lease = std::chrono::seconds(1);
  workload.latency_max = milliseconds(2);
  workload.clients.resize(2);
  workload.clients[0].operations = first;
  workload.clients[1].operations = second;
  workload.clients[1].shares_objects = true;
  return workload;
}

RunResult RunOf(const harness::Subject& subject, const Workload& workload) {
  const RunCase run_case{&subject, FindScenario("one-object"), SynchronyClass::kBounded};
  sim::Universe universe;
  sim::Choices choices = sim::Choices::FromTape({});
  return RunOnce(universe, run_case, workload, choices, true);
}

Operation Waits(milliseconds think, milliseconds hold) {
  return {.ask = Ask::kWaitFor, .think = think, .wait = std::chrono::seconds(5), .hold = hold};
}

std::vector<ResultRow> RowsOf(CampaignOptions options, std::string_view scenario,
                              std::uint64_t runs) {
  options.scenarios = {FindScenario(scenario)};
  options.runs = runs;
  return RunCampaign(options).report.results;
}

TEST(OneObjectTest, UsersOfOneProcessUseOneObjectAndExcludeEachOther) {
  int objects = 0;
  const auto subject = testing::PlainSubject(
      {.on_new_lock = [&](const harness::LockOptions& /*options*/) { ++objects; }});
  const RunResult run = RunOf(*subject, TwoUsers({Waits({}, milliseconds(300))},
                                                 {Waits(milliseconds(100), milliseconds(300))}));
  EXPECT_EQ(objects, 2) << "one for both, and one for the probe";
  EXPECT_TRUE(run.goals.Has(Goal::kContended));
  EXPECT_TRUE(run.goals.Has(Goal::kWaiterGranted));
  ASSERT_EQ(run.histories.size(), 1U);
  std::set<int> holders;
  for (const ClientHold& hold : run.histories[0].history.holds) holders.insert(hold.client);
  EXPECT_EQ(holders, (std::set<int>{0, 1, 2}));
}

// What one of them sends is shown in its own column, as far as its task sends it.
TEST(OneObjectTest, ACommandIsItsUsersWhoseTaskSendsIt) {
  const auto subject = testing::PlainSubject();
  const RunResult run = RunOf(*subject, TwoUsers({}, {Waits(milliseconds(100), milliseconds(10))}));
  const auto is_set_of = [](int process) {
    return [process](const sim::TraceEvent& event) {
      return event.kind == sim::TraceKind::kSend && event.process == process &&
             event.text.starts_with("SET ");
    };
  };
  EXPECT_TRUE(std::any_of(run.events.begin(), run.events.end(), is_set_of(1)));
  EXPECT_FALSE(std::any_of(run.events.begin(), run.events.end(), is_set_of(0)));
}

TEST(OneObjectTest, AFaultOfTheProcessStrikesAllItsUsers) {
  for (const std::size_t planned : {0U, 1U}) {
    Workload workload =
        TwoUsers({Waits({}, milliseconds(300))}, {Waits(milliseconds(100), milliseconds(300))});
    workload.clients[planned].faults = {{.kind = sim::FaultKind::kCrash, .step = 12}};
    const RunResult run = RunOf(*testing::PlainSubject(), workload);
    ASSERT_EQ(run.faults, 1);
    const History& history = run.histories[0].history;
    ASSERT_EQ(history.deaths.size(), 2U);
    EXPECT_EQ(history.deaths[0].client, 0);
    EXPECT_EQ(history.deaths[1].client, 1);
    EXPECT_EQ(history.deaths[0].at, history.deaths[1].at);
  }
}

/// Whose task removes the entry of another user is convicted as another process would be.
TEST(OneObjectTest, AReleaseOfAnotherUsersLockIsForeign) {
  Operation late = Waits({}, milliseconds(990));
  late.overstay = milliseconds(300);
  const Workload workload = TwoUsers({late}, {Waits(milliseconds(50), milliseconds(900))});
  const auto blind = testing::PlainSubject({.release_blindly = true});
  const RunResult run = RunOf(*blind, workload);
  const Violation* released = run.Find(Judged::kForeignRelease);
  ASSERT_NE(released, nullptr);
  EXPECT_EQ(released->client, 0);
  EXPECT_THAT(released->what, ::testing::HasSubstr("while C2 owned it"));
}

TEST(OneObjectTest, LocksThatDoNotPromiseItAreNotAskedTo) {
  EXPECT_FALSE(Applies(*FindScenario("one-object"), {}));
  EXPECT_TRUE(Applies(*FindScenario("one-object"), {.concurrent = true}));
  EXPECT_FALSE(Applies(*FindScenario("one-object-permits"), {.concurrent = true}));
  EXPECT_TRUE(Applies(*FindScenario("one-object-permits"),
                      {.kind = harness::Permits{}, .concurrent = true}));
}

TEST(OneObjectTest, ASoundLockWhoseOwnTaskWorksForAllIsAcquitted) {
  CampaignOptions options;
  options.entries = {{testing::WorkerSubject(), false, {}}};
  const auto rows = RowsOf(options, "one-object", 1500);
  ASSERT_FALSE(rows.empty());
  for (const ResultRow& row : rows) {
    EXPECT_NE(row.verdict, Verdict::kViolated) << row.property << row.reason;
  }
}

TEST(OneObjectTest, WhatIsKeptInTheObjectIsConvictedWithinAHundredRuns) {
  CampaignOptions options;
  for (const Specimen& specimen : Specimens()) {
    if (!specimen.subject->name().ends_with("-in-object")) continue;
    options.entries.push_back({specimen.subject, true, {}});
  }
  ASSERT_EQ(options.entries.size(), 2U);
  const auto rows = RowsOf(options, "one-object", 100);
  for (const Specimen& specimen : Specimens()) {
    if (!specimen.subject->name().ends_with("-in-object")) continue;
    for (const Conviction& conviction : specimen.expected) {
      const auto row = std::find_if(rows.begin(), rows.end(), [&](const ResultRow& one) {
        return one.lock == specimen.subject->name() && one.property == conviction.property;
      });
      ASSERT_NE(row, rows.end());
      EXPECT_EQ(row->verdict, Verdict::kViolated) << row->lock << " " << row->property;
    }
  }
}

TEST(UsersTest, WithoutSharersEachClientIsItsProcess) {
  const Users users;
  EXPECT_EQ(users.ProcessOf(3), 3);
  EXPECT_FALSE(users.Of(3).several());
  EXPECT_EQ(users.SenderOf(3, 1), 3);
}

TEST(UsersTest, ATaskOfTheLocksOwnIsNobodys) {
  Users users;
  users.Share(1, 2);
  users.RunsOn(1, 0);
  users.RunsOn(2, 1);
  EXPECT_EQ(users.ProcessOf(2), 1);
  EXPECT_EQ(users.ProcessOf(3), 3);
  EXPECT_TRUE(users.Of(1).several());
  EXPECT_EQ(users.On(1, 0), 1);
  EXPECT_EQ(users.On(1, 1), 2);
  EXPECT_EQ(users.On(1, 2), std::nullopt);
  users.NoteSender(1, 1, 2);
  users.NoteSender(1, 2, std::nullopt);
  EXPECT_EQ(users.SenderOf(1, 1), 2);
  EXPECT_EQ(users.SenderOf(1, 2), std::nullopt);
  users.RunsOn(2, 5);  // in its next life
  EXPECT_EQ(users.On(1, 5), 2);
  EXPECT_EQ(users.On(1, 1), std::nullopt);
}

}  // namespace
}  // namespace interlock::scenarios
