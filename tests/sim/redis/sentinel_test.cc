// SPDX-License-Identifier: MIT
//
// What Sentinels tell clients, and how they fail a master over. The figures are those of three real
// ones (quorum 2, down-after 1000 ms) whose master was stopped.
#include <gtest/gtest.h>

#include "tests/sim/redis/topology_fixture.h"

namespace interlock::sim::redis {
namespace {

class SentinelTest : public TopologyTest {
 protected:
  static constexpr NodeId kFirst = 3;  // Behind the master and two replicas.

  void SetUp() override {
    TopologySpec spec = TopologySpec::WithReplicas(2);
    spec.sentinels = 3;
    spec.sentinel.quorum = 2;
    spec.sentinel.down_after_us = 1 * kSecond;
    Build(std::move(spec));
    Pass(12 * kSecond);
  }
  std::string Master(NodeId sentinel) {
    return Run(sentinel, {"SENTINEL", "GET-MASTER-ADDR-BY-NAME", "mymaster"});
  }
  /// Until the sentinel has said so; how long it took, or -1 after a minute.
  std::int64_t Await(NodeId sentinel, const std::string& event) {
    const ClientId client = topology_->server(sentinel).Connect();
    topology_->server(sentinel).Execute(client, {"SUBSCRIBE", event});
    Heard(sentinel);
    for (std::int64_t passed = 0; passed < 60 * kSecond; passed += 10 * kMs) {
      if (Heard(sentinel).find("\"message\", \"" + event) != std::string::npos) {
        topology_->server(sentinel).Disconnect(client);
        return passed;
      }
      Pass(10 * kMs);
    }
    return -1;
  }
};

TEST_F(SentinelTest, ClientsLearnTheMasterAndItsReplicas) {
  EXPECT_EQ(Master(kFirst), "[\"10.0.0.1\", \"6379\"]");
  EXPECT_EQ(Run(kFirst, {"SENTINEL", "GET-MASTER-ADDR-BY-NAME", "other"}), "(nil)");
  const std::string replicas = Run(kFirst, {"SENTINEL", "REPLICAS", "mymaster"});
  EXPECT_NE(replicas.find("\"10.0.0.2:6379\""), std::string::npos) << replicas;
  EXPECT_NE(replicas.find("\"10.0.0.3:6379\""), std::string::npos) << replicas;
  EXPECT_EQ(Run(kFirst, {"SENTINEL", "MASTER", "other"}),
            "(error) ERR No such master with that name");
  EXPECT_EQ(Run(kFirst, {"SENTINEL", "CKQUORUM", "mymaster"}),
            "OK 3 usable Sentinels. Quorum and failover authorization can be reached");
  EXPECT_EQ(Run(kFirst, {"ROLE"}), "[\"sentinel\", [\"mymaster\"]]");
}

TEST_F(SentinelTest, ItIsNoServerForData) {
  EXPECT_EQ(Run(kFirst, {"GET", "k"}),
            "(error) ERR unknown command 'GET', with args beginning with: 'k' ");
  EXPECT_EQ(Run(kFirst, {"MULTI"}),
            "(error) ERR unknown command 'MULTI', with args beginning with: ");
  EXPECT_EQ(Run(kFirst, {"SENTINEL", "FOO"}),
            "(error) ERR unknown subcommand 'FOO'. Try SENTINEL HELP.");
  EXPECT_EQ(Run(kFirst, {"PUBLISH", "a", "b"}),
            "(error) ERR Only HELLO messages are accepted by Sentinel instances.");
  EXPECT_EQ(Run(0, {"SENTINEL", "MASTERS"}),
            "(error) ERR unknown command 'SENTINEL', with args beginning with: 'MASTERS' ");
  EXPECT_EQ(Run(kFirst, {"PING"}), "PONG");
  EXPECT_TRUE(Run(kFirst, {"HELLO"}).ends_with("\"mode\", \"sentinel\", \"modules\", []]"));
}

TEST_F(SentinelTest, AStoppedMasterIsReplacedWithinThreeSeconds) {
  Run(0, {"SET", "k", "v"});
  Pass(50 * kMs);
  topology_->SetPaused(0, true);
  const std::int64_t switched = Await(kFirst, "+switch-master");
  EXPECT_GE(switched, 2 * kSecond);
  EXPECT_LE(switched, 3'500 * kMs);
  const std::int64_t later = Await(kFirst + 1, "+switch-master");  // It led, and saw to the rest.
  EXPECT_GE(later, 500 * kMs);
  EXPECT_LE(later, 1'500 * kMs);
  for (NodeId sentinel = kFirst; sentinel < kFirst + 3; ++sentinel) {
    EXPECT_NE(Master(sentinel), "[\"10.0.0.1\", \"6379\"]");
  }
  Pass(5 * kSecond);
  const bool second_won = Master(kFirst).find("10.0.0.2") != std::string::npos;
  const NodeId winner = second_won ? 1 : 2;
  for (const NodeId node : {winner, 3 - winner}) clients_[node] = topology_->server(node).Connect();
  EXPECT_EQ(Run(winner, {"SET", "k", "w"}), "OK");
  Pass(50 * kMs);
  EXPECT_EQ(Run(3 - winner, {"GET", "k"}), "\"w\"");
}

TEST_F(SentinelTest, AnOldMasterGoesOnAcceptingWritesUntilItIsConverted) {
  topology_->SetPaused(0, true);
  Pass(3'900 * kMs);
  topology_->SetPaused(0, false);
  EXPECT_EQ(Run(0, {"SET", "lock", "of the old one"}), "OK");
  Pass(8 * kSecond);
  EXPECT_EQ(Run(0, {"SET", "lock", "still"}), "OK");
  Heard(0);
  Pass(4 * kSecond);
  EXPECT_EQ(Heard(0), "closed") << "clients see a closed connection rather than READONLY";
  clients_[0] = topology_->server(0).Connect();
  EXPECT_EQ(Run(0, {"GET", "lock"}), "(nil)");
  EXPECT_EQ(Run(0, {"SET", "lock", "x"}),
            "(error) READONLY You can't write against a read only replica.");
}

TEST_F(SentinelTest, ClientsOfTheNewMasterAreClosedAtItsPromotion) {
  topology_->SetPaused(0, true);
  Await(kFirst + 1, "+switch-master");
  const bool second_won = Master(kFirst).find("10.0.0.2") != std::string::npos;
  EXPECT_EQ(Heard(second_won ? 1 : 2), "closed");
}

TEST_F(SentinelTest, AMinorityOfSentinelsFailsNothingOver) {
  topology_->Kill(kFirst + 1, {});
  topology_->Kill(kFirst + 2, {});
  Pass(3 * kSecond);
  topology_->SetPaused(0, true);
  Pass(30 * kSecond);
  EXPECT_EQ(Master(kFirst), "[\"10.0.0.1\", \"6379\"]");
  EXPECT_TRUE(Run(kFirst, {"SENTINEL", "CKQUORUM", "mymaster"})
                  .starts_with("(error) NOQUORUM 1 usable Sentinels."));
}

TEST_F(SentinelTest, AFailoverCanBeAskedFor) {
  EXPECT_EQ(Run(kFirst, {"SENTINEL", "FAILOVER", "mymaster"}), "OK");
  EXPECT_EQ(Run(kFirst, {"SENTINEL", "FAILOVER", "mymaster"}),
            "(error) INPROG Failover already in progress");
  Pass(15 * kSecond);
  const std::string master = Master(kFirst);
  EXPECT_NE(master, "[\"10.0.0.1\", \"6379\"]");
  EXPECT_EQ(master, Master(kFirst + 1));
  clients_[0] = topology_->server(0).Connect();
  EXPECT_TRUE(Run(0, {"ROLE"}).starts_with("[\"slave\"")) << "the old master has been converted";
}

TEST_F(SentinelTest, AMasterThatIsOnlySlowIsLeftAlone) {
  topology_->SetPaused(0, true);
  Pass(900 * kMs);
  topology_->SetPaused(0, false);
  Pass(20 * kSecond);
  EXPECT_EQ(Master(kFirst), "[\"10.0.0.1\", \"6379\"]");
}

}  // namespace
}  // namespace interlock::sim::redis
