// SPDX-License-Identifier: MIT
//
// A Cluster of three masters with a replica each, node time-out 1.5 s: what its clients see while a
// master is away, and when it comes back.
#include "sim/redis/cluster_bus.h"

#include <memory>

#include "tests/sim/redis/topology_fixture.h"

namespace interlock::sim::redis {
namespace {

// Slots: c is 7365, served by node 1, whose replica is node 4.
class ClusterBusTest : public TopologyTest {
 protected:
  ClusterBusTest() {
    const ClusterSpec spec = {.node_timeout_us = 1500 * kMs};
    Build(ClusterBus::Nodes(spec));
    bus_ = std::make_unique<ClusterBus>(*topology_, spec);
    Live(3 * kSecond);
  }
  void Live(std::int64_t us) {
    for (const std::int64_t end = topology_->time_us() + us; topology_->time_us() < end;) {
      Pass(std::min(bus_->NextTimerUs(), end) - topology_->time_us());
      bus_->RunTimers();
    }
  }
  std::unique_ptr<ClusterBus> bus_;
};

TEST_F(ClusterBusTest, EveryNodeSendsClientsToTheOwner) {
  EXPECT_EQ(Run(1, {"SET", "c", "1"}), "OK");
  EXPECT_EQ(Run(0, {"GET", "c"}), "(error) MOVED 7365 10.0.0.2:6379");
  EXPECT_EQ(Run(4, {"GET", "c"}), "(error) MOVED 7365 10.0.0.2:6379");
  EXPECT_EQ(Run(4, {"READONLY"}), "OK");
  Live(kSecond);
  EXPECT_EQ(Run(4, {"GET", "c"}), "\"1\"");
}

TEST_F(ClusterBusTest, ReplicaTakesTheSlotsOfAMasterThatIsAway) {
  EXPECT_EQ(Run(1, {"SET", "c", "1"}), "OK");
  Live(kSecond);
  topology_->SetPaused(1, true);
  Live(kSecond);
  EXPECT_EQ(Run(0, {"GET", "c"}), "(error) MOVED 7365 10.0.0.2:6379");
  Live(900 * kMs);
  EXPECT_EQ(Run(0, {"GET", "a"}).substr(0, 30), "(error) CLUSTERDOWN The cluste");
  Live(1600 * kMs);
  EXPECT_EQ(Run(4, {"GET", "c"}), "\"1\"");
  EXPECT_EQ(Run(0, {"GET", "c"}), "(error) MOVED 7365 10.0.0.5:6379");
}

TEST_F(ClusterBusTest, MasterThatComesBackFollowsItsSuccessorAndLosesWhatItAcceptedAlone) {
  topology_->SetPaused(1, true);
  Live(5 * kSecond);
  EXPECT_EQ(Run(4, {"SET", "c", "new"}), "OK");
  topology_->SetPaused(1, false);
  EXPECT_EQ(Run(1, {"SET", "c", "lost"}), "OK");
  Live(200 * kMs);
  EXPECT_EQ(Run(1, {"GET", "c"}), "(error) MOVED 7365 10.0.0.5:6379");
  Live(5 * kSecond);
  EXPECT_EQ(Run(1, {"READONLY"}), "OK");
  EXPECT_EQ(Run(1, {"GET", "c"}), "\"new\"");
}

TEST_F(ClusterBusTest, BlockedClientOfTheReturnedMasterIsSentAway) {
  ASSERT_EQ(Run(1, {"BLPOP", "c", "0"}), "");
  topology_->SetPaused(1, true);
  Live(5 * kSecond);
  topology_->SetPaused(1, false);
  Live(200 * kMs);
  EXPECT_TRUE(Heard(1).starts_with("(error) UNBLOCKED force unblock from blocking operation"));
}

TEST_F(ClusterBusTest, MinorityServesNeitherReadsNorWrites) {
  for (NodeId other = 0; other < topology_->size(); ++other) {
    if (other != 1) topology_->SetCut(1, other, true);
  }
  Live(kSecond);
  EXPECT_EQ(Run(1, {"SET", "c", "1"}), "OK");
  Live(kSecond);
  EXPECT_EQ(Run(1, {"GET", "c"}), "(error) CLUSTERDOWN The cluster is down");
  Live(3 * kSecond);
  EXPECT_EQ(Run(4, {"GET", "c"}), "(nil)");
}

TEST_F(ClusterBusTest, FailoverByCommandSwapsTheRoles) {
  EXPECT_EQ(Run(1, {"SET", "c", "1"}), "OK");
  Live(kSecond);
  EXPECT_EQ(Run(4, {"CLUSTER", "FAILOVER"}), "OK");
  Live(2 * kSecond);
  EXPECT_EQ(Run(4, {"GET", "c"}), "\"1\"");
  EXPECT_EQ(Run(1, {"GET", "c"}), "(error) MOVED 7365 10.0.0.5:6379");
}

}  // namespace
}  // namespace interlock::sim::redis
