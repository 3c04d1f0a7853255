// SPDX-License-Identifier: MIT
//
// A lock under test may spin, crash, leave the process or the simulation. That costs its own rows:
// they fail, with a token whose replay shows the steps up to there; all others are judged.
#include <cstdlib>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/json_writer.h"
#include "scenarios/cases/replay_token.h"
#include "scenarios/run/guard.h"
#include "tests/scenarios/child_process.h"

namespace interlock::scenarios {
namespace {

using testing::ChildResult;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::ReadFile;
using testing::RunChild;
using testing::ScratchFolder;

ChildResult Check(const std::string& locks, const std::string& out, const std::string& jobs = "1") {
  return RunChild({INTERLOCK_MISBEHAVING, "check", "--lock", locks, "--scenario", "contention",
                   "--runs", "10", "--watchdog", "2", "--jobs", jobs, "--out", out});
}

reports::RunReport ReportIn(const std::string& folder) {
  const auto read = reports::ReadRunReport(ReadFile(folder + "/run.json"));
  EXPECT_TRUE(read.value.has_value()) << read.error;
  return read.value.value_or(reports::RunReport());
}

std::vector<reports::ResultRow> RowsOf(const reports::RunReport& report, const std::string& lock) {
  std::vector<reports::ResultRow> rows;
  for (const reports::ResultRow& row : report.results) {
    if (row.lock == lock) rows.push_back(row);
  }
  return rows;
}

/// What another lock's rows say, whoever is beside it.
std::string Verdicts(const std::vector<reports::ResultRow>& rows) {
  std::string text;
  for (const reports::ResultRow& row : rows) {
    text += row.scenario + " " + row.property + " " + std::string(ToString(row.verdict)) + " " +
            std::to_string(row.exercised) + " " + std::to_string(row.runs) + "\n";
  }
  return text;
}

/// The lock's rows fail for this reason, those of the lock beside it stand, and its token leads to
/// the same end.
void ExpectEnd(const std::string& lock, const std::string& reason) {
  const ScratchFolder folder;
  const std::string out = folder.path() + "/not-there-yet";
  const ChildResult child = Check("mutex," + lock, out);
  EXPECT_EQ(child.exit_code, 1) << child.out << child.err;
  const reports::RunReport report = ReportIn(out);
  EXPECT_EQ(report.status, reports::RunStatus::kComplete);
  const auto rows = RowsOf(report, lock);
  ASSERT_FALSE(rows.empty()) << child.out;
  EXPECT_EQ(rows.back().code, "LK017");
  EXPECT_EQ(rows.back().verdict, reports::Verdict::kViolated);
  for (const reports::ResultRow& row : rows) {
    EXPECT_FALSE(row.pass) << row.property;
    EXPECT_THAT(row.reason, HasSubstr(reason));
    EXPECT_EQ(row.replay, rows.back().replay);
  }
  const auto others = RowsOf(report, "mutex");
  ASSERT_FALSE(others.empty());
  for (const reports::ResultRow& row : others) EXPECT_EQ(row.runs, 10U) << row.property;

  const std::string token = rows.back().replay.value_or("");
  const ChildResult replayed =
      RunChild({INTERLOCK_MISBEHAVING, "replay", token, "--watchdog", "2"});
  EXPECT_EQ(replayed.exit_code, 1) << replayed.err;
  EXPECT_THAT(replayed.out, HasSubstr("LK017 THE LOCK TOOK ITS PROCESS DOWN"));
  EXPECT_THAT(replayed.out, HasSubstr("lock " + reason));
  EXPECT_THAT(replayed.out, HasSubstr("time (ms)"));
}

TEST(MisbehavingLockTest, AnEndlessLoopIsEndedByTheWatchdog) {
  ExpectEnd("test/spinning", "made no progress for 2 s");
}

TEST(MisbehavingLockTest, WhereALockMakesNoProgressIsPrinted) {
  const ScratchFolder folder;
  const std::string text = Check("test/blocking,test/spinning-thread", folder.path()).err;
  EXPECT_THAT(text, HasSubstr("makes no progress here"));
  EXPECT_THAT(text, HasSubstr("read"));
  EXPECT_THAT(text, Not(HasSubstr("condition_variable"))) << "who waits for a thread that spins";
}

// What the simulated C library lacks is no fault of a lock that was compiled for a real one.
TEST(MisbehavingLockTest, CallingWhatNoSimulatedProcessHasIsInconclusive) {
  const ScratchFolder folder;
  const ChildResult child = Check("mutex,test/forking", folder.path());
  EXPECT_EQ(child.exit_code, 2) << child.out << child.err;
  const auto rows = RowsOf(ReportIn(folder.path()), "test/forking");
  ASSERT_FALSE(rows.empty()) << child.out;
  for (const reports::ResultRow& row : rows) {
    EXPECT_EQ(row.verdict, reports::Verdict::kInconclusive) << row.property;
    EXPECT_THAT(row.reason, HasSubstr("escaped the simulation by calling fork"));
  }
  EXPECT_THAT(child.err, HasSubstr("Called from"));

  // Where such a lock runs in the program itself, the guard prints a token.
  const std::string run = "v2:test/forking:contention:none:r1";
  const std::string token = fmt::format("{}:{:08x}", run, TokenCheckSum(run));
  const ChildResult replayed =
      RunChild({INTERLOCK_MISBEHAVING, "replay", token, "--watchdog", "2"});
  EXPECT_EQ(replayed.exit_code, 2) << replayed.out << replayed.err;
  EXPECT_THAT(replayed.out, HasSubstr("escaped the simulation by calling fork"));
}

TEST(MisbehavingLockTest, AWaitForWhatNeverComesIsEndedByTheWatchdog) {
  ExpectEnd("test/blocking", "made no progress for 2 s");
}

TEST(MisbehavingLockTest, AnAbortIsTheLocksFault) { ExpectEnd("test/aborting", "aborted"); }

TEST(MisbehavingLockTest, AnExceptionThatLeavesTheLockIsItsFault) {
  ExpectEnd("test/throwing", "aborted");
}

TEST(MisbehavingLockTest, TerminatingIsTheLocksFault) { ExpectEnd("test/terminating", "aborted"); }

TEST(MisbehavingLockTest, AnEndlessRecursionIsTheLocksFault) {
  ExpectEnd("test/recursing", "overflowed its stack");
}

TEST(MisbehavingLockTest, AnAccessToNullIsTheLocksFault) {
  ExpectEnd("test/null", "crashed (SIGSEGV)");
}

TEST(MisbehavingLockTest, ReadingARealClockEscapesTheSimulation) {
  ExpectEnd("test/escaping", "escaped the simulation by calling clock_gettime");
}

TEST(MisbehavingLockTest, LeavingTheProcessIsTheLocksFault) {
  ExpectEnd("test/exiting", "ended its process: exit(0)");
  ExpectEnd("test/leaving", "ended its process: exit(3)");
}

TEST(MisbehavingLockTest, TakingAllMemoryIsTheLocksFault) {
  const ScratchFolder folder;
  // To fill a GiB may take longer than others may spin.
  const ChildResult child =
      RunChild({INTERLOCK_MISBEHAVING, "check", "--lock", "test/hoarding", "--scenario",
                "contention", "--runs", "10", "--out", folder.path()});
  EXPECT_EQ(child.exit_code, 1) << child.err;
  EXPECT_THAT(ReportIn(folder.path()).results.back().reason,
              HasSubstr("took more memory than its process may have"));
}

TEST(MisbehavingLockTest, ACrashAnywhereInTheLockIsItsFault) {
  ExpectEnd("test/null-in-release", "crashed (SIGSEGV)");
  ExpectEnd("test/null-in-owners", "crashed (SIGSEGV)");
}

// The scenario is one in which holders extend.
TEST(MisbehavingLockTest, ACrashInExtendIsTheLocksFault) {
  const ScratchFolder folder;
  const ChildResult child =
      RunChild({INTERLOCK_MISBEHAVING, "check", "--lock", "test/null-in-extend", "--scenario",
                "overstay", "--runs", "20", "--out", folder.path()});
  EXPECT_EQ(child.exit_code, 1) << child.err;
  EXPECT_EQ(ReportIn(folder.path()).results.back().code, "LK017");
}

// What it prints is not what the program prints.
TEST(MisbehavingLockTest, ALockThatClosesStdoutCostsNothing) {
  const ScratchFolder folder;
  const ChildResult child = Check("test/silent", folder.path());
  EXPECT_THAT(child.out, HasSubstr("test/silent"));
  for (const reports::ResultRow& row : ReportIn(folder.path()).results) {
    EXPECT_NE(row.code, "LK017");
    EXPECT_EQ(row.runs, 10U);
  }
}

TEST(MisbehavingLockTest, WithJsonTheReportIsOnStdout) {
  const ChildResult child = RunChild({INTERLOCK_MISBEHAVING, "check", "--lock", "test/aborting",
                                      "--scenario", "contention", "--runs", "10", "--json"});
  EXPECT_EQ(child.exit_code, 1);
  const auto read = reports::ReadRunReport(child.out);
  ASSERT_TRUE(read.value.has_value()) << read.error;
  EXPECT_EQ(read.value->results.back().code, "LK017");
}

// Also where it runs in the process that prints.
TEST(MisbehavingLockTest, AReplayOfALockThatClosesStdoutIsPrinted) {
  const ChildResult replayed =
      RunChild({INTERLOCK_MISBEHAVING, "replay",
                Encode({"test/silent", "contention", SynchronyClass::kNone, std::uint64_t{7}})});
  EXPECT_NE(replayed.exit_code, 70) << replayed.err;
  EXPECT_THAT(replayed.out, HasSubstr("test/silent"));
}

TEST(MisbehavingLockTest, ExploringALockThatCrashesShowsTheRun) {
  const ScratchFolder folder;
  const ChildResult child = RunChild({INTERLOCK_MISBEHAVING, "explore", "--lock", "test/null",
                                      "--clients", "2", "--out", folder.path()});
  EXPECT_EQ(child.exit_code, 1) << child.err;
  EXPECT_THAT(child.out, HasSubstr("LK017 THE LOCK TOOK ITS PROCESS DOWN"));
  EXPECT_EQ(ReportIn(folder.path()).results.back().code, "LK017");
}

TEST(MisbehavingLockTest, MeasuringALockThatCrashesCostsNoOtherItsFigures) {
  const ChildResult child = RunChild({INTERLOCK_MISBEHAVING, "contend", "--lock", "mutex,test/null",
                                      "--clients", "2", "--duration", "1s"});
  EXPECT_EQ(child.exit_code, 1) << child.err;
  EXPECT_THAT(child.out, HasSubstr("mutex"));
  EXPECT_THAT(child.out, HasSubstr("test/null: not measured: the lock crashed (SIGSEGV)"));
}

// What is left of a process that crashed ends with the run, where its calls fail unnaturally.
TEST(MisbehavingLockTest, WhatAThreadOfACrashedProcessMakesOfTheEndOfTheRunIsNoNews) {
  const ScratchFolder folder;
  RunChild({INTERLOCK_MISBEHAVING, "check", "--lock", "test/strict-loop", "--scenario", "crash",
            "--runs", "50", "--out", folder.path()});
  const auto rows = RowsOf(ReportIn(folder.path()), "test/strict-loop");
  ASSERT_FALSE(rows.empty());
  for (const auto& row : rows) EXPECT_TRUE(row.code != "LK017" && row.runs == 50U) << row.reason;
}

// Whoever cannot even be asked its name has one made up, and fails by it.
TEST(MisbehavingLockTest, ASubjectThatCrashesWhenItIsAskedFailsAlone) {
  const ScratchFolder folder;
  const ChildResult child =
      RunChild({INTERLOCK_MISBEHAVING, "check", "--lock", "mutex,unnamed-*,test/null-in-traits",
                "--scenario", "contention", "--runs", "10", "--out", folder.path()});
  EXPECT_EQ(child.exit_code, 1) << child.err;
  const reports::RunReport report = ReportIn(folder.path());
  std::size_t crashes = 0;
  for (const reports::ResultRow& row : report.results) crashes += row.code == "LK017" ? 1 : 0;
  EXPECT_EQ(crashes, 2U) << child.out;
  EXPECT_EQ(RowsOf(report, "mutex").front().runs, 10U);
}

// The table has a statement about it only where it happened.
TEST(MisbehavingLockTest, AGuaranteeTableHasTheOtherLocksAsIfAlone) {
  const std::vector<std::string> table = {
      INTERLOCK_MISBEHAVING, "guarantees", "--faults", "client-clock", "--runs", "10", "--lock"};
  auto alone = table;
  alone.emplace_back("mutex");
  EXPECT_THAT(RunChild(alone).out, ::testing::Not(HasSubstr("LK017")));
  auto both = table;
  both.emplace_back("mutex,test/null");
  const ChildResult child = RunChild(both);
  EXPECT_EQ(child.exit_code, 1) << child.err;
  EXPECT_THAT(child.out, HasSubstr("test/null LK017"));
  EXPECT_THAT(child.out, ::testing::Not(HasSubstr("mutex LK017")));
}

// Among the guilty the innocent are judged as if they were alone, with any number of threads.
TEST(MisbehavingLockTest, TheVerdictsDoNotDependOnThreadsOrNeighbours) {
  const ScratchFolder alone;
  const ScratchFolder one;
  const ScratchFolder three;
  Check("mutex", alone.path());
  const std::string locks = "mutex,fair-mutex,test/aborting,test/null,test/spinning,test/refusing";
  const ChildResult first = Check(locks, one.path(), "1");
  const ChildResult second = Check(locks, three.path(), "3");
  EXPECT_EQ(first.out, second.out);
  EXPECT_EQ(Verdicts(RowsOf(ReportIn(alone.path()), "mutex")),
            Verdicts(RowsOf(ReportIn(one.path()), "mutex")));
  EXPECT_EQ(ReportIn(one.path()).trace_hash, ReportIn(three.path()).trace_hash);
  EXPECT_EQ(RowsOf(ReportIn(one.path()), "test/refusing").back().runs, 10U);
}

// To wait for it in each scenario would hold up all others.
TEST(MisbehavingLockTest, AfterAHangTheRestOfTheLockIsNotRun) {
  const ScratchFolder folder;
  const ChildResult child = RunChild({INTERLOCK_MISBEHAVING, "check", "--lock", "test/spinning",
                                      "--scenario", "contention,pause,chaos", "--runs", "10",
                                      "--watchdog", "1", "--jobs", "2", "--out", folder.path()});
  EXPECT_EQ(child.exit_code, 1) << child.err;
  std::size_t crashes = 0;
  for (const reports::ResultRow& row : ReportIn(folder.path()).results) {
    EXPECT_FALSE(row.pass);
    crashes += row.code == "LK017" ? 1 : 0;
    if (row.scenario != "contention") {
      EXPECT_THAT(row.reason, HasSubstr("the lock hung in"));
    }
  }
  EXPECT_EQ(crashes, 1U);
}

TEST(MisbehavingLockTest, ACrashInAnExplorationIsARowOfIt) {
  const ScratchFolder folder;
  const ChildResult child = RunChild({INTERLOCK_MISBEHAVING, "check", "--lock", "test/null",
                                      "--scenario", "chaos", "--out", folder.path()});
  EXPECT_EQ(child.exit_code, 1) << child.err;
  const reports::ResultRow row = ReportIn(folder.path()).results.back();
  EXPECT_EQ(row.code, "LK017");
  ASSERT_TRUE(row.proof.has_value());
  const ChildResult replayed = RunChild({INTERLOCK_MISBEHAVING, "replay", row.replay.value_or("")});
  EXPECT_EQ(replayed.exit_code, 1) << replayed.err;
  EXPECT_THAT(replayed.out, HasSubstr("crashed (SIGSEGV)"));
}

// Shards know of each other's crashes only once they are merged.
TEST(MisbehavingLockTest, ShardsOfACrashMergeToTheWhole) {
  const ScratchFolder folder;
  const ScratchFolder merged;
  const ScratchFolder whole;
  const std::vector<std::string> campaign = {INTERLOCK_MISBEHAVING,
                                             "check",
                                             "--lock",
                                             "mutex,test/null,test/refusing",
                                             "--scenario",
                                             "contention,overstay",
                                             "--runs",
                                             "300",
                                             "--out"};
  auto all = campaign;
  all.push_back(whole.path());
  RunChild(all);
  for (const std::string shard : {"1/2", "2/2"}) {
    auto part = campaign;
    part.insert(part.end(), {folder.path(), "--shard", shard});
    RunChild(part);
  }
  RunChild({INTERLOCK_MISBEHAVING, "report", "merge", folder.path() + "/run.shard-1-of-2.json",
            folder.path() + "/run.shard-2-of-2.json", "--out", merged.path()});
  for (const std::string lock : {"mutex", "test/null", "test/refusing"}) {
    EXPECT_EQ(Verdicts(RowsOf(ReportIn(whole.path()), lock)),
              Verdicts(RowsOf(ReportIn(merged.path()), lock)));
  }
  EXPECT_EQ(ReportIn(whole.path()).trace_hash, ReportIn(merged.path()).trace_hash);
}

// The packed token is what must be printed again: it is the only name that this run has.
TEST(MisbehavingLockTest, AShrunkRunIsNamedByItsOwnToken) {
  PackedRun packed;
  packed.workload.lease = std::chrono::seconds(1);
  packed.workload.permits = 1;
  ClientPlan client;
  client.operations.resize(300);  // more than fits into any small buffer
  packed.workload.clients = {client, client};
  const std::string token = Encode({"test/aborting", "contention", SynchronyClass::kNone, packed});
  ASSERT_GT(token.size(), 1500U);
  const ChildResult child = RunChild({INTERLOCK_MISBEHAVING, "replay", token});
  EXPECT_EQ(child.exit_code, 1) << child.err;
  EXPECT_THAT(child.out, HasSubstr(" replay '" + token + "'\n"));
}

// The replay line then leads to the run that was found, not to the case that ended the process.
TEST(MisbehavingLockDeathTest, ACrashWhileShrinkingSaysSo) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        InstallGuard({});
        const GuardedThread thread;
        const GuardedRun run("mutex", "chaos", SynchronyClass::kNone, 7, GuardPhase::kShrinking);
        std::abort();
      },
      ::testing::ExitedWithCode(70),
      "mutex in chaos .class none. aborted in a smaller case, while shrinking\n"
      "the run that was being shrunk.*\nreplay   ./interlock replay 'v2:mutex:chaos:none:r7:");
}

// Its runs cannot be repeated, so nothing that was seen in them is its fault or its merit.
TEST(MisbehavingLockTest, ALockThatRemembersEarlierRunsIsAnInternalFaultAndGetsNoVerdict) {
  const ScratchFolder folder;
  const ChildResult child =
      RunChild({INTERLOCK_MISBEHAVING, "check", "--lock", "test/remembering", "--scenario",
                "contention", "--runs", "500", "--out", folder.path()});
  EXPECT_EQ(child.exit_code, 70) << child.err;
  const auto read = reports::ReadRunReport(ReadFile(folder.path() + "/run.json"));
  ASSERT_TRUE(read.value.has_value()) << read.error;
  EXPECT_GT(read.value->totals.divergences, 0U);
  for (const reports::ResultRow& row : read.value->results) {
    if (row.code == "LK016") continue;
    EXPECT_EQ(row.verdict, reports::Verdict::kInconclusive) << row.property;
    EXPECT_THAT(row.reason, HasSubstr("diverged"));
  }
  EXPECT_THAT(child.out, HasSubstr("(LK016)"));
}

// A lock that never grants crashes nothing; it is convicted by the ordinary way.
TEST(MisbehavingLockTest, ALockThatNeverGrantsIsNoCrash) {
  const ScratchFolder folder;
  const ChildResult child = Check("test/refusing", folder.path());
  EXPECT_EQ(child.signal, 0);
  EXPECT_NE(child.exit_code, 0);
  const auto read = reports::ReadRunReport(ReadFile(folder.path() + "/run.json"));
  ASSERT_TRUE(read.value.has_value()) << read.error;
  EXPECT_EQ(read.value->status, reports::RunStatus::kComplete);
}

}  // namespace
}  // namespace interlock::scenarios
