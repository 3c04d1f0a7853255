// SPDX-License-Identifier: MIT
//
// WAITAOF: whose disks count, when they are heard of, and what a client gets for its patience; and
// what WAIT has become since Redis 7.2.
#include "tests/sim/redis/topology_fixture.h"

namespace interlock::sim::redis {
namespace {

class WaitTest : public TopologyTest {
 protected:
  // The append-only file of the master, and those of two replicas.
  void Make(const char* policy, const char* replica_policy, const char* dialect = "valkey-9.1") {
    TopologySpec spec = TopologySpec::WithReplicas(2);
    spec.lag_us = 1 * kMs;
    for (NodeSpec& node : spec.nodes) {
      const char* its = &node == spec.nodes.data() ? policy : replica_policy;
      node.dialect = FindDialect(dialect);
      node.configuration = {{"save", ""}, {"appendonly", "yes"}, {"appendfsync", its}};
    }
    Build(std::move(spec));
    Pass(2 * kSecond + 100 * kMs);
  }
};

TEST_F(WaitTest, AnswersAtOnceWhatIsOnDiskAlready) {
  Make("always", "always");
  EXPECT_EQ(Run(0, {"WAITAOF", "1", "2", "0"}), "[1, 2]");
  Run(0, {"SET", "k", "v"});
  EXPECT_EQ(Run(0, {"WAITAOF", "1", "0", "0"}), "[1, 0]");
  EXPECT_EQ(Run(0, {"WAITAOF", "0", "0", "0"}), "[1, 0]");
}

TEST_F(WaitTest, WaitsForTheOwnFsyncASecondAfterTheLast) {
  Make("everysec", "no", "redis-8.0");
  Run(0, {"SET", "k", "v"});
  Run(0, {"SET", "k", "w"});
  EXPECT_EQ(Run(0, {"WAITAOF", "0", "0", "0"}), "[0, 0]");
  EXPECT_EQ(Run(0, {"WAITAOF", "1", "0", "0"}), "");
  Pass(999 * kMs);
  EXPECT_EQ(Heard(0), "");
  Pass(1 * kMs);
  EXPECT_EQ(Heard(0), "[1, 0]");
}

TEST_F(WaitTest, ValkeyThatSyncsEverySecondDoesNotWaitForIt) {
  Make("everysec", "no");
  Run(0, {"SET", "k", "v"});
  Run(0, {"SET", "k", "w"});
  EXPECT_EQ(Run(0, {"WAITAOF", "1", "0", "0"}), "[1, 0]");
  EXPECT_EQ(topology_->server(0).unsynced_units(), 1U);
  Restart(0, {.power_lost = true});
  EXPECT_EQ(Run(0, {"GET", "k"}), "\"v\"");
}

TEST_F(WaitTest, AReplicaThatSyncsAtOnceIsHeardOfAfterTheWayThereAndBack) {
  Make("always", "always");
  Run(0, {"SET", "k", "v"});
  EXPECT_EQ(Run(0, {"WAITAOF", "1", "2", "0"}), "");
  Pass(1 * kMs);
  EXPECT_EQ(Heard(0), "");
  Pass(1 * kMs);
  EXPECT_EQ(Heard(0), "[1, 2]");
}

TEST_F(WaitTest, AReplicaThatSyncsEverySecondIsHeardOfWithItsNextReport) {
  Make("always", "everysec", "redis-8.0");
  Run(0, {"SET", "k", "v"});
  Run(0, {"SET", "k", "w"});
  EXPECT_EQ(Run(0, {"WAITAOF", "1", "2", "0"}), "");
  Pass(10 * kMs);
  EXPECT_EQ(Run(0, {"PING"}), "") << "it has been asked, and has synced the first write alone";
  Pass(2 * kSecond);
  EXPECT_EQ(Heard(0), "[1, 2]; PONG");
}

TEST_F(WaitTest, NoFsyncMeansNoAnswerBeforeTheTimeout) {
  Make("no", "no");
  Run(0, {"SET", "k", "v"});
  EXPECT_EQ(Run(0, {"WAITAOF", "1", "1", "60000"}), "");
  Pass(59 * kSecond);
  EXPECT_EQ(Heard(0), "") << "what the kernel writes back by itself nobody tells the server";
  Pass(1 * kSecond);
  EXPECT_EQ(Heard(0), "[0, 0]");
}

TEST_F(WaitTest, AHangingFsyncIsWaitedForUntilItIsOver) {
  Make("everysec", "no", "redis-8.0");
  Run(0, {"SET", "k", "v"});
  Run(0, {"SET", "k", "w"});
  topology_->server(0).SetDiskFault({.fsync_hangs = true});
  EXPECT_EQ(Run(0, {"WAITAOF", "1", "0", "0"}), "");
  Pass(10 * kSecond);
  EXPECT_EQ(Heard(0), "");
  topology_->server(0).SetDiskFault({});
  Pass(1 * kMs);
  EXPECT_EQ(Heard(0), "[1, 0]");
}

TEST_F(WaitTest, WhatAFullDiskHasRefusedIsNotOnIt) {
  Make("always", "no");
  topology_->server(0).SetDiskFault({.writes_fail = true});
  EXPECT_EQ(Run(0, {"SET", "k", "v"}), "OK");
  EXPECT_EQ(Run(0, {"WAITAOF", "1", "0", "0"}), "");
  Pass(3 * kSecond);
  EXPECT_EQ(Heard(0), "");
  topology_->server(0).SetDiskFault({});
  Pass(1 * kMs);
  EXPECT_EQ(Heard(0), "[1, 0]");
}

TEST_F(WaitTest, WithoutAnAppendOnlyFileItsOwnDiskCannotBeWaitedFor) {
  const std::string refusal =
      "(error) ERR WAITAOF cannot be used when numlocal is set but appendonly is disabled.";
  Make("no", "always");
  Run(0, {"SET", "k", "v"});
  EXPECT_EQ(Run(0, {"WAITAOF", "1", "0", "0"}), "");
  const ClientId other = topology_->server(0).Connect();
  EXPECT_EQ(RunAs(0, other, {"CONFIG", "SET", "appendonly", "no"}), "OK; " + refusal);
  EXPECT_EQ(Run(0, {"WAITAOF", "1", "0", "0"}), refusal);
  EXPECT_EQ(Run(0, {"WAITAOF", "0", "2", "0"}), "");
  Pass(3 * kMs);
  EXPECT_EQ(Heard(0), "[0, 2]");
}

TEST_F(WaitTest, TransactionsAndScriptsDoNotWait) {
  Make("no", "no");
  Run(0, {"SET", "k", "v"});
  Run(0, {"MULTI"});
  Run(0, {"WAITAOF", "1", "2", "0"});
  EXPECT_EQ(Run(0, {"EXEC"}), "[[0, 0]]");
  EXPECT_EQ(Run(0, {"EVAL", "return redis.call('waitaof', 1, 2, 0)", "0"}), "[0, 0]");
  Make("no", "no", "redis-8.0");
  Run(0, {"SET", "k", "v"});
  EXPECT_EQ(Run(0, {"EVAL", "return redis.call('waitaof', 1, 2, 0)", "0"}), "[1, 2]");
}

TEST_F(WaitTest, ArgumentsAreReadInOrder) {
  Make("always", "always");
  const std::string not_positive = "(error) ERR value is out of range, must be positive";
  EXPECT_EQ(Run(0, {"WAITAOF", "x", "x", "x"}),
            "(error) ERR value is not an integer or out of range");
  EXPECT_EQ(Run(0, {"WAITAOF", "2", "x", "x"}),
            "(error) ERR value is out of range, value must between 0 and 1");
  EXPECT_EQ(Run(0, {"WAITAOF", "1", "x", "x"}), not_positive);
  EXPECT_EQ(Run(0, {"WAITAOF", "1", "-1", "x"}), not_positive);
  EXPECT_EQ(Run(1, {"WAITAOF", "1", "0", "x"}),
            "(error) ERR timeout is not an integer or out of range");
  EXPECT_EQ(Run(1, {"WAITAOF", "1", "0", "-1"}), "(error) ERR timeout is negative");
  EXPECT_EQ(Run(1, {"WAITAOF", "1", "0", "0"}),
            "(error) ERR WAITAOF cannot be used with replica instances. Please also note that "
            "writes to replicas are just local and are not propagated.");
  EXPECT_EQ(Run(0, {"WAIT", "1", "9223372036854775807"}), "(error) ERR timeout is out of range");
}

TEST_F(WaitTest, SinceRedis72AClientWaitsForItsOwnWritesAlone) {
  const auto waits = [&](const char* dialect) {
    Make("no", "no", dialect);
    const ClientId other = topology_->server(0).Connect();
    Run(0, {"SET", "k", "v"});
    RunAs(0, other, {"GET", "k"});
    return RunAs(0, other, {"WAIT", "2", "1"}).empty();
  };
  EXPECT_TRUE(waits("redis-7.0"));
  EXPECT_FALSE(waits("redis-8.0"));
  EXPECT_FALSE(waits("valkey-9.1"));
}

TEST_F(WaitTest, AnAppendOnlyFileCountsTheCommandsUntilThereAreReplicas) {
  TopologySpec spec = TopologySpec::IndependentMasters(1);
  spec.nodes[0].dialect = FindDialect("redis-8.0");
  spec.nodes[0].configuration = {{"appendonly", "yes"}};
  Build(std::move(spec));
  Run(0, {"SET", "a", "1"});
  Run(0, {"GET", "a"});
  EXPECT_EQ(Run(0, {"ROLE"}), "[\"master\", 1, []]");
  Run(0, {"EVAL", "redis.call('set', 'a', '1') redis.call('set', 'b', '1')", "0"});
  EXPECT_EQ(Run(0, {"ROLE"}), "[\"master\", 5, []]") << "MULTI and EXEC count, too";
}

}  // namespace
}  // namespace interlock::sim::redis
