// SPDX-License-Identifier: MIT
//
// `interlock contend -- COMMAND`: clients in any language on a real redis-server, and those that
// cannot be measured.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "reports/contention_json.h"
#include "reports/json_writer.h"
#include "tests/scenarios/child_process.h"

namespace interlock::scenarios {
namespace {

using ::testing::AllOf;
using testing::ChildResult;
using ::testing::Contains;
using ::testing::HasSubstr;
using testing::RunChild;
using testing::ScratchFolder;
using Words = std::vector<std::string>;

ChildResult Contend(const Words& options, const Words& command) {
  Words words = {INTERLOCK_PROGRAM, "contend", "--duration", "400ms", "--warm-up", "50ms"};
  words.insert(words.end(), options.begin(), options.end());
  words.emplace_back("--");
  words.insert(words.end(), command.begin(), command.end());
  return RunChild(words);
}

const Words kSpawn = {"--redis", "spawn", "--clients", "2", "--hold", "2ms"};
const Words kLoop = {"bash", INTERLOCK_LOOP};

TEST(ForeignLoadTest, ClientsOfTwoLanguagesShareOneLockAndAreMeasured) {
  const ScratchFolder folder;
  Words options = kSpawn;
  options.insert(options.end(), {"--json", "--trace", "--out", folder.path()});
  const ChildResult done = Contend(
      options, {"bash", INTERLOCK_LOOP, "--and", "/usr/bin/python3", INTERLOCK_CONTEND "/lock.py"});
  ASSERT_EQ(done.exit_code, 0) << done.out << done.err;
  const auto read = reports::ReadContention(done.out);
  ASSERT_TRUE(read.value.has_value()) << read.error;
  EXPECT_THAT(read.value->notes, Contains(HasSubstr("a PING takes")));
  EXPECT_THAT(read.value->backend, AllOf(HasSubstr("Redis 7"), HasSubstr("of its own")));
  ASSERT_EQ(read.value->points.size(), 1U);
  const reports::ContentionPoint& point = read.value->points.front();
  EXPECT_THAT(point.lock, HasSubstr("loop.sh --and /usr/bin/python3"));
  EXPECT_GT(point.grants, 5U);
  EXPECT_EQ(point.overlap_ns, 0);
  EXPECT_GE(point.commands.all(), 2 * point.grants);
  EXPECT_GE(point.useful.least(), 2'000'000) << "sections are as long as --hold has it";
  EXPECT_FALSE(point.server.has_value());
}

TEST(ForeignLoadTest, SectionsWithoutALockOverlap) {
  Words command = kLoop;
  command.emplace_back("nothing");
  Words options = kSpawn;
  options.emplace_back("--json");
  const ChildResult done = Contend(options, command);
  ASSERT_EQ(done.exit_code, 0) << done.out << done.err;
  const auto read = reports::ReadContention(done.out);
  ASSERT_TRUE(read.value.has_value()) << read.error;
  EXPECT_GT(read.value->points.front().overlap_ns, 0);
  EXPECT_THAT(read.value->notes, Contains(HasSubstr("the lock does not keep them out")));
}

TEST(ForeignLoadTest, AClientThatEndsOrFloodsOrReportsNothingIsNamed) {
  const ChildResult ends = Contend(kSpawn, {"bash", "-c", "echo out of stock; exit 3"});
  EXPECT_EQ(ends.exit_code, 65) << ends.out << ends.err;
  EXPECT_THAT(ends.err, AllOf(HasSubstr("has ended with exit code 3"), HasSubstr("out of stock")));
  const ChildResult floods = Contend(kSpawn, {"yes"});
  EXPECT_EQ(floods.exit_code, 65) << floods.out << floods.err;
  EXPECT_THAT(floods.err, HasSubstr("has printed (or written) more than 64 MiB"));
  const ChildResult silent =
      Contend(kSpawn, {"bash", "-c",
                       "exec 3<>/dev/tcp/127.0.0.1/$REDIS_PORT; while :; do echo GET x >&3; "
                       "read -r a <&3; sleep 0.05; done"});
  EXPECT_EQ(silent.exit_code, 65) << silent.out << silent.err;
  EXPECT_THAT(silent.err, HasSubstr("has reported no section: INTERLOCK.ENTER name"));
}

TEST(ForeignLoadTest, WhatDoesNotGoTogetherIsSaid) {
  const ChildResult nowhere = Contend({}, kLoop);
  EXPECT_EQ(nowhere.exit_code, 64);
  EXPECT_THAT(nowhere.err, HasSubstr("bash is measured on a real server: --redis spawn"));
  const ChildResult both = Contend({"--redis", "spawn", "--lock=mutex"}, kLoop);
  EXPECT_EQ(both.exit_code, 64);
  EXPECT_THAT(both.err, HasSubstr("--lock mutex and the command bash are two things"));
  const ChildResult think = Contend({"--redis", "spawn", "--think", "5ms"}, kLoop);
  EXPECT_EQ(think.exit_code, 64);
  EXPECT_THAT(think.err, HasSubstr("--think is for the locks of this program"));
  const ChildResult remote = Contend({"--redis", "redis://192.0.2.1"}, kLoop);
  EXPECT_EQ(remote.exit_code, 64);
  EXPECT_THAT(remote.err, HasSubstr("192.0.2.1 is not this machine"));
  const ChildResult gone = Contend({"--redis", "redis://127.0.0.1:1"}, kLoop);
  EXPECT_EQ(gone.exit_code, 69);
  const ChildResult nothing = Contend({"--redis", "spawn"}, {});
  EXPECT_EQ(nothing.exit_code, 64);
  EXPECT_THAT(nothing.err, HasSubstr("--lock NAME or, after --"));
}

TEST(ManyRunsForeignLoadTest, AClientThatNeverConnectsIsNamedWithinTenSeconds) {
  const ChildResult never = Contend(kSpawn, {"sleep", "60"});
  EXPECT_EQ(never.exit_code, 65);
  EXPECT_THAT(never.err, HasSubstr("C1 has not connected: it finds its server in REDIS_URL"));
}

}  // namespace
}  // namespace interlock::scenarios
