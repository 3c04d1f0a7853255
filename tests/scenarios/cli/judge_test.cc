// SPDX-License-Identifier: MIT
//
// Logs that somebody else's clients might have written, judged by the program.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "tests/scenarios/child_process.h"

namespace interlock::scenarios::cli {
namespace {

using testing::ChildResult;
using ::testing::HasSubstr;
using testing::RunChild;
using testing::ScratchFolder;

constexpr const char* kHead =
    R"({"log":"interlock.log/1","lock":"jobs","lease_ns":1000000000,"clients":2}
)";
/// C1 is granted a lease of a second at 20 ms, and works until 30 ms.
constexpr const char* kFirstTurn = R"({"at_ns":10000000,"event":"ask","client":0}
{"at_ns":[10000000,20000000],"event":"granted","client":0,"token":"a","valid_until_ns":1010000000}
{"at_ns":20000000,"event":"enter","client":0}
{"at_ns":30000000,"event":"leave","client":0}
)";
constexpr const char* kRelease = R"({"at_ns":30000000,"event":"release","client":0}
{"at_ns":[30000000,31000000],"event":"released","client":0}
)";
constexpr const char* kSecondTurn = R"({"at_ns":15000000,"event":"ask","client":1}
{"at_ns":[15000000,40000000],"event":"granted","client":1,"token":"b","valid_until_ns":1015000000}
)";

class JudgeCommandTest : public ::testing::Test {
 protected:
  ChildResult Judge(const std::string& log, std::vector<std::string> options = {}) {
    const std::string path = folder_.path() + "/log.jsonl";
    std::ofstream(path, std::ios::binary) << log;
    std::vector<std::string> words = {INTERLOCK_PROGRAM, "judge", path};
    words.insert(words.end(), options.begin(), options.end());
    return RunChild(words);
  }

  const ScratchFolder folder_;
};

TEST_F(JudgeCommandTest, TurnsThatFollowEachOtherHold) {
  const ChildResult child = Judge(std::string(kHead) + kFirstTurn + kRelease + kSecondTurn);
  EXPECT_EQ(child.exit_code, 0) << child.out << child.err;
  EXPECT_THAT(child.out, HasSubstr("LK001 server-exclusion"));
  EXPECT_THAT(child.out, HasSubstr("PASS  8 events of 2 clients"));
}

TEST_F(JudgeCommandTest, TwoHoldersAtOnceAreConvicted) {
  const ChildResult child = Judge(std::string(kHead) + kFirstTurn + kSecondTurn);
  EXPECT_EQ(child.exit_code, 1) << child.out << child.err;
  EXPECT_THAT(child.out, HasSubstr("LK001 server-exclusion: C2 was granted at 30.000 ms"));
  EXPECT_THAT(child.out, HasSubstr("LK002 belief-exclusion: C1 and C2 both believed to hold"));
  EXPECT_THAT(child.out, HasSubstr("FAIL"));
}

TEST_F(JudgeCommandTest, AReleaseLongAfterTheLeaseIsConvictedUnlessServersFailed) {
  const std::string late = std::string(kHead) + kFirstTurn +
                           R"({"at_ns":2000000000,"event":"release","client":0}
{"at_ns":[2000000000,2001000000],"event":"released","client":0})";
  const ChildResult child = Judge(late);
  EXPECT_EQ(child.exit_code, 1) << child.out << child.err;
  EXPECT_THAT(child.out, HasSubstr("LK005 foreign-release: C1 released at 1990.000 ms"));
  EXPECT_EQ(Judge(late, {"--servers-failed"}).exit_code, 2);
  EXPECT_EQ(Judge(late, {"--renews"}).exit_code, 2);
}

TEST_F(JudgeCommandTest, AnInnocentExplanationAcquits) {
  // Time of day; an extension of which only the calls are told; a drop; a wait of unknown reason.
  const ChildResult child =
      Judge(std::string(kHead) + R"({"at_ns":1795838400000000000,"event":"ask","client":0}
{"at_ns":1795838400010000000,"event":"granted","client":0}
{"at_ns":1795838400990000000,"event":"extend","client":0}
{"at_ns":1795838401200000000,"event":"extended","client":0}
{"at_ns":1795838401300000000,"event":"ask","client":1,"ask":"wait"}
{"at_ns":1795838401400000000,"event":"drop","client":0}
{"at_ns":1795838461500000000,"event":"granted","client":1}
)");
  EXPECT_EQ(child.exit_code, 0) << child.out << child.err;
}

TEST_F(JudgeCommandTest, WhoIsLateToLeaveLeavesItUndecided) {
  const ChildResult child = Judge(std::string(kHead) + R"({"at_ns":1000000,"event":"ask","client":0}
{"at_ns":2000000,"event":"granted","client":0}
{"at_ns":2000000,"event":"enter","client":0}
{"at_ns":1200000000,"event":"ask","client":1}
{"at_ns":1201000000,"event":"granted","client":1}
{"at_ns":1201000000,"event":"enter","client":1}
{"at_ns":1300000000,"event":"leave","client":0}
)");
  EXPECT_EQ(child.exit_code, 2) << child.out << child.err;
  EXPECT_THAT(child.out, HasSubstr("undecided: LK003 section-exclusion"));
}

TEST_F(JudgeCommandTest, ALogThatTestsNothingIsInconclusive) {
  const ChildResult child = Judge(std::string(kHead) + R"({"at_ns":1,"event":"ask","client":0})");
  EXPECT_EQ(child.exit_code, 2) << child.out << child.err;
  EXPECT_THAT(child.out, HasSubstr("INCONCLUSIVE"));
}

TEST_F(JudgeCommandTest, WhatWasMeasuredHolds) {
  for (const char* lock : {"mutex", "semaphore", "mutex.renewed", "shared-mutex"}) {
    const std::string out = folder_.path() + "/" + lock;
    const ChildResult measured =
        RunChild({INTERLOCK_PROGRAM, "contend", "--lock", lock, "--clients", "6", "--duration",
                  "1s", "--trace", "--faults", "pauses", "--lease", "100ms", "--out", out});
    ASSERT_EQ(measured.exit_code, 0) << measured.err;
    const ChildResult child =
        RunChild({INTERLOCK_PROGRAM, "judge", out + "/traces/" + lock + ".6.jsonl"});
    EXPECT_EQ(child.exit_code, 0) << lock << child.out << child.err;
    EXPECT_THAT(child.out, HasSubstr("belief"));
  }
}

TEST_F(JudgeCommandTest, ABrokenLockIsConvictedOfWhatWasMeasured) {
  const std::string out = folder_.path() + "/broken";
  const ChildResult measured =
      RunChild({INTERLOCK_PROGRAM, "contend", "--lock", "broken/del-without-owner", "--clients",
                "8", "--duration", "6s", "--hold", "2ms", "--trace", "--faults", "pauses",
                "--lease", "100ms", "--out", out});
  ASSERT_EQ(measured.exit_code, 0) << measured.err;
  const ChildResult child =
      RunChild({INTERLOCK_PROGRAM, "judge", out + "/traces/broken/del-without-owner.8.jsonl"});
  EXPECT_EQ(child.exit_code, 1) << child.out << child.err;
  EXPECT_THAT(child.out, HasSubstr("LK001 server-exclusion"));
}

// The smallest case of a lock that is released by whoever asks.
TEST_F(JudgeCommandTest, AReplayedRunIsConvictedByItsLog) {
  const std::string log = folder_.path() + "/run.jsonl";
  const ChildResult replayed = RunChild(
      {INTERLOCK_PROGRAM, "replay",
       "v2:broken/del-without-owner:overstay:none:pgKjWuQcBAQAAAQACAAABAACAhK9fgJTr3AOAyrXuAQAAAAAB"
       "AICx0LoHgISvX4DKte4BAAAAAAAA:3aceff7a",
       "--log", log});
  ASSERT_EQ(replayed.exit_code, 1) << replayed.err;
  const ChildResult child = RunChild({INTERLOCK_PROGRAM, "judge", log});
  EXPECT_EQ(child.exit_code, 1) << child.out << child.err;
  EXPECT_THAT(child.out, HasSubstr("LK005 foreign-release"));
}

TEST_F(JudgeCommandTest, ALogThatIsNoneIsRefusedWithTheLineAndWhatIsWrong) {
  const auto refused = [&](const std::string& log) {
    const ChildResult child = Judge(log);
    EXPECT_EQ(child.exit_code, 65) << child.out;
    return child.err;
  };
  const std::string head = kHead;
  EXPECT_THAT(refused(""), HasSubstr("line 1: this line is empty"));
  EXPECT_THAT(refused(head + "{\"at_ns\":1,\"event\":\"enter\",\"client\":0}"),
              HasSubstr("line 2: \"enter\", but client 0 has been granted nothing"));
  EXPECT_THAT(refused(head + "{\"at_ns\":1,\"event\":\"released\",\"client\":0}"),
              HasSubstr("client 0 has called no release"));
  EXPECT_THAT(refused(head + "{\"at_ns\":1,\"event\":\"ask\",\"client\":2}"),
              HasSubstr("client 2, but there are 2, from 0 on"));
  EXPECT_THAT(refused(head + "{\"at_ns\":1,\"event\":\"ask\",\"client\":0,\"resource\":1}"),
              HasSubstr("resource 1, but there are 1"));
  EXPECT_THAT(refused("{\"log\":\"interlock.log/1\"}"),
              HasSubstr("lease_ns must be 1 or more, and at most 50 years"));
  EXPECT_THAT(refused(head + R"({"at_ns":1,"event":"count-down","client":0,"party":1})"),
              HasSubstr("latches are not judged from a log"));
  const std::string ask = "{\"at_ns\":25000000,\"event\":\"ask\",\"client\":0}\n";
  EXPECT_THAT(refused(head + ask + ask), HasSubstr("line 3: \"ask\", but client 0 waits for it"));
  EXPECT_THAT(refused(head + kFirstTurn + R"({"at_ns":30000000,"event":"ask","client":0}
{"at_ns":30000000,"event":"granted","client":0})"),
              HasSubstr("client 0 holds it already"));
  EXPECT_THAT(refused(head + R"({"at_ns":1,"event":"stop","client":0})"),
              HasSubstr("has asked for nothing"));
  EXPECT_THAT(refused(head + ask + R"({"at_ns":26000000,"event":"refused","client":0})"),
              HasSubstr("say why not"));
  EXPECT_THAT(refused(head + R"({"at_ns":1,"event":"ask"})"), HasSubstr("it needs a client"));
  EXPECT_THAT(refused(head + R"({"at_ns":1,"event":"expired","key":"a"}
{"at_ns":2,"event":"ask"})"),
              HasSubstr("line 3: it needs a client"));
  EXPECT_THAT(refused(R"({"log":"interlock.log/1","lease_ns":5,"clients":2147483647})"),
              HasSubstr("at most 100000 of each are judged"));
  EXPECT_THAT(refused(R"({"log":"interlock.log/1","lease_ns":9223372036854775807})"),
              HasSubstr("lease_ns must be 1 or more, and at most 50 years"));
  EXPECT_THAT(refused(head + R"({"at_ns":9223372036854775807,"event":"ask","client":0})"),
              HasSubstr("line 2: at_ns is negative, or more than 50 years"));
  EXPECT_THAT(
      refused(head + R"({"at_ns":1,"event":"ask","client":0,"patience_ns":-9223372036854775808})"),
      HasSubstr("patience_ns is negative, or more than 50 years"));
  EXPECT_THAT(refused(head + R"({"at_ns":1,"event":"force","client":0,"token":"a"})"),
              HasSubstr("forced releases are not judged from a log"));
  EXPECT_THAT(refused(head + R"({"at_ns":1,"event":"ask","client":0,"beside":true})"),
              HasSubstr("requests for several resources at once are not judged"));
  EXPECT_EQ(RunChild({INTERLOCK_PROGRAM, "judge", folder_.path() + "/none"}).exit_code, 65);
}

}  // namespace
}  // namespace interlock::scenarios::cli
