// SPDX-License-Identifier: MIT
//
// CLUSTER MIGRATESLOTS in a Cluster of three masters without replicas: what it refuses, in the
// texts of Valkey 9.1.2, and what clients see while slots move at once. A test says when.
#include <cstdint>
#include <string>

#include <gmock/gmock.h>

#include "sim/redis/engine.h"
#include "tests/sim/redis/topology_fixture.h"

namespace interlock::sim::redis {
namespace {

using ::testing::HasSubstr;

// Slots: b is 3300, served by node 0; a is 15495, served by node 2.
class SlotMigrationTest : public TopologyTest {
 protected:
  SlotMigrationTest() {
    TopologySpec nodes = TopologySpec::IndependentMasters(3);
    for (NodeSpec& node : nodes.nodes) node.dialect = FindDialect("valkey-9.1");
    Build(nodes);
    ClusterView view;
    for (const NodeSpec& node : nodes.nodes) {
      const char letter = static_cast<char>('a' + view.nodes.size());
      view.nodes.push_back({std::string(40, letter), node.address.host, node.address.port});
    }
    for (std::size_t slot = 0; slot < kSlots; ++slot) {
      view.owner.Set(slot, static_cast<std::int16_t>(slot * view.nodes.size() / kSlots));
    }
    TellAll(view);
  }
  void TellAll(ClusterView view) {
    for (view.myself = 0; view.myself < view.nodes.size(); ++view.myself) {
      topology_->server(view.myself).SetClusterView(view);
    }
  }
  SlotMigrations& At(NodeId node) { return topology_->engine(node).cluster.migrations(); }
  SlotMigration& LatestAt(NodeId node) { return At(node).all().front(); }
  void Advance() { At(0).Advance(LatestAt(0), At(1)); }
  void Grant() {
    while (LatestAt(0).state < SlotMigration::State::kFailoverGranted) Advance();
  }
  void Claim() {
    ClusterView view = *topology_->server(1).cluster_view();
    At(1).Claim(LatestAt(1), view);
    TellAll(view);
  }
  std::string Id(NodeId node) { return topology_->server(node).cluster_view()->nodes[node].id; }
  std::string Migrate(const Argv& words) {
    Argv argv = {"CLUSTER", "MIGRATESLOTS"};
    argv.insert(argv.end(), words.begin(), words.end());
    return Run(0, argv);
  }
  std::string Migrate() { return Migrate({"SLOTSRANGE", "3300", "3300", "NODE", Id(1)}); }
  std::string Migrations(NodeId node) { return Run(node, {"CLUSTER", "GETSLOTMIGRATIONS"}); }
};

TEST_F(SlotMigrationTest, WhatIsWrongIsRefusedInTheOrderOfTheWords) {
  const std::string other = Id(1);
  const std::string nobody(40, 'f');
  EXPECT_EQ(Migrate({"SLOTSRANGE", "1"}), "(error) ERR No end slot for final slot range");
  EXPECT_EQ(Migrate({"SLOTSRANGE", "1", "3", "NODE"}), "(error) ERR syntax error");
  EXPECT_EQ(Migrate({"FOO", "1", "3", "NODE", other}), "(error) ERR syntax error");
  EXPECT_EQ(Migrate({"SLOTSRANGE", "1", "3", "NOD", other}), "(error) ERR syntax error");
  EXPECT_EQ(Migrate({"SLOTSRANGE", "1", "3", "NODE", other, "x"}), "(error) ERR syntax error");
  for (const char* bad : {"NODE", "16384", "-3", "x"}) {
    EXPECT_EQ(Migrate({"SLOTSRANGE", "1", bad, "NODE", other}),
              "(error) ERR Invalid or out of range slot");
  }
  for (const char* none : {"a", "01", "1.0", "99999999999999999999", ""}) {
    EXPECT_EQ(Migrate({"SLOTSRANGE", none, "4", "NODE", other}),
              "(error) ERR No slot ranges specified");
  }
  EXPECT_EQ(Migrate({"SLOTSRANGE", "5", "4", "NODE", other}),
            "(error) ERR Start slot number 5 is greater than end slot number 4.");
  EXPECT_EQ(Migrate({"SLOTSRANGE", "1", "3", "2", "4", "NODE", other}),
            "(error) ERR Slot range 2-4 overlaps with previous range 1-3.");
  EXPECT_EQ(
      Migrate({"SLOTSRANGE", "1", "3", "NODE", other, "SLOTSRANGE", "3", "4", "NODE", nobody}),
      "(error) ERR Slot ranges in migrations overlap");
  EXPECT_EQ(Migrate({"SLOTSRANGE", "6000", "6001", "NODE", nobody}),
            "(error) ERR Slots are not served by this node.");
  EXPECT_EQ(Migrate({"SLOTSRANGE", "1", "1", "6000", "6001", "NODE", nobody}),
            "(error) ERR Requested slots span multiple shards");
  EXPECT_EQ(Migrate({"SLOTSRANGE", "1", "2", "NODE", "zz"}), "(error) ERR Invalid node name: zz");
  EXPECT_EQ(Migrate({"SLOTSRANGE", "1", "2", "NODE", nobody}),
            "(error) ERR Unknown node name: " + nobody);
  EXPECT_EQ(Migrate({"SLOTSRANGE", "1", "2", "NODE", Id(0)}),
            "(error) ERR Target node can not be this node.");
  EXPECT_EQ(Run(0, {"CLUSTER", "DELSLOTS", "5"}), "OK");
  EXPECT_EQ(Migrate({"SLOTSRANGE", "4", "5", "NODE", nobody}),
            "(error) ERR Slot 5 has no node served.");
  EXPECT_EQ(Run(0, {"CLUSTER", "CANCELSLOTMIGRATIONS"}), "(error) ERR No migrations ongoing");
  EXPECT_EQ(Migrations(0), "[]");
}

TEST_F(SlotMigrationTest, OneWayToMoveSlotsExcludesTheOther) {
  EXPECT_EQ(Run(0, {"CLUSTER", "SETSLOT", "7", "MIGRATING", Id(1)}), "OK");
  EXPECT_EQ(Migrate({"SLOTSRANGE", "1", "2", "FOO"}),
            "(error) ERR Slots are being manually migrated");
  EXPECT_EQ(Run(0, {"CLUSTER", "SETSLOT", "7", "STABLE"}), "OK");
  EXPECT_EQ(Migrate(), "OK");
  EXPECT_EQ(Migrate(), "(error) ERR I am already migrating slot 3300.");
  EXPECT_EQ(Run(0, {"CLUSTER", "SETSLOT", "7", "MIGRATING", Id(1)}),
            "(error) ERR Slot export in progress.");
}

TEST_F(SlotMigrationTest, KeysMoveWithTheirDeadlinesAndTheOthersStay) {
  EXPECT_EQ(Run(0, {"SET", "b", "v", "PX", "60000"}), "OK");
  EXPECT_EQ(Run(0, {"SET", "bar", "w"}), "OK");
  EXPECT_EQ(Migrate(), "OK");
  Grant();
  Claim();
  EXPECT_EQ(Run(0, {"GET", "b"}), "(error) MOVED 3300 10.0.0.2:6379");
  EXPECT_EQ(Run(2, {"GET", "b"}), "(error) MOVED 3300 10.0.0.2:6379");
  EXPECT_EQ(Run(1, {"GET", "b"}), "\"v\"");
  EXPECT_GT(topology_->server(1).PeekExpiresAtMs(0, "b").value_or(0), 0);
  EXPECT_EQ(Run(0, {"DBSIZE"}), "(integer) 1");
  EXPECT_EQ(Run(0, {"GET", "bar"}), "\"w\"");
  EXPECT_THAT(Migrations(0), HasSubstr("\"success\""));
  EXPECT_THAT(Migrations(1), HasSubstr("\"IMPORT\", \"slot_ranges\", \"3300-3300\""));
}

TEST_F(SlotMigrationTest, WritersWaitAndAreSentAwayAndSoAreBlockedClients) {
  const ClientId popping = topology_->server(0).Connect();
  topology_->server(0).Execute(popping, {"BLPOP", "{b}list", "0"});
  EXPECT_EQ(Migrate(), "OK");
  Grant();
  EXPECT_EQ(Run(0, {"GET", "b"}), "(nil)");
  EXPECT_EQ(Run(0, {"SET", "b", "late"}), "") << "it waits";
  Claim();
  const std::string moved = "(error) MOVED 3300 10.0.0.2:6379";
  EXPECT_EQ(Heard(0), moved + "; " + moved);
  EXPECT_EQ(Run(1, {"GET", "b"}), "(nil)");
}

TEST_F(SlotMigrationTest, WhatIsWrittenAfterThePauseIsLostWhenTheClaimIsHeard) {
  EXPECT_EQ(Run(0, {"SET", "b", "old"}), "OK");
  EXPECT_EQ(Migrate(), "OK");
  Grant();
  Pass(9 * kSecond);
  EXPECT_EQ(Run(0, {"SET", "b", "acknowledged"}), "");
  Pass(kSecond);
  EXPECT_EQ(Heard(0), "OK");
  EXPECT_THAT(Migrations(0), HasSubstr("may have succeeded with lost writes"));
  Claim();
  EXPECT_EQ(Run(0, {"GET", "b"}), "(error) MOVED 3300 10.0.0.2:6379");
  EXPECT_EQ(Run(1, {"GET", "b"}), "\"old\"");
  EXPECT_THAT(Migrations(0), HasSubstr("\"failed\""));
  EXPECT_THAT(Migrations(1), HasSubstr("\"success\""));
}

TEST_F(SlotMigrationTest, AReplicaKeepsWhatItsMasterHasClaimed) {
  EXPECT_EQ(Migrate({"SLOTSRANGE", "0", "5461", "NODE", Id(1)}), "OK");
  Grant();
  ClusterView view = *topology_->server(1).cluster_view();
  At(1).Claim(LatestAt(1), view);
  view.nodes[0].master_id = Id(1);
  TellAll(view);
  EXPECT_THAT(Migrations(0), HasSubstr("\"success\""));
  topology_->Reconfigure(0, topology_->address(1));
  EXPECT_EQ(Run(1, {"SET", "b", "v"}), "OK");
  Pass(3 * kSecond);
  EXPECT_EQ(topology_->server(0).PeekString(0, "b"), "v");
  TellAll(view);
  EXPECT_EQ(topology_->server(0).PeekString(0, "b"), "v");
}

TEST_F(SlotMigrationTest, AMigrationThatIsCancelledLeavesTheSlotWhereItIs) {
  EXPECT_EQ(Migrate(), "OK");
  Grant();
  EXPECT_EQ(Run(0, {"SET", "b", "v"}), "") << "it waits";
  const ClientId admin = topology_->server(0).Connect();
  EXPECT_EQ(RunAs(0, admin, {"CLUSTER", "CANCELSLOTMIGRATIONS"}), "OK; OK");
  EXPECT_THAT(RunAs(0, admin, {"CLUSTER", "GETSLOTMIGRATIONS"}), HasSubstr("\"cancelled\""));
}

TEST_F(SlotMigrationTest, AProcessThatEndsForgetsIt) {
  EXPECT_EQ(Migrate(), "OK");
  Advance();
  Restart(1);
  EXPECT_EQ(Migrations(1), "[]");
  Advance();
  EXPECT_THAT(Migrations(0), HasSubstr("Connection lost to target."));
}

TEST_F(SlotMigrationTest, AFlushEndsIt) {
  EXPECT_EQ(Migrate(), "OK");
  Advance();
  EXPECT_EQ(Run(0, {"FLUSHALL"}), "OK");
  EXPECT_THAT(Migrations(0), HasSubstr("\"failed\", \"message\", \"Data was flushed\""));
}

TEST_F(SlotMigrationTest, OtherServersHaveNoSuchCommand) {
  TopologySpec nodes = TopologySpec::IndependentMasters(1);
  nodes.nodes[0].dialect = FindDialect("valkey-9.1");
  Build(nodes);
  EXPECT_EQ(Run(0, {"CLUSTER", "GETSLOTMIGRATIONS"}),
            "(error) ERR This instance has cluster support disabled");
  nodes.nodes[0].dialect = FindDialect("redis-8.0");
  Build(nodes);
  EXPECT_THAT(Run(0, {"CLUSTER", "GETSLOTMIGRATIONS"}), HasSubstr("unknown subcommand"));
}

}  // namespace
}  // namespace interlock::sim::redis
