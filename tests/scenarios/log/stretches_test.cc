// SPDX-License-Identifier: MIT
//
// What is told of a run to viewers that draw time: which rows begin and end a request, who believed
// to hold the lock and whom the server had as its owner.
#include "scenarios/log/stretches.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "scenarios/log/event_rows.h"
#include "scenarios/run/run.h"
#include "sim/choices.h"
#include "sim/universe.h"
#include "tests/scenarios/plain_subject.h"

namespace interlock::scenarios {
namespace {

using reports::SpanChange;
using reports::Stretch;
using reports::StretchKind;
using std::chrono::milliseconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

/// The first client holds past its lease, because it is paused; the second is granted meanwhile and
/// loses the lock to the first one's release.
struct Overtaken {
  Overtaken() {
    workload.lease = milliseconds(1000);
    workload.latency_max = milliseconds(1);
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
    workload.clients = {holder, waiter};
    sim::Choices choices = sim::Choices::FromTape({});
    run = RunOnce(universe, run_case, workload, choices, true);
  }

  std::vector<reports::TableRow> Rows() const {
    return TableOf(run, *run.Find(Judged::kForeignRelease), "", 3).rows;
  }

  std::shared_ptr<const harness::Subject> subject =
      testing::PlainSubject({.release_blindly = true});
  RunCase run_case{subject.get(), FindScenario("chaos"), SynchronyClass::kArbitrary};
  sim::Universe universe;
  Workload workload;
  RunResult run;
};

std::vector<Stretch> StretchOf(const std::vector<Stretch>& all, StretchKind kind,
                               std::size_t column) {
  std::vector<Stretch> some;
  for (const Stretch& one : all) {
    if (one.kind == kind && one.column == column) some.push_back(one);
  }
  return some;
}

TEST(StretchesTest, BeliefsAndOwnersAreWhatTheRunWas) {
  const Overtaken overtaken;
  ASSERT_NE(overtaken.run.Find(Judged::kForeignRelease), nullptr);
  const std::vector<Stretch> all = StretchesOf(overtaken.run, overtaken.Rows());
  const auto first = StretchOf(all, StretchKind::kOwner, 0);
  const auto second = StretchOf(all, StretchKind::kOwner, 1);
  ASSERT_THAT(first, SizeIs(1));
  ASSERT_THAT(second, SizeIs(1));
  EXPECT_EQ(first[0].resource, "jobs:42");
  EXPECT_EQ(first[0].end, "expired");
  EXPECT_EQ(second[0].end, "removed by another client");
  ASSERT_TRUE(first[0].to_ns && second[0].to_ns);
  EXPECT_LE(*first[0].to_ns, second[0].from_ns) << "one owner at a time";
  const auto belief = StretchOf(all, StretchKind::kBelief, 1);
  ASSERT_THAT(belief, SizeIs(1));
  ASSERT_TRUE(belief[0].to_ns);
  EXPECT_LT(belief[0].from_ns, *second[0].to_ns);
  EXPECT_GT(*belief[0].to_ns, *second[0].to_ns) << "it did not know that it had lost the lock";
}

TEST(StretchesTest, WhatBeginsAfterTheLastRowIsLeftOut) {
  const Overtaken overtaken;
  std::vector<reports::TableRow> rows = overtaken.Rows();
  while (rows.back().time_ns > 500'000'000) rows.pop_back();
  for (const Stretch& one : StretchesOf(overtaken.run, rows)) EXPECT_EQ(one.column, 0U);
  EXPECT_THAT(StretchesOf(overtaken.run, {}), IsEmpty());
}

TEST(StretchesTest, WithoutEventsThereAreNoHistoriesToPayFor) {
  Overtaken overtaken;
  sim::Choices choices = sim::Choices::FromTape({});
  const RunResult bare =
      RunOnce(overtaken.universe, overtaken.run_case, overtaken.workload, choices);
  EXPECT_THAT(bare.histories, IsEmpty());
  EXPECT_EQ(bare.trace_hash, overtaken.run.trace_hash);
}

TEST(EventRowsTest, ARequestBeginsWithTheAskAndEndsWithItsAnswer) {
  const Overtaken overtaken;
  std::vector<std::string> of_second;
  for (const reports::TableRow& row : overtaken.Rows()) {
    const bool asks = row.span == SpanChange::kAskBegin || row.span == SpanChange::kAskEnd;
    if (row.column == 1 && asks) {
      of_second.push_back(std::string(ToString(row.span)) + " " + row.text);
    }
  }
  EXPECT_THAT(of_second, ElementsAre("ask-begin wait-for", "ask-end granted"));
}

sim::TraceEvent Note(std::int64_t ns, const char* text) {
  return {Duration(ns), 0, sim::TraceKind::kNote, text};
}

std::vector<std::string> SpansOf(std::vector<sim::TraceEvent> events) {
  RunResult run;
  run.events = std::move(events);
  Violation violation;
  violation.at = Duration(99);
  std::vector<std::string> spans;
  for (const reports::TableRow& row : TableOf(run, violation, "", 1).rows) {
    if (row.kind != reports::RowKind::kViolation) spans.emplace_back(ToString(row.span));
  }
  return spans;
}

TEST(EventRowsTest, OfSeveralResourcesEachRequestHasAnAnswer) {
  EXPECT_THAT(SpansOf({Note(1, "try: a"), Note(1, "try: b"), Note(2, "granted: a"),
                       Note(2, "granted: b"), Note(3, "released: a")}),
              ElementsAre("ask-begin", "ask-begin", "ask-end", "ask-end", "none"));
}

// A client that asks without end would else make a case of a hundred megabytes.
TEST(EventRowsTest, ManyThousandRowsBetweenTwoBarsAreFewAndTheBarsStay) {
  RunResult run;
  run.events = {Note(1, "enter section")};
  for (int i = 0; i < 5'000; ++i) run.events.push_back(Note(2, "timeout"));
  run.events.push_back(Note(3, "leave section"));
  for (int i = 0; i < 900; ++i) run.events.push_back(Note(4, "timeout"));
  run.events.push_back(Note(5, "enter section"));
  Violation violation;
  violation.at = Duration(99);
  std::vector<std::string> bars;
  const auto rows = TableOf(run, violation, "", 1).rows;
  for (const reports::TableRow& row : rows) {
    if (row.span != SpanChange::kNone) bars.emplace_back(ToString(row.span));
  }
  EXPECT_THAT(bars, ElementsAre("section-begin", "section-end", "section-begin"));
  EXPECT_EQ(rows.size(), 1 + (24 + 1 + 8) + 1 + 900 + 1 + 1U);
  EXPECT_EQ(rows[25].text, "... and so on, 4968 rows ...");
}

TEST(EventRowsTest, TheAnswerToAReleaseEndsNoRequest) {
  EXPECT_THAT(SpansOf({Note(1, "as a reader: try"), Note(2, "timeout"), Note(3, "release"),
                       Note(4, "not-owner")}),
              ElementsAre("ask-begin", "ask-end", "none", "none"));
}

TEST(EventRowsTest, WhoDiesIsNotAnswered) {
  EXPECT_THAT(SpansOf({Note(1, "wait"),
                       {Duration(2), 0, sim::TraceKind::kFault, "crash"},
                       Note(3, "not-owner")}),
              ElementsAre("ask-begin", "none", "none"));
}

}  // namespace
}  // namespace interlock::scenarios
