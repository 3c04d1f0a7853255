// SPDX-License-Identifier: MIT
//
// What clients of a master and of its replicas see.
#include <gtest/gtest.h>

#include "tests/sim/redis/topology_fixture.h"

namespace interlock::sim::redis {
namespace {

class ReplicationTest : public TopologyTest {
 protected:
  void SetUp() override { WithReplicas(1); }
  void WithReplicas(std::size_t count, std::int64_t lag_us = 0) {
    TopologySpec spec = TopologySpec::WithReplicas(count);
    spec.lag_us = lag_us;
    Build(std::move(spec));
    Pass(2 * kSecond);
  }
  void Demote(NodeId node, NodeId master) {
    Run(node, {"REPLICAOF", topology_->address(master).host, "6379"});
  }
};

TEST_F(ReplicationTest, RolesAreSeenFromBothEnds) {
  EXPECT_EQ(Run(0, {"ROLE"}), "[\"master\", 0, [[\"10.0.0.2\", \"6379\", \"0\"]]]");
  EXPECT_EQ(Run(1, {"ROLE"}), "[\"slave\", \"10.0.0.1\", 6379, \"connected\", 0]");
}

TEST_F(ReplicationTest, WritesArriveAfterTheLag) {
  WithReplicas(1, 5 * kMs);
  EXPECT_EQ(Run(0, {"SET", "k", "v"}), "OK");
  Pass(4 * kMs);
  EXPECT_EQ(Run(1, {"GET", "k"}), "(nil)");
  Pass(1 * kMs);
  EXPECT_EQ(Run(1, {"GET", "k"}), "\"v\"");
}

TEST_F(ReplicationTest, OffsetsCountTheBytesOfTheStream) {
  Run(0, {"SET", "k", "v"});  // SELECT 0: 23 bytes, SET: 27.
  EXPECT_EQ(Run(0, {"ROLE"}).substr(0, 13), "[\"master\", 50");
}

TEST_F(ReplicationTest, AReplicaRefusesWritesAlsoOfScriptsAndTransactions) {
  const std::string refusal = "(error) READONLY You can't write against a read only replica.";
  EXPECT_EQ(Run(1, {"SET", "k", "v"}), refusal);
  EXPECT_EQ(Run(1, {"BLPOP", "q", "1"}), refusal);
  EXPECT_EQ(Run(1, {"EVAL", "#!lua\nreturn 1", "0"}), refusal);
  EXPECT_EQ(Run(1, {"EVAL", "#!lua flags=no-writes\nreturn 1", "0"}), "(integer) 1");
  const std::string in_script = Run(1, {"EVAL", "return redis.call('set', 'k', 'v')", "0"});
  EXPECT_TRUE(in_script.starts_with(refusal + " script: ")) << in_script;
}

TEST_F(ReplicationTest, ATransactionQueuedBeforeTheDemotionIsRefusedAsAWhole) {
  Run(1, {"REPLICAOF", "NO", "ONE"});
  Run(1, {"MULTI"});
  Run(1, {"SET", "k", "v"});
  const ClientId other = topology_->server(1).Connect();
  RunAs(1, other, {"REPLICAOF", "10.0.0.1", "6379"});
  EXPECT_EQ(Run(1, {"EXEC"}),
            "(error) EXECABORT Transaction discarded because of: READONLY You can't write against "
            "a read only replica.");
}

TEST_F(ReplicationTest, AReplicaOfValkeySendsAClientToItsMasterIfItCanFollow) {
  TopologySpec spec = TopologySpec::WithReplicas(1);
  for (NodeSpec& node : spec.nodes) node.dialect = FindDialect("valkey-9.1");
  Build(std::move(spec));
  Pass(2 * kSecond);
  const std::string away = "(error) REDIRECT 10.0.0.1:6379";
  EXPECT_EQ(Run(1, {"GET", "k"}), "(nil)");
  EXPECT_EQ(Run(1, {"CLIENT", "CAPA", "redirect"}), "OK");
  EXPECT_EQ(Run(1, {"GET", "k"}), away);
  EXPECT_EQ(Run(1, {"SET", "k", "v"}), away);
  EXPECT_EQ(Run(1, {"PING"}), "PONG");
  Run(1, {"MULTI"});
  Run(1, {"PING"});
  const ClientId other = topology_->server(1).Connect();
  RunAs(1, other, {"REPLICAOF", "NO", "ONE"});
  EXPECT_EQ(Run(1, {"SET", "k", "v"}), "QUEUED");
  RunAs(1, other, {"REPLICAOF", "10.0.0.1", "6379"});
  EXPECT_EQ(Run(1, {"EXEC"}), away);
}

TEST_F(ReplicationTest, AReplicaHidesWhatHasExpiredUntilItsMasterDeletesIt) {
  Run(0, {"SET", "k", "v", "PX", "100"});
  Pass(101 * kMs);
  EXPECT_EQ(Run(1, {"GET", "k"}), "(nil)");
  EXPECT_EQ(Run(1, {"EXISTS", "k"}), "(integer) 0");
  EXPECT_EQ(Run(1, {"DBSIZE"}), "(integer) 1");
  topology_->server(1).RunActiveExpiry();
  EXPECT_EQ(Run(1, {"DBSIZE"}), "(integer) 1");
  Run(0, {"GET", "k"});
  Pass(1 * kMs);
  EXPECT_EQ(Run(1, {"DBSIZE"}), "(integer) 0");
}

TEST_F(ReplicationTest, WaitCountsThoseWhoHaveTheClientsLastWrite) {
  WithReplicas(2, 1 * kMs);
  Run(0, {"SET", "k", "v"});
  EXPECT_EQ(Run(0, {"WAIT", "2", "0"}), "");
  Pass(2 * kMs);
  EXPECT_EQ(Heard(0), "(integer) 2");
  EXPECT_EQ(Run(0, {"WAIT", "1", "0"}), "(integer) 2");

  topology_->SetPaused(2, true);
  Run(0, {"SET", "k", "w"});
  Run(0, {"WAIT", "2", "50"});
  Pass(49 * kMs);
  EXPECT_EQ(Heard(0), "");
  Pass(1 * kMs);
  EXPECT_EQ(Heard(0), "(integer) 1");
}

TEST_F(ReplicationTest, WaitInATransactionDoesNotWait) {
  Run(0, {"MULTI"});
  Run(0, {"SET", "k", "v"});
  Run(0, {"WAIT", "1", "0"});
  EXPECT_EQ(Run(0, {"EXEC"}), "[OK, 1]") << "what came before the transaction arrived";
  EXPECT_TRUE(Run(1, {"WAIT", "0", "0"}).starts_with("(error) ERR WAIT cannot be used with"));
}

TEST_F(ReplicationTest, OneAcknowledgementReleasesTheNewestWaiterFirst) {
  WithReplicas(1, 1 * kMs);
  struct Order final : Sink {
    void OnReply(ClientId client, Value& value) override {
      if (value.type == Value::Type::kInteger) ids.push_back(client);
    }
    void OnClosed(ClientId) override {}
    std::vector<ClientId> ids;
  } order;
  topology_->server(0).SetSink(&order);
  const ClientId second = topology_->server(0).Connect();
  for (const Argv& argv : {Argv{"SET", "k", "v"}, Argv{"WAIT", "1", "0"}}) {
    for (const ClientId client : {clients_[0], second}) {
      topology_->server(0).Execute(client, argv);
    }
  }
  Pass(10 * kMs);
  EXPECT_EQ(order.ids, (std::vector<ClientId>{second, clients_[0]}));
}

TEST_F(ReplicationTest, WritesEndOnceTooFewReplicasAreHeardOf) {
  Run(0, {"CONFIG", "SET", "min-replicas-to-write", "1", "min-replicas-max-lag", "2"});
  EXPECT_EQ(Run(0, {"SET", "k", "v"}), "OK");
  topology_->SetPaused(1, true);
  Pass(1900 * kMs);
  EXPECT_EQ(Run(0, {"SET", "k", "v"}), "OK");
  Pass(1400 * kMs);
  const std::string refusal = "(error) NOREPLICAS Not enough good replicas to write.";
  EXPECT_EQ(Run(0, {"SET", "k", "v"}), refusal);
  EXPECT_EQ(Run(0, {"DEL", "k"}), refusal);
  EXPECT_EQ(Run(0, {"EVAL", "return 1", "0"}), "(integer) 1");
  EXPECT_EQ(Run(0, {"PUBLISH", "a", "b"}), "(integer) 0");
  topology_->SetPaused(1, false);
  Pass(2 * kSecond);
  EXPECT_EQ(Run(0, {"SET", "k", "v"}), "OK");
}

TEST_F(ReplicationTest, PromotionKeepsTheDataAndDemotionLosesTheDivergedSuffix) {
  Run(0, {"SET", "common", "1"});
  Pass(1 * kMs);
  EXPECT_EQ(Run(1, {"REPLICAOF", "NO", "ONE"}), "OK");
  Run(1, {"SET", "of-the-new", "1"});
  Run(0, {"SET", "of-the-old", "1"});
  Demote(0, 1);
  EXPECT_EQ(Run(0, {"GET", "of-the-old"}), "\"1\"") << "until the resync";
  Pass(1 * kSecond);
  EXPECT_EQ(Run(0, {"MGET", "common", "of-the-old", "of-the-new"}), "[\"1\", (nil), \"1\"]");
}

TEST_F(ReplicationTest, DemotionSendsBlockedClientsAwayAndFailsWatches) {
  const ClientId blocked = topology_->server(0).Connect();
  Run(0, {"SET", "w", "1"});
  Run(0, {"WATCH", "w"});
  RunAs(0, blocked, {"BLPOP", "q", "0"});
  const ClientId third = topology_->server(0).Connect();
  Run(1, {"REPLICAOF", "NO", "ONE"});
  EXPECT_EQ(RunAs(0, third, {"REPLICAOF", "10.0.0.2", "6379"}),
            "(error) UNBLOCKED force unblock from blocking operation, instance state changed "
            "(master -> replica?); closed; OK");
  Pass(1 * kSecond);
  Run(0, {"MULTI"});
  EXPECT_EQ(Run(0, {"EXEC"}), "(nil)");
}

TEST_F(ReplicationTest, SubscribersOfAReplicaHearTheMaster) {
  EXPECT_EQ(Run(1, {"SUBSCRIBE", "c"}), "[\"subscribe\", \"c\", 1]");
  EXPECT_EQ(Run(0, {"PUBLISH", "c", "m"}), "(integer) 0");
  Pass(1 * kMs);
  EXPECT_EQ(Heard(1), "[\"message\", \"c\", \"m\"]");
}

TEST_F(ReplicationTest, AReplicaAnnouncesTheEffectsAsItsOwnEvents) {
  Run(1, {"CONFIG", "SET", "notify-keyspace-events", "EA"});
  Run(1, {"PSUBSCRIBE", "*"});
  Run(0, {"SET", "k", "v", "PX", "10"});
  Pass(11 * kMs);
  Run(0, {"GET", "k"});
  Heard(1);
  Pass(1 * kMs);
  EXPECT_EQ(Heard(1), "[\"pmessage\", \"*\", \"__keyevent@0__:del\", \"k\"]");
}

TEST_F(ReplicationTest, WithoutStaleDataAReplicaServesNothingOfItWhileItsLinkIsDown) {
  Run(1, {"CONFIG", "SET", "replica-serve-stale-data", "no"});
  topology_->Kill(0, {});
  Pass(1 * kMs);
  const std::string down =
      "(error) MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.";
  EXPECT_EQ(Run(1, {"GET", "k"}), down);
  EXPECT_EQ(Run(1, {"PING"}), down);
  EXPECT_EQ(Run(1, {"EVAL", "return 1", "0"}), down);
  EXPECT_EQ(Run(1, {"EVAL", "#!lua flags=allow-stale,no-writes\nreturn 1", "0"}), "(integer) 1");
  EXPECT_EQ(Run(1, {"PUBLISH", "a", "b"}), "(integer) 0");
}

}  // namespace
}  // namespace interlock::sim::redis
