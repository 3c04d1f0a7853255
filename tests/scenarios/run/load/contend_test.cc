// SPDX-License-Identifier: MIT
//
// Measurements of contention in virtual time, by the function and by the program.
#include "scenarios/run/load/contend.h"
#include "scenarios/cases/kind_model.h"

#include <fstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/contention_figures.h"
#include "reports/contention_json.h"
#include "scenarios/cli/gate_file.h"
#include "scenarios/locks/specimen.h"
#include "tests/scenarios/child_process.h"

namespace interlock::scenarios::contend {
namespace {

using ::testing::HasSubstr;
using namespace std::chrono_literals;
using scenarios::testing::ChildResult;
using scenarios::testing::ReadFile;
using scenarios::testing::RunChild;
using scenarios::testing::ScratchFolder;

ContendOptions FigureOf(const std::vector<std::string>& locks, std::vector<int> clients) {
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

ChildResult InterlockContend(std::vector<std::string> words) {
  words.insert(words.begin(), INTERLOCK_PROGRAM);
  return RunChild(words);
}

TEST(ContendTest, EverySoundLockThatIsNoLatchCanBeMeasured) {
  for (const auto& subject : SoundSubjects()) {
    SCOPED_TRACE(subject->name());
    const auto measured = MeasureSimulated(*subject, 3, FigureOf({}, {}).load, 1);
    EXPECT_EQ(measured.ok(), ModelOf(subject->traits().kind).held);
    if (!measured.ok()) continue;
    EXPECT_GT(measured->point.grants, 50U);
    EXPECT_GT(measured->point.server->busy_ns, 0);
    EXPECT_EQ(measured->point.overlap_ns, 0);
    EXPECT_EQ(measured->point.server->lost_unnoticed, 0U);
    EXPECT_EQ(measured->point.failed, 0U);
  }
}

TEST(ContendTest, TheFiguresDependOnTheSeedAndNotOnTheThreads) {
  ContendOptions options = FigureOf({"mutex", "redlock"}, {1, 4});
  options.jobs = 1;
  const std::string one = ToJson(Measured(options));
  options.jobs = 3;
  EXPECT_EQ(ToJson(Measured(options)), one);
  options.seed = 2;
  EXPECT_NE(ToJson(Measured(options)), one);
}

TEST(ContendTest, FirstComeFirstServedShowsInTheFigures) {
  const auto report = Measured(FigureOf({"fair-mutex", "mutex"}, {16}));
  ASSERT_EQ(report.points.size(), 2U);
  EXPECT_EQ(report.points[0].fairness.bypasses, 0U);
  EXPECT_GT(report.points[0].fairness.jain_grants, 0.99);
  EXPECT_GT(report.points[1].fairness.bypasses, 0U);
  EXPECT_LE(reports::FindFigure("commands_per_grant")->of(report.points[0]), 4.0);
}

TEST(ContendTest, PausesBeyondALeaseLoseLeasesAndShowOnTheTimeline) {
  ContendOptions options = FigureOf({"mutex"}, {4});
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
  ContendOptions options = FigureOf({"mutex"}, {4});
  options.load.interval = 20ms;  // 200 requests in a second, of 150 that can be served
  const auto report = Measured(options);
  const reports::ContentionPoint& point = report.points.front();
  EXPECT_GT(point.wait_from_intended.mean(), 2 * point.wait.mean());
}

TEST(ContendTest, LittlesLawHolds) {
  ContendOptions options = FigureOf({"fair-mutex"}, {8});
  options.load.duration = 20s;
  const auto report = Measured(options);
  const reports::ContentionPoint& point = report.points.front();
  const double by_law = static_cast<double>(point.grants) * static_cast<double>(point.wait.mean()) /
                        static_cast<double>(point.window_ns);
  EXPECT_NEAR(*reports::FindFigure("waiting_mean")->of(point), by_law, by_law / 50);
}

/// Python works out every figure from the traces of a measurement under these options.
void ExpectTheSameFromTheTrace(const std::vector<std::string>& locks,
                               const std::vector<std::string>& clients,
                               const std::vector<std::string>& options) {
  const ScratchFolder out;
  const auto joined = [](const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : ",") + word;
    return text;
  };
  std::vector<std::string> words = {"contend",       "--lock",  joined(locks), "--clients",
                                    joined(clients), "--trace", "--out",       out.path()};
  words.insert(words.end(), options.begin(), options.end());
  const ChildResult child = InterlockContend(words);
  ASSERT_EQ(child.exit_code, 0) << child.err;
  ASSERT_EQ(
      InterlockContend({"report", out.path(), "--format", "csv", "--out", out.path()}).exit_code,
      0);
  for (const std::string& lock : locks) {
    for (const std::string& count : clients) {
      const ChildResult again =
          RunChild({"/usr/bin/env", "python3", INTERLOCK_RECOMPUTE, out.path() + "/run.json",
                    out.path() + "/figures.csv",
                    out.path() + "/traces/" + lock + "." + count + ".jsonl", lock, count});
      EXPECT_EQ(again.out, "agree: 66 figures\n") << lock << " " << count << again.err;
    }
  }
}

TEST(ContendTest, AnotherProgramWorksTheSameFiguresOutFromTheTrace) {
  ExpectTheSameFromTheTrace(
      {"mutex", "fair-mutex", "redlock"}, {"1", "6"},
      {"--duration", "1s", "--resources", "2", "--faults", "pauses", "--lease", "200ms"});
}

TEST(ContendTest, AndSoItDoesOfAnOpenLoopWhoseClientsGiveUpAndOfRenewals) {
  ExpectTheSameFromTheTrace({"mutex", "fair-mutex"}, {"5"},
                            {"--duration", "2s", "--faults", "pauses", "--lease", "100ms",
                             "--patience", "40ms", "--arrivals", "open", "--interval", "30ms"});
  ExpectTheSameFromTheTrace({"mutex.renewed"}, {"3"},
                            {"--duration", "1s", "--lease", "50ms", "--hold", "200ms"});
}

TEST(GateFileTest, ThresholdsAreReadAsTheyStand) {
  const auto read = cli::ReadThresholds(
      "[[threshold]]\nlock = 'mutex'\nclients = 8\nmetric = 'wait_max_ns'\nmax = 50_000_000\n"
      "[[threshold]]\nmetric = 'commands_per_grant'\nmin = 3\nmax = 3.5\n");
  ASSERT_TRUE(read.value.has_value()) << read.error;
  ASSERT_EQ(read.value->size(), 2U);
  const reports::Threshold& first = read.value->front();
  EXPECT_EQ(first.lock, "mutex");
  EXPECT_EQ(first.clients, 8);
  EXPECT_EQ(first.metric, "wait_max_ns");
  EXPECT_EQ(first.most, 50e6);
  EXPECT_FALSE(first.least.has_value());
  EXPECT_EQ(read.value->back().lock, "*");
  EXPECT_EQ(read.value->back().least, 3);
  EXPECT_EQ(read.value->back().most, 3.5);
}

TEST(GateFileTest, WhatIsWrongInAFileIsNamedWithItsLine) {
  const auto error = [](const std::string& text) { return cli::ReadThresholds(text).error; };
  EXPECT_EQ(error(""), "it has no [[threshold]]");
  EXPECT_THAT(error("[[treshold]]\nmetric='x'\n"), HasSubstr("unknown key \"treshold\""));
  EXPECT_THAT(error("[[threshold]]\nmetric='wait_p98_ns'\nmax=1"),
              HasSubstr("line 2: unknown figure \"wait_p98_ns\""));
  EXPECT_THAT(error("[[threshold]]\nmetric='abandoned'\n"), HasSubstr("needs max or min"));
  EXPECT_THAT(error("[[threshold]]\nmax=1\n"), HasSubstr("needs a metric"));
  EXPECT_THAT(error("[[threshold]]\nmetric='abandoned'\nmin=2\nmax=1\n"),
              HasSubstr("min is more than max"));
  EXPECT_THAT(error("[[threshold]]\nmetric='abandoned'\nmax='1'"),
              HasSubstr("line 3: max must be a number"));
  EXPECT_THAT(error("[[threshold]]\nmetric='abandoned'\nmax=nan"), HasSubstr("a number"));
  EXPECT_THAT(error("[[threshold]]\nclients=0\n"), HasSubstr("1 or more"));
  EXPECT_THAT(error("[[threshold]\n"), HasSubstr("line 1"));
}

TEST(ContendTest, AThresholdThatIsCrossedIsExitCodeThreeAndAnotherRunIsComparedWithTheFirst) {
  const ScratchFolder out;
  const std::string gate = out.path() + "/gate.toml";
  std::ofstream(gate) << "[[threshold]]\nmetric = 'wait_max_ns'\nmax = 1\n";
  const std::vector<std::string> words = {"contend", "--lock",     "mutex", "--clients",
                                          "2",       "--duration", "1s"};
  auto with = [&words](const std::vector<std::string>& more) {
    std::vector<std::string> all = words;
    all.insert(all.end(), more.begin(), more.end());
    return InterlockContend(all);
  };
  const ChildResult crossed = with({"--gate", gate, "--out", out.path()});
  EXPECT_EQ(crossed.exit_code, 3) << crossed.err;
  EXPECT_THAT(crossed.out, HasSubstr("FAIL          mutex at 2 clients: wait_max_ns <= 1 (1 ns):"));
  const ChildResult again = with({"--baseline", out.path()});
  EXPECT_EQ(again.exit_code, 0);
  EXPECT_THAT(again.out, HasSubstr("identical to the earlier measurement"));
  EXPECT_EQ(with({"--baseline", gate}).exit_code, 65);
  EXPECT_EQ(with({"--gate", out.path() + "/none.toml"}).exit_code, 65);
  const ChildResult rendered = InterlockContend(
      {"report", out.path(), "--format", "html,junit,csv,markdown,text,hgrm", "--out", out.path()});
  EXPECT_EQ(rendered.exit_code, 3) << "a stored run says what it said: " << rendered.err;
  EXPECT_THAT(ReadFile(out.path() + "/report.html"), HasSubstr("</html>"));
  EXPECT_THAT(ReadFile(out.path() + "/waits/mutex.2.hgrm"), HasSubstr("#[Max"));
  EXPECT_THAT(InterlockContend({"report", out.path(), "--format", "perfetto"}).err,
              HasSubstr("nothing to show in this format"));
}

TEST(GalleryTest, IsMadeByOneCommand) {
  const ScratchFolder out;
  const ChildResult made = RunChild({INTERLOCK_GALLERY, out.path(), INTERLOCK_PROGRAM});
  ASSERT_EQ(made.exit_code, 0) << made.err;
  for (const std::string part : {"check", "contend", "pauses"}) {
    EXPECT_THAT(made.out, HasSubstr(out.path() + "/" + part + "/report.html"));
    EXPECT_THAT(ReadFile(out.path() + "/" + part + "/report.html"), HasSubstr("</html>"));
  }
  EXPECT_THAT(ReadFile(out.path() + "/contend/waits/redlock.64.hgrm"), HasSubstr("#[Max"));
}

TEST(ContendTest, WhatCannotBeMeasuredIsAUsageError) {
  const auto error = [](std::vector<std::string> words) {
    words.insert(words.begin(), "contend");
    const ChildResult child = InterlockContend(words);
    EXPECT_EQ(child.exit_code, 64) << child.out;
    return child.err;
  };
  EXPECT_THAT(error({"--lock", "mutx"}), HasSubstr("did you mean \"mutex\"?"));
  EXPECT_THAT(error({"--lock", "count-down-latch"}), HasSubstr("nobody contends for it"));
  EXPECT_THAT(error({"--lock", "mutex", "--clients", "4,2"}), HasSubstr("is not a rising list"));
  EXPECT_THAT(error({"--lock", "mutex", "--clients", "0"}), HasSubstr("from 1 to 1000"));
  EXPECT_THAT(error({"--lock", "mutex", "--hold", "5"}), HasSubstr("use 500us, 5ms"));
  EXPECT_THAT(error({"--lock", "mutex", "--lease", "1us"}), HasSubstr("too short"));
  EXPECT_THAT(error({"--lock", "mutex", "--arrivals", "open"}), HasSubstr("--interval"));
  EXPECT_THAT(error({"--lock", "mutex", "--trace"}), HasSubstr("--out DIR"));
  EXPECT_THAT(error({"--lock", "mutex", "--processes"}), HasSubstr("needs --redis"));
  EXPECT_THAT(error({"--lock", "mutex", "--redis", "spawn", "--faults", "pauses"}),
              HasSubstr("virtual time only"));
  EXPECT_THAT(error({"--lock", "mutex", "--redis", "http://x"}), HasSubstr("URL"));
}

}  // namespace
}  // namespace interlock::scenarios::contend
