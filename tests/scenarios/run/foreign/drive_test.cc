// SPDX-License-Identifier: MIT
//
// `interlock drive` with the example clients as they lie in scenarios/examples/drive, in the
// languages that Debian packages clients for.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "tests/scenarios/child_process.h"

namespace interlock::scenarios {
namespace {

using ::testing::AllOf;
using testing::ChildResult;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::ReadFile;
using testing::RunChild;
using testing::ScratchFolder;

using Words = std::vector<std::string>;

const std::string kExamples = INTERLOCK_EXAMPLES "/";
const Words kPython = {"--", "/usr/bin/python3"};
const Words kRuby = {"--", "ruby"};
// Debian's packages of node lie where only Debian's own node looks by itself.
const Words kNode = {"--", "/usr/bin/env", "NODE_PATH=/usr/share/nodejs", "node"};

ChildResult Drive(Words options, const Words& language, const std::string& example) {
  options.insert(options.begin(), {INTERLOCK_PROGRAM, "drive"});
  options.insert(options.end(), language.begin(), language.end());
  if (!example.empty()) options.push_back(kExamples + example);
  return RunChild(options);
}

Words Only(const std::string& fault, const std::string& runs) {
  Words words = {"--runs", runs};
  for (const std::string one : {"--crashes", "--pauses", "--expiries", "--lost-replies", "--delays",
                                "--script-flushes", "--clocks"}) {
    words.insert(words.end(), {one, one == fault ? "1" : "0"});
  }
  return words;
}

// With fewer runs: the case that they find is the same.
TEST(DriveTest, TheFirstPageShowsWhatItsCommandPrints) {
  const std::string page = ReadFile(kExamples + "../../../README.md");
  const std::size_t begin = page.find("   time (ms)");
  const std::size_t end = page.find("LK005 foreign-release");
  ASSERT_TRUE(begin < end && end != std::string::npos);
  const ChildResult found =
      RunChild({"/usr/bin/env", "LC_ALL=C.UTF-8", INTERLOCK_PROGRAM, "drive", "--runs", "10",
                "--crashes", "0", "--pauses", "0", "--lost-replies", "0", "--", "/usr/bin/python3",
                kExamples + "naive.py"});
  EXPECT_THAT(found.out, HasSubstr(page.substr(begin, end - begin)));
}

TEST(DriveTest, ANaiveReleaseInPythonRemovesAnothersLockAndDoesSoAgain) {
  const ScratchFolder folder;
  Words options = Only("--expiries", "10");
  options.insert(options.end(), {"--out", folder.path()});
  const ChildResult found = Drive(options, kPython, "naive.py");
  EXPECT_EQ(found.exit_code, 1) << found.out << found.err;
  EXPECT_THAT(found.out,
              AllOf(HasSubstr("LK005"), HasSubstr("by DEL lock:stock"), HasSubstr("in 5 of 5 runs"),
                    HasSubstr("2 clients, 1 fault, "), HasSubstr("drive --replay"),
                    HasSubstr("each run copies the clients")));
  const std::string file = folder.path() + "/counterexamples/drive.foreign-release.json";
  const ChildResult again = RunChild({INTERLOCK_PROGRAM, "drive", "--replay", file});
  EXPECT_EQ(again.exit_code, 1) << again.out << again.err;
  EXPECT_THAT(again.out, AllOf(HasSubstr("LK005"), Not(HasSubstr("not the run"))));
  const ChildResult elsewhere = RunChild({INTERLOCK_PROGRAM, "replay", file});
  EXPECT_EQ(elsewhere.exit_code, 65);
  EXPECT_THAT(elsewhere.err, HasSubstr("interlock drive --replay " + file));
  // The same choices do no harm to a lock that is right.
  const ChildResult sound = RunChild({INTERLOCK_PROGRAM, "drive", "--replay", file, "--",
                                      "/usr/bin/python3", kExamples + "lock.py"});
  EXPECT_EQ(sound.exit_code, 0) << sound.out << sound.err;
  EXPECT_THAT(sound.out, HasSubstr("this is not the run that the case shows"));
  const ChildResult absent = RunChild(
      {INTERLOCK_PROGRAM, "drive", "--replay", file, "--", "/bin/sh", "/nowhere/client.sh"});
  EXPECT_EQ(absent.exit_code, 65) << absent.out << absent.err;
  EXPECT_THAT(absent.err,
              AllOf(HasSubstr("no client has connected"), HasSubstr("/nowhere/client")));
  // A real server shows both, to clients as they are.
  const Words on_server = {INTERLOCK_PROGRAM, "drive", "--replay", file,
                           "--redis",         "spawn", "--times",  "1"};
  const ChildResult reproduced = RunChild(on_server);
  EXPECT_EQ(reproduced.exit_code, 1) << reproduced.out << reproduced.err;
  EXPECT_THAT(reproduced.out, AllOf(HasSubstr("REPRODUCED"), HasSubstr("in 1 of 1 try on"),
                                    HasSubstr("which C2 held, by DEL lock:stock")));
  Words mended = on_server;
  mended.insert(mended.end(), {"--", "/usr/bin/python3", kExamples + "lock.py"});
  const ChildResult differs = RunChild(mended);
  EXPECT_EQ(differs.exit_code, 70) << differs.out << differs.err;
  EXPECT_THAT(differs.out, AllOf(HasSubstr("DIFFERS"), HasSubstr("in 0 of 1 try"),
                                 HasSubstr("C1 sends SET lock:stock")));
  Words remote = on_server;
  remote[5] = "redis://192.0.2.1:6379";
  const ChildResult refused = RunChild(remote);
  EXPECT_EQ(refused.exit_code, 64);
  EXPECT_THAT(refused.err, HasSubstr("192.0.2.1 is not this machine"));
}

TEST(ManyRunsOfDriveTest, AnExpireOfItsOwnInRubyLeavesTheLockForEver) {
  const ChildResult found = Drive(Only("--crashes", "6"), kRuby, "naive.rb");
  EXPECT_EQ(found.exit_code, 1) << found.out << found.err;
  EXPECT_THAT(found.out, AllOf(HasSubstr("LK009"), HasSubstr("since the crash of C")));
}

TEST(ManyRunsOfDriveTest, ALookBeforeTheReleaseInNodeComesTooEarly) {
  const ChildResult found = Drive(Only("--expiries", "20"), kNode, "naive.js");
  EXPECT_EQ(found.exit_code, 1) << found.out << found.err;
  EXPECT_THAT(found.out, AllOf(HasSubstr("LK005"), HasSubstr("by DEL lock:stock"),
                               HasSubstr("C1 is started anew for each run, because it has")));
}

TEST(ManyRunsOfDriveTest, ALeaseThatAClientWritesDownIsLedPastItsEnd) {
  const ChildResult found = Drive(Only("--expiries", "25"), kPython, "stamp.py");
  EXPECT_EQ(found.exit_code, 1) << found.out << found.err;
  EXPECT_THAT(found.out, AllOf(HasSubstr("LK005"), HasSubstr("GETSET lock:stock"),
                               HasSubstr("in 5 of 5 runs")));
}

TEST(DriveTest, ATokenTooManyLetsTwoInWithoutAnyFault) {
  const ChildResult found = Drive(Only("", "1"), kPython, "token_list.py");
  EXPECT_EQ(found.exit_code, 1) << found.out << found.err;
  EXPECT_THAT(found.out, AllOf(HasSubstr("LK003"), HasSubstr("0 faults")));
}

ChildResult DrivePermits(const std::string& example, const std::string& runs) {
  Words options = Only("--clocks", runs);
  options.insert(options.end(), {"--clients", "3", "--permits", "2"});
  return Drive(options, kPython, example);
}

TEST(ManyRunsOfDriveTest, AClockThatIsAheadMakesAnEndOfOthersPermits) {
  const ChildResult found = DrivePermits("permits.py", "4");
  EXPECT_EQ(found.exit_code, 1) << found.out << found.err;
  EXPECT_THAT(found.out, AllOf(HasSubstr("LK013"), HasSubstr("its clock is set"),
                               HasSubstr("client-clock-jump"), HasSubstr("in 5 of 5 runs")));
}

TEST(ManyRunsOfDriveTest, NotIfTheServersClockCounts) {
  const ChildResult passed = DrivePermits("permits_server_time.py", "40");
  EXPECT_EQ(passed.exit_code, 0) << passed.out << passed.err;
}

TEST(DriveTest, TwoHoldersWithOneFencingTokenAreConvicted) {
  const std::string client = R"(
import os, redis
server = redis.Redis.from_url(os.environ["REDIS_URL"])
while not server.set("lock", os.environ["INTERLOCK_CLIENT"], nx=True): pass
server.execute_command("INTERLOCK.ENTER", "stock")
assert server.execute_command("INTERLOCK.WRITE", "stock", 7) == 1
server.execute_command("INTERLOCK.LEAVE", "stock")
server.delete("lock")
)";
  Words options = Only("", "1");
  options.insert(options.begin(), {INTERLOCK_PROGRAM, "drive"});
  options.insert(options.end(), {"--", "/usr/bin/python3", "-c", client});
  const ChildResult found = RunChild(options);
  EXPECT_EQ(found.exit_code, 1) << found.out << found.err;
  EXPECT_THAT(found.out, AllOf(HasSubstr("LK007"), HasSubstr("with fencing token 7"),
                               HasSubstr("= accepted"), HasSubstr("0 faults")));
}

TEST(ManyRunsOfDriveTest, ATokenThatIsDrawnAfterTheLockFencesNothing) {
  const ChildResult found = Drive(Only("--expiries", "10"), kPython, "fence.py");
  EXPECT_EQ(found.exit_code, 1) << found.out << found.err;
  EXPECT_THAT(found.out, AllOf(HasSubstr("LK004"), HasSubstr("LK007"),
                               HasSubstr("wrote to stock with fencing token")));
}

TEST(ManyRunsOfDriveTest, ATokenThatComesWithTheLockMakesOverlapsHarmless) {
  const ChildResult passed = Drive({"--runs", "60"}, kPython, "fenced.py");
  EXPECT_EQ(passed.exit_code, 0) << passed.out << passed.err;
  EXPECT_THAT(passed.out, HasSubstr("8 of 8 passed"));
}

TEST(ManyRunsOfDriveTest, WhoRenewsTheFirstLeaseOnlyOutlastsTheSecond) {
  const ChildResult found = Drive(Only("", "1"), kPython, "renewed_once.py");
  EXPECT_EQ(found.exit_code, 1) << found.out << found.err;
  EXPECT_THAT(found.out, AllOf(HasSubstr("LK014"), HasSubstr("LK003"), HasSubstr("0 faults"),
                               HasSubstr("this client renews its leases")));
  const ChildResult sound = Drive(Only("", "1"), kPython, "renewed.py");
  EXPECT_EQ(sound.exit_code, 0) << sound.out << sound.err;
  EXPECT_THAT(sound.out, HasSubstr("7 of 7 passed"));  // without LK014 there would be six
}

TEST(ManyRunsOfDriveTest, WhoRenewsEachLeaseIsAcquittedWhateverDelaysIt) {
  const ChildResult passed = Drive({"--runs", "40"}, kPython, "renewed.py");
  EXPECT_EQ(passed.exit_code, 0) << passed.out << passed.err;
}

TEST(ManyRunsOfDriveTest, WhoGivesUpAndIsGrantedLeavesTheLockBehind) {
  const ChildResult found = Drive(Only("", "4"), kPython, "gives_up.py");
  EXPECT_EQ(found.exit_code, 1) << found.out << found.err;
  EXPECT_THAT(found.out, AllOf(HasSubstr("LK011"), HasSubstr("is left until its lease ends"),
                               HasSubstr("0 faults")));
}

TEST(DriveTest, TwoLanguagesMeetAtOneLock) {
  Words options = Only("", "2");
  options.insert(options.begin(), {INTERLOCK_PROGRAM, "drive"});
  options.insert(options.end(), {"--", "/usr/bin/python3", kExamples + "naive.py", "--and", "ruby",
                                 kExamples + "naive.rb"});
  const ChildResult passed = RunChild(options);
  EXPECT_EQ(passed.exit_code, 0) << passed.out << passed.err;
}

TEST(DriveTest, ByTheMachinesClockClientsAreWaitedFor) {
  Words options = Only("", "1");
  options.insert(options.end(), {"--clock", "machine"});
  const ChildResult passed = Drive(options, kPython, "naive.py");
  EXPECT_EQ(passed.exit_code, 0) << passed.out << passed.err;
}

TEST(DriveTest, RedisPysOwnLockIsAcquitted) {
  const ChildResult passed = Drive({"--runs", "40"}, kPython, "lock.py");
  EXPECT_EQ(passed.exit_code, 0) << passed.out << passed.err;
  EXPECT_THAT(passed.out, HasSubstr("6 of 6 passed"));
}

TEST(DriveTest, WithoutFaultsNoRunIsConvicted) {
  for (const std::string example : {"naive.py", "lock.py"}) {
    const ChildResult passed = Drive(Only("", "8"), kPython, example);
    EXPECT_EQ(passed.exit_code, 0) << passed.out << passed.err;
  }
}

TEST(DriveTest, ACommandThatCannotBeRunIsNamed) {
  const ChildResult result = Drive({}, {"--", "no-such-program"}, "");
  EXPECT_EQ(result.exit_code, 65);
  EXPECT_THAT(result.err, HasSubstr("cannot run no-such-program: No such file or directory"));
  EXPECT_EQ(Drive({}, {}, "").exit_code, 64);
  const ChildResult half = Drive({}, {"--", "true", "--and"}, "");
  EXPECT_EQ(half.exit_code, 64);
  EXPECT_THAT(half.err, HasSubstr("an empty command beside --and"));
  const ChildResult roomy = Drive({"--permits", "3"}, {"--", "true"}, "");
  EXPECT_EQ(roomy.exit_code, 64);
  EXPECT_THAT(roomy.err, HasSubstr("2 clients cannot be more than 3 permits"));
  const ChildResult strategy = Drive({"--strategy", "pct4"}, {"--", "true"}, "");
  EXPECT_EQ(strategy.exit_code, 64);
  EXPECT_THAT(strategy.err,
              HasSubstr("unknown strategy pct4; expected one of random, sticky, pct2"));
}

TEST(DriveTest, ClientsThatFailWithoutAnyFaultAreShown) {
  const ChildResult failing =
      Drive({}, {"--", "/bin/sh", "-c", "echo where is my module >&2; exit 3"}, "");
  EXPECT_EQ(failing.exit_code, 65);
  EXPECT_THAT(failing.err, AllOf(HasSubstr("exit code 3"), HasSubstr("where is my module")));
  const ChildResult elsewhere = Drive({}, {"--", "/bin/true"}, "");
  EXPECT_EQ(elsewhere.exit_code, 65);
  EXPECT_THAT(elsewhere.err, AllOf(HasSubstr("no client has connected"), HasSubstr("REDIS_URL")));
}

TEST(DriveTest, WhoNeverConnectsOrPrintsWithoutEndIsNamed) {
  const ChildResult idle = Drive({"--timeout", "1s"}, {"--", "tail", "-f", "/dev/null"}, "");
  EXPECT_EQ(idle.exit_code, 65);
  EXPECT_THAT(idle.err, HasSubstr("no client has connected"));
  const ChildResult spinning =
      Drive({"--timeout", "1s"}, {"--", "/usr/bin/python3", "-c", "while True: pass"}, "");
  EXPECT_EQ(spinning.exit_code, 65);
  EXPECT_THAT(spinning.err, HasSubstr("no client has connected"));
  const ChildResult printing = Drive({}, {"--", "yes"}, "");
  EXPECT_EQ(printing.exit_code, 65);
  EXPECT_THAT(printing.err, HasSubstr("more than 64 MiB"));
}

TEST(DriveTest, AClientThatNeverSleepsEndsTheRun) {
  const ChildResult result = Drive({"--runs", "1", "--timeout", "300ms"},
                                   {"--", "/bin/sh", "-c", "while :; do :; done"}, "");
  EXPECT_NE(result.exit_code, 0);
}

TEST(DriveTest, WhatIsNoCaseIsNotReplayed) {
  const ScratchFolder folder;
  const std::string file = folder.path() + "/case.json";
  std::ofstream(file) << "{\"schema\": \"interlock.counterexample/1\", \"program\": 3}";
  const ChildResult result = RunChild({INTERLOCK_PROGRAM, "drive", "--replay", file});
  EXPECT_EQ(result.exit_code, 65);
  EXPECT_THAT(result.err, HasSubstr(file));
}

TEST(DriveTest, AnInterruptionEndsItWithWhatIsKnown) {
  const ChildResult result = RunChild({INTERLOCK_PROGRAM, "drive", "--runs", "1000000", "--",
                                       "/usr/bin/python3", kExamples + "lock.py"},
                                      testing::LateSignal{std::chrono::seconds(5), SIGINT});
  EXPECT_EQ(result.exit_code, 130) << result.out << result.err;
  EXPECT_THAT(result.out, AllOf(HasSubstr("PARTIAL"), HasSubstr("drive [none]")));
}

}  // namespace
}  // namespace interlock::scenarios
