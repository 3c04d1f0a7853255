// SPDX-License-Identifier: MIT
//
// Measurements of contention in virtual time, by the function and by the program.
#include "scenarios/contend/contend.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/contention_figures.h"
#include "reports/contention_json.h"
#include "scenarios/specimen.h"
#include "tests/scenarios/child_process.h"

namespace interlock::scenarios::contend {
namespace {

using ::testing::HasSubstr;
using namespace std::chrono_literals;
using scenarios::testing::ChildResult;
using scenarios::testing::RunChild;
using scenarios::testing::ScratchFolder;

ContendOptions Of(const std::vector<std::string>& locks, std::vector<int> clients) {
  ContendOptions options;
  for (const std::string& lock : locks) {
    for (const auto& subject : SoundSubjects()) {
      if (subject->name() == lock) {
        options.entries.emplace_back().subject = subject;
      }
    }
  }
  EXPECT_EQ(options.entries.size(), locks.size());
  options.clients = std::move(clients);
  options.load.duration = 2s;
  options.load.warm_up = 200ms;
  return options;
}

reports::ContentionReport Measured(const ContendOptions& options) {
  auto report = Contend(options);
  EXPECT_TRUE(report.ok()) << report.status().ToString();
  return report.ok() ? std::move(report).value() : reports::ContentionReport();
}

ChildResult Interlock(std::vector<std::string> words) {
  words.insert(words.begin(), INTERLOCK_PROGRAM);
  return RunChild(words);
}

TEST(ContendTest, EverySoundLockThatIsNoLatchCanBeMeasured) {
  for (const auto& subject : SoundSubjects()) {
    SCOPED_TRACE(subject->name());
    const auto measured = MeasureSimulated(*subject, 3, Of({}, {}).load, 1);
    EXPECT_EQ(measured.ok(), !subject->traits().latch);
    if (!measured.ok()) continue;
    EXPECT_GT(measured->point.grants, 50U);
    EXPECT_GT(measured->point.server->busy_ns, 0);
    EXPECT_EQ(measured->point.overlap_ns, 0);
    EXPECT_EQ(measured->point.server->lost_unnoticed, 0U);
    EXPECT_EQ(measured->point.failed, 0U);
  }
}

TEST(ContendTest, TheFiguresDependOnTheSeedAndNotOnTheThreads) {
  ContendOptions options = Of({"mutex", "redlock"}, {1, 4});
  options.jobs = 1;
  const std::string one = ToJson(Measured(options));
  options.jobs = 3;
  EXPECT_EQ(ToJson(Measured(options)), one);
  options.seed = 2;
  EXPECT_NE(ToJson(Measured(options)), one);
}

TEST(ContendTest, FirstComeFirstServedShowsInTheFigures) {
  const auto report = Measured(Of({"fair-mutex", "mutex"}, {16}));
  ASSERT_EQ(report.points.size(), 2U);
  EXPECT_EQ(report.points[0].fairness.bypasses, 0U);
  EXPECT_GT(report.points[0].fairness.jain_grants, 0.99);
  EXPECT_GT(report.points[1].fairness.bypasses, 0U);
  EXPECT_LE(reports::FindFigure("commands_per_grant")->of(report.points[0]), 4.0);
}

TEST(ContendTest, PausesBeyondALeaseLoseLeasesAndShowOnTheTimeline) {
  ContendOptions options = Of({"mutex"}, {4});
  options.load.lease = 100ms;
  options.load.duration = 20s;
  options.load.faults = FaultProfile::kPauses;
  const auto report = Measured(options);
  const reports::ContentionPoint& point = report.points.front();
  EXPECT_GT(point.faults.size(), 2U);
  EXPECT_GT(point.server->lost_noticed, 2U);
  EXPECT_EQ(point.server->lost_unnoticed, 0U);
  EXPECT_GT(point.server->stale_work_ns, 0);
  EXPECT_GT(point.overlap_ns, 0);
}

TEST(ContendTest, AnOpenLoopCountsTheWaitBeforeAClientGetsRoundToAsking) {
  ContendOptions options = Of({"mutex"}, {4});
  options.load.interval = 20ms;  // 200 requests in a second, of 150 that can be served
  const auto report = Measured(options);
  const reports::ContentionPoint& point = report.points.front();
  EXPECT_GT(point.wait_from_intended.mean(), 2 * point.wait.mean());
}

TEST(ContendTest, LittlesLawHolds) {
  ContendOptions options = Of({"fair-mutex"}, {8});
  options.load.duration = 20s;
  const auto report = Measured(options);
  const reports::ContentionPoint& point = report.points.front();
  const double by_law = static_cast<double>(point.grants) * static_cast<double>(point.wait.mean()) /
                        static_cast<double>(point.window_ns);
  EXPECT_NEAR(*reports::FindFigure("waiting_mean")->of(point), by_law, by_law / 50);
}

TEST(ContendTest, AnotherProgramWorksTheSameFiguresOutFromTheTrace) {
  const ScratchFolder out;
  const ChildResult child =
      Interlock({"contend", "--lock", "mutex,fair-mutex,redlock", "--clients", "1,6", "--duration",
                 "3s", "--resources", "2", "--faults", "pauses", "--lease", "200ms", "--trace",
                 "--out", out.path()});
  ASSERT_EQ(child.exit_code, 0) << child.err;
  for (const std::string lock : {"mutex", "fair-mutex", "redlock"}) {
    for (const std::string clients : {"1", "6"}) {
      const ChildResult again =
          RunChild({"/usr/bin/env", "python3", INTERLOCK_RECOMPUTE, out.path() + "/run.json",
                    out.path() + "/traces/" + lock + "." + clients + ".jsonl", lock, clients});
      EXPECT_EQ(again.out, "agree: 13 figures\n") << lock << " " << clients << again.err;
    }
  }
}

TEST(ContendTest, WhatCannotBeMeasuredIsAUsageError) {
  const auto error = [](std::vector<std::string> words) {
    words.insert(words.begin(), "contend");
    const ChildResult child = Interlock(words);
    EXPECT_EQ(child.exit_code, 64) << child.out;
    return child.err;
  };
  EXPECT_THAT(error({"--lock", "mutx"}), HasSubstr("did you mean \"mutex\"?"));
  EXPECT_THAT(error({"--lock", "count-down-latch"}), HasSubstr("nobody contends for it"));
  EXPECT_THAT(error({"--lock", "mutex", "--clients", "4,2"}), HasSubstr("rising order"));
  EXPECT_THAT(error({"--lock", "mutex", "--clients", "0"}), HasSubstr("from 1 to 1000"));
  EXPECT_THAT(error({"--lock", "mutex", "--hold", "5"}), HasSubstr("write 500us, 5ms"));
  EXPECT_THAT(error({"--lock", "mutex", "--lease", "1us"}), HasSubstr("too short"));
  EXPECT_THAT(error({"--lock", "mutex", "--arrivals", "open"}), HasSubstr("--interval"));
  EXPECT_THAT(error({"--lock", "mutex", "--trace"}), HasSubstr("--out DIR"));
}

}  // namespace
}  // namespace interlock::scenarios::contend
