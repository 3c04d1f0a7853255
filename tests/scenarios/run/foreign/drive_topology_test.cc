// SPDX-License-Identifier: MIT
//
// `interlock drive` with servers that redis-py discovers by itself: the primary that Sentinels
// name, and the masters of a cluster.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
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
using testing::RunChild;
using testing::ScratchFolder;

using Words = std::vector<std::string>;

class DriveTopologyTest : public ::testing::Test {
 protected:
  /// Without any fault but failovers and those that are given.
  ChildResult Drive(const Words& options, const std::string& example) const {
    return DriveFile(options, INTERLOCK_EXAMPLES "/" + example);
  }
  ChildResult DriveFile(const Words& options, const std::string& client) const {
    Words words = {INTERLOCK_PROGRAM, "drive", "--out", folder_.path()};
    for (const std::string fault : {"--crashes", "--pauses", "--expiries", "--lost-replies",
                                    "--delays", "--script-flushes", "--clocks"}) {
      if (std::ranges::count(options, fault) == 0) words.insert(words.end(), {fault, "0"});
    }
    words.insert(words.end(), options.begin(), options.end());
    words.insert(words.end(), {"--", "/usr/bin/python3", client});
    return RunChild(words);
  }

  ChildResult Replay(const std::string& property, const Words& options) const {
    Words words = {INTERLOCK_PROGRAM, "drive", "--replay",
                   folder_.path() + "/counterexamples/drive." + property + ".json"};
    words.insert(words.end(), options.begin(), options.end());
    return RunChild(words);
  }

  const ScratchFolder folder_;
};

TEST_F(DriveTopologyTest, ALockSurvivesAFailoverThatLosesNothing) {
  const ChildResult held =
      Drive({"--topology", "sentinel", "--runs", "15", "--failovers", "1"}, "sentinel.py");
  EXPECT_EQ(held.exit_code, 0) << held.out << held.err;
  EXPECT_THAT(held.out, AllOf(HasSubstr("6 hold"), Not(HasSubstr("a client ended with"))));
  EXPECT_THAT(held.out, HasSubstr("each run copies the clients"));
}

TEST_F(DriveTopologyTest, AFailoverThatLosesTheLockIsConvicted) {
  const ChildResult lost =
      Drive({"--topology", "sentinel", "--replication-lag", "20ms", "--runs", "30"}, "sentinel.py");
  EXPECT_EQ(lost.exit_code, 1) << lost.out << lost.err;
  EXPECT_THAT(lost.out, AllOf(HasSubstr("LK003"), HasSubstr("failover, at ")));
  EXPECT_THAT(testing::ReadFile(folder_.path() + "/counterexamples/drive.section-exclusion.json"),
              HasSubstr("and lock:stock is lost"));
  const ChildResult again = Replay("section-exclusion", {"--times", "1"});
  EXPECT_EQ(again.exit_code, 1) << again.out << again.err;
  const ChildResult real = Replay("section-exclusion", {"--redis", "spawn"});
  EXPECT_EQ(real.exit_code, 2) << real.out << real.err;
  EXPECT_THAT(real.out, HasSubstr("its clients discover their servers"));
}

TEST_F(DriveTopologyTest, ANaiveLockInAClusterIsConvicted) {
  const ChildResult found =
      Drive({"--topology", "cluster", "--reshards", "0", "--expiries", "1", "--runs", "12"},
            "cluster.py");
  EXPECT_EQ(found.exit_code, 1) << found.out << found.err;
  EXPECT_THAT(found.out, AllOf(HasSubstr("LK005"), HasSubstr("by DEL lock:stock")));
  const ChildResult again = Replay("foreign-release", {"--times", "1"});
  EXPECT_EQ(again.exit_code, 1) << again.out << again.err;
}

TEST_F(DriveTopologyTest, ALockThatFollowsItsSlotHoldsWhileThatMoves) {
  for (const Words& moves : {Words{"--failovers", "0"},
                             Words{"--failovers", "0", "--reshards", "0", "--server", "valkey-9.1"},
                             Words{"--late-claims", "1", "--server", "valkey-9.1"}}) {
    Words options = {"--topology", "cluster", "--runs", "8"};
    options.insert(options.end(), moves.begin(), moves.end());
    const ChildResult held = Drive(options, "cluster_lock.py");
    EXPECT_EQ(held.exit_code, 0) << held.out << held.err;
    EXPECT_THAT(held.out, AllOf(HasSubstr("6 hold"), Not(HasSubstr("a client ended with"))));
  }
}

TEST_F(DriveTopologyTest, ALockThatStaysWithANodeIsConvictedOnceItsSlotHasMoved) {
  Words options = {"--topology", "cluster", "--failovers", "0", "--reshards", "0", "--runs", "4"};
  const ChildResult stays = Drive(options, "one_node.py");
  EXPECT_EQ(stays.exit_code, 0) << stays.out << stays.err;
  options[5] = "1";
  const ChildResult by_key = Drive(options, "one_node.py");
  EXPECT_EQ(by_key.exit_code, 1) << by_key.out << by_key.err;
  EXPECT_THAT(by_key.out, AllOf(HasSubstr("LK009"), HasSubstr("C1: reshard, at "),
                                HasSubstr("the slots have moved"), HasSubstr("MOVED 5968")));
  const ChildResult again = Replay("deadlock", {"--times", "1"});
  EXPECT_EQ(again.exit_code, 1) << again.out << again.err;
  options[5] = "0";
  options.insert(options.end(), {"--slot-migrations", "1", "--server", "valkey-9.1"});
  const ChildResult at_once = Drive(options, "one_node.py");
  EXPECT_EQ(at_once.exit_code, 1) << at_once.out << at_once.err;
  EXPECT_THAT(at_once.out, AllOf(HasSubstr("LK009"), HasSubstr("C1: slot-migration, at ")));
}

// A holder that writes elsewhere waits there while its lease would end; a token of one letter is
// known by who has sent it alone.
TEST_F(DriveTopologyTest, WhatWaitsForSlotsThatMoveIsItsClientsOwn) {
  const std::string client = folder_.path() + "/client.py";
  std::ofstream(client) << R"py(import os, time
from redis.cluster import RedisCluster
server = RedisCluster.from_url(os.environ["REDIS_URL"])
me = os.environ["INTERLOCK_CLIENT"]
RELEASE = "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end"
server.incr("x")
for _ in range(3):
    while not server.set("lock:stock", me, nx=True, px=1000):
        time.sleep(0.3)
    server.execute_command("INTERLOCK.ENTER", "stock", target_nodes=RedisCluster.RANDOM)
    server.incr("x")
    server.execute_command("INTERLOCK.LEAVE", "stock", target_nodes=RedisCluster.RANDOM)
    server.eval(RELEASE, 1, "lock:stock", me)
)py";
  const ChildResult held =
      DriveFile({"--topology", "cluster", "--server", "valkey-9.1", "--failovers", "0",
                 "--reshards", "0", "--slot-migrations", "2", "--runs", "40"},
                client);
  EXPECT_EQ(held.exit_code, 0) << held.out << held.err;
  EXPECT_THAT(held.out, HasSubstr("6 hold"));
}

TEST_F(DriveTopologyTest, AClientThatSaysWhereItIsReadyIsCopiedThere) {
  const ChildResult held = Drive({"--runs", "5"}, "ready.py");
  EXPECT_EQ(held.exit_code, 0) << held.out << held.err;
  EXPECT_THAT(held.out, HasSubstr("copies the clients where they connect after INTERLOCK.READY"));
}

TEST_F(DriveTopologyTest, WhatDoesNotGoWithItIsRefused) {
  const auto refused = [this](const Words& options, const std::string& why) {
    const ChildResult result = Drive(options, "sentinel.py");
    EXPECT_EQ(result.exit_code, 64) << result.out << result.err;
    EXPECT_THAT(result.err, HasSubstr(why));
  };
  refused({"--topology", "ring"}, "ring");
  refused({"--topology", "sentinel", "--masters", "3"}, "--masters 3: Sentinels watch 1 here");
  refused({"--topology", "cluster", "--masters", "9"}, "--masters 9: each has a replica here");
  refused({"--failovers", "1"}, "--failovers 1: no server has a replica");
  refused({"--reshards", "1"}, "--reshards 1: there are no slots that could move");
  refused({"--topology", "cluster", "--masters", "1", "--reshards", "1"}, "of 2 masters or more");
  refused({"--topology", "cluster", "--slot-migrations", "1"},
          "--slot-migrations 1: these servers cannot move slots at once");
  refused({"--replication-lag", "1ms"}, "--replication-lag: no server has a replica");
  refused({"--topology", "sentinel", "--replication-lag", "soon"}, "soon is not a time");
}

}  // namespace
}  // namespace interlock::scenarios
