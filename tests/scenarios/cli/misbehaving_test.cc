// SPDX-License-Identifier: MIT
//
// A lock under test may spin, crash or leave the simulation. The gate must then say which lock it
// was and where, leave a partial run.json, give a line to replay it with, and fail.
#include <cstdlib>

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
using testing::ReadFile;
using testing::RunChild;
using testing::ScratchFolder;
using testing::TokenIn;

ChildResult Check(const std::string& lock, const std::string& out) {
  return RunChild({INTERLOCK_MISBEHAVING, "check", "--lock", lock, "--scenario", "contention",
                   "--runs", "10", "--watchdog", "2", "--out", out});
}

void ExpectPartialReport(const std::string& json, const std::string& reason) {
  const auto read = reports::ReadRunReport(json);
  ASSERT_TRUE(read.value.has_value()) << read.error << "\n" << json;
  EXPECT_EQ(read.value->status, reports::RunStatus::kPartial);
  ASSERT_EQ(read.value->notes.size(), 1U);
  EXPECT_THAT(read.value->notes[0], HasSubstr(reason));
}

/// The lock fails the gate for this reason, and its replay line leads to the same end.
void ExpectEnd(const std::string& lock, const std::string& reason) {
  const ScratchFolder folder;
  const std::string out = folder.path() + "/not-there-yet";
  const ChildResult child = Check(lock, out);
  EXPECT_EQ(child.exit_code, 1) << child.err;
  EXPECT_THAT(child.err, HasSubstr("the lock " + lock + " in contention (class none) " + reason));
  ExpectPartialReport(ReadFile(out + "/run.json"), reason);

  const std::string token = TokenIn(child.err);
  const auto decoded = DecodeReplayToken(token);
  ASSERT_TRUE(decoded.ok()) << decoded.status().ToString() << "\n" << child.err;
  EXPECT_EQ(decoded->lock, lock);
  EXPECT_EQ(decoded->scenario, "contention");
  const ChildResult replayed =
      RunChild({INTERLOCK_MISBEHAVING, "replay", token, "--watchdog", "2"});
  EXPECT_EQ(replayed.exit_code, 1) << replayed.err;
  EXPECT_THAT(replayed.err,
              HasSubstr("the lock " + lock + " in contention (class none) " + reason));
}

TEST(MisbehavingLockTest, AnEndlessLoopIsEndedByTheWatchdog) {
  ExpectEnd("test/spinning", "made no progress");
}

TEST(MisbehavingLockTest, AnAbortIsTheLocksFault) { ExpectEnd("test/aborting", "aborted"); }

TEST(MisbehavingLockTest, AnExceptionThatLeavesTheLockIsItsFault) {
  ExpectEnd("test/throwing", "aborted");
}

TEST(MisbehavingLockTest, AnEndlessRecursionIsTheLocksFault) {
  ExpectEnd("test/recursing", "overflowed its stack");
}

TEST(MisbehavingLockTest, AnAccessToNullIsTheLocksFault) {
  ExpectEnd("test/null", "crashed (SIGSEGV)");
}

TEST(MisbehavingLockTest, ReadingARealClockEscapesTheSimulation) {
  ExpectEnd("test/escaping", "escaped the simulation");
}

TEST(MisbehavingLockTest, TheEscapedCallIsNamed) {
  const ScratchFolder folder;
  EXPECT_THAT(Check("test/escaping", folder.path()).err, HasSubstr("clock_gettime"));
}

TEST(MisbehavingLockTest, WithJsonThePartialReportIsOnStdout) {
  const ChildResult child = RunChild({INTERLOCK_MISBEHAVING, "check", "--lock", "test/aborting",
                                      "--scenario", "contention", "--runs", "10", "--json"});
  EXPECT_EQ(child.exit_code, 1);
  ExpectPartialReport(child.out, "aborted");
}

// One guilty lock among several threads' work: the innocent are not named.
TEST(MisbehavingLockTest, TheGuiltyLockIsNamedWhenOthersRunBesideIt) {
  const ChildResult child =
      RunChild({INTERLOCK_MISBEHAVING, "check", "--lock", "*[xg]", "--scenario", "contention",
                "--runs", "200", "--jobs", "3", "--watchdog", "2"});
  EXPECT_EQ(child.exit_code, 1);
  EXPECT_THAT(child.err, HasSubstr("the lock test/"));
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
  EXPECT_THAT(child.err, HasSubstr(" replay '" + token + "'\n"));
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

// What could not be compared is no pass.
TEST(MisbehavingLockTest, ASecondProcessThatFailsMakesTheReportInconclusive) {
  const ScratchFolder folder;
  const ChildResult child = Check("test/two-faced", folder.path());
  EXPECT_NE(child.exit_code, 0);
  const auto read = reports::ReadRunReport(ReadFile(folder.path() + "/run.json"));
  ASSERT_TRUE(read.value.has_value()) << read.error;
  ASSERT_FALSE(read.value->results.empty());
  const reports::ResultRow& row = read.value->results.back();
  EXPECT_EQ(row.code, "LK016");
  EXPECT_EQ(row.lock, "test/two-faced");
  EXPECT_EQ(row.verdict, reports::Verdict::kInconclusive);
  EXPECT_FALSE(row.pass);
  EXPECT_THAT(row.reason, HasSubstr("second process"));
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
