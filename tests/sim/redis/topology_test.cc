// SPDX-License-Identifier: MIT
//
// What runs between servers: lag, cuts, crashes, resyncs.
#include <gtest/gtest.h>

#include "tests/sim/redis/topology_fixture.h"

namespace interlock::sim::redis {
namespace {

class ReplicatedTopologyTest : public TopologyTest {
 protected:
  void SetUp() override {
    Build(TopologySpec::WithReplicas(2));
    Pass(1 * kSecond);
  }
};

TEST_F(ReplicatedTopologyTest, ACutKeepsTheStreamAndHealingDeliversIt) {
  topology_->SetCut(0, 1, true);
  Run(0, {"SET", "k", "v"});
  Pass(5 * kSecond);
  EXPECT_EQ(Run(1, {"GET", "k"}), "(nil)");
  EXPECT_EQ(Run(2, {"GET", "k"}), "\"v\"");
  topology_->SetCut(0, 1, false);
  Pass(1 * kMs);
  EXPECT_EQ(Run(1, {"GET", "k"}), "\"v\"");
}

TEST_F(ReplicatedTopologyTest, ALongCutEndsTheLinkAndAResyncMendsIt) {
  topology_->SetCut(0, 1, true);
  Pass(63 * kSecond);
  Run(0, {"SET", "k", "v"});
  EXPECT_NE(Run(1, {"ROLE"}).find("\"connecting\""), std::string::npos);
  EXPECT_EQ(Run(0, {"ROLE"}).find("10.0.0.2"), std::string::npos);
  topology_->SetCut(0, 1, false);
  Pass(2 * kSecond);
  EXPECT_EQ(Run(1, {"GET", "k"}), "\"v\"");
}

TEST_F(ReplicatedTopologyTest, AKilledMasterLosesNothingThatItHadSent) {
  topology_->SetLag(0, 1, 50 * kMs);
  Run(0, {"SET", "k", "v"});
  topology_->Kill(0, {});
  Pass(100 * kMs);
  EXPECT_EQ(Run(1, {"GET", "k"}), "\"v\"");
}

TEST_F(ReplicatedTopologyTest, APowerLossTakesWhatIsOnItsWay) {
  topology_->SetLag(0, 1, 50 * kMs);
  Run(0, {"SET", "k", "v"});
  topology_->Kill(0, {.power_lost = true});
  Pass(100 * kMs);
  EXPECT_EQ(Run(1, {"GET", "k"}), "(nil)");
}

TEST_F(ReplicatedTopologyTest, AnUnpersistedMasterThatComesBackTakesTheLockFromItsReplicas) {
  Run(0, {"SET", "lock", "token"});
  Pass(1 * kMs);
  EXPECT_EQ(Run(1, {"GET", "lock"}), "\"token\"");
  Restart(0);
  EXPECT_EQ(Run(1, {"GET", "lock"}), "\"token\"");
  Pass(2 * kSecond);
  EXPECT_EQ(Run(1, {"GET", "lock"}), "(nil)");
}

TEST_F(ReplicatedTopologyTest, APersistedMasterBringsItBack) {
  Build([] {
    TopologySpec spec = TopologySpec::WithReplicas(1);
    spec.nodes[0].configuration = {{"appendonly", "yes"}};
    return spec;
  }());
  Pass(1 * kSecond);
  Run(0, {"SET", "lock", "token"});
  Pass(1 * kMs);
  Restart(0);
  Pass(2 * kSecond);
  EXPECT_EQ(Run(0, {"GET", "lock"}), "\"token\"");
  EXPECT_EQ(Run(1, {"GET", "lock"}), "\"token\"");
}

TEST_F(ReplicatedTopologyTest, OtherReplicasFollowThePromotedOneWithoutAFullResync) {
  Run(0, {"SET", "k", "1"});
  Pass(1 * kMs);
  Run(1, {"REPLICAOF", "NO", "ONE"});
  Run(2, {"WATCH", "k"});
  EXPECT_EQ(Run(2, {"REPLICAOF", "10.0.0.2", "6379"}), "OK");
  Run(1, {"SET", "n", "2"});
  Pass(1 * kSecond);
  EXPECT_EQ(Run(2, {"GET", "n"}), "\"2\"");
  Run(2, {"MULTI"});
  EXPECT_EQ(Run(2, {"EXEC"}), "[]") << "a full resync would have touched the watched key";
}

TEST_F(ReplicatedTopologyTest, ReplicasOfReplicasGetTheSameStream) {
  Run(2, {"REPLICAOF", "10.0.0.2", "6379"});
  Pass(1 * kSecond);
  Run(0, {"SET", "k", "v"});
  Run(0, {"INCR", "n"});
  Pass(1 * kMs);
  EXPECT_EQ(Run(2, {"MGET", "k", "n"}), "[\"v\", \"1\"]");
  const std::string master = Run(0, {"ROLE"});
  EXPECT_EQ(Run(2, {"ROLE"}).find("\"10.0.0.2\""), 10U);
  EXPECT_EQ(master.find("10.0.0.3"), std::string::npos);
}

TEST_F(ReplicatedTopologyTest, AStoppedReplicaGetsEverythingWhenItGoesOn) {
  topology_->SetPaused(1, true);
  for (int i = 0; i < 10; ++i) Run(0, {"INCR", "n"});
  Pass(3 * kSecond);
  topology_->SetPaused(1, false);
  Pass(1 * kMs);
  EXPECT_EQ(Run(1, {"GET", "n"}), "\"10\"");
}

TEST_F(ReplicatedTopologyTest, AReplicaThatLostItsPowerIsForgottenOnceItIsWrittenTo) {
  Restart(1, {.power_lost = true});
  Pass(1 * kSecond);
  Run(0, {"SET", "k", "v"});
  Pass(1 * kMs);
  const std::string role = Run(0, {"ROLE"});
  const std::size_t first = role.find("10.0.0.2");
  ASSERT_NE(first, std::string::npos) << role;
  EXPECT_EQ(role.find("10.0.0.2", first + 1), std::string::npos) << role;
  EXPECT_EQ(Run(1, {"GET", "k"}), "\"v\"");
}

TEST_F(ReplicatedTopologyTest, WhoSchedulesDeliversOneByOne) {
  Run(0, {"INCR", "n"});
  Run(0, {"INCR", "n"});
  EXPECT_EQ(topology_->Deliverable(), (std::vector<std::pair<NodeId, NodeId>>{{0, 1}, {0, 2}}));
  EXPECT_TRUE(topology_->DeliverOne(0, 1));
  EXPECT_EQ(Run(1, {"GET", "n"}), "\"1\"");
  EXPECT_TRUE(topology_->DeliverOne(0, 1));
  EXPECT_EQ(Run(1, {"GET", "n"}), "\"2\"");
  EXPECT_FALSE(topology_->DeliverOne(0, 1));
  EXPECT_EQ(Run(2, {"GET", "n"}), "(nil)");
}

TEST_F(ReplicatedTopologyTest, AReplicaJudgesExpiryByItsOwnClock) {
  Run(0, {"SET", "k", "v", "PX", "1000"});
  Pass(1 * kMs);
  topology_->StepClock(1, 2 * kSecond);
  EXPECT_EQ(Run(1, {"GET", "k"}), "(nil)");
  EXPECT_EQ(Run(2, {"GET", "k"}), "\"v\"");
  topology_->StepClock(1, -2 * kSecond);
  EXPECT_EQ(Run(1, {"GET", "k"}), "\"v\"");
}

TEST_F(ReplicatedTopologyTest, ADriftingClockRunsFaster) {
  topology_->SetClockDrift(1, 500'000);
  const std::int64_t before = topology_->server(1).time_us();
  topology_->SetTime(topology_->time_us() + 2 * kSecond);
  EXPECT_EQ(topology_->server(1).time_us() - before, 3 * kSecond);
}

TEST_F(ReplicatedTopologyTest, TimersOfADriftingServerFireByItsClock) {
  topology_->SetClockDrift(0, 1'000'000);
  const std::int64_t start = topology_->time_us();
  Run(0, {"BLPOP", "q", "0.5"});
  Heard(0);
  EXPECT_EQ(topology_->NextTimerUs(), start + 250 * kMs);
  Pass(250 * kMs);
  EXPECT_EQ(Heard(0), "(nil)");
}

TEST_F(TopologyTest, IndependentMastersKnowNothingOfOneAnother) {
  Build(TopologySpec::IndependentMasters(3));
  Run(0, {"SET", "k", "v"});
  Pass(1 * kSecond);
  EXPECT_EQ(Run(1, {"GET", "k"}), "(nil)");
  EXPECT_EQ(topology_->NextTimerUs(), std::nullopt);
}

TEST_F(ReplicatedTopologyTest, WritesOfAWritableReplicaStayThere) {
  Run(1, {"CONFIG", "SET", "replica-read-only", "no"});
  EXPECT_EQ(Run(1, {"SET", "own", "1"}), "OK");
  Run(2, {"REPLICAOF", "10.0.0.2", "6379"});
  Pass(1 * kSecond);
  Run(1, {"SET", "later", "1"});
  Run(0, {"SET", "k", "v"});
  Pass(1 * kSecond);
  EXPECT_EQ(Run(2, {"MGET", "later", "k"}), "[(nil), \"v\"]");
}

}  // namespace
}  // namespace interlock::sim::redis
