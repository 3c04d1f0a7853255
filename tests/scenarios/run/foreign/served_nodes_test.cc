// SPDX-License-Identifier: MIT
//
// The servers of a run that clients discover: what a failover does to them, and by which addresses
// each client is told of them.
#include "scenarios/run/foreign/served_nodes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "scenarios/run/foreign/node_addresses.h"

namespace interlock::scenarios::drive {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr std::int64_t kEpochUs = 1'700'000'000'000'000;

/// A client of all nodes, which keeps the last answer of each.
class Asker : sim::redis::Sink {
 public:
  explicit Asker(ServedNodes& nodes) : nodes_(nodes) {
    for (int node = 0; node < nodes.count(); ++node) nodes.server(node).SetSink(this);
  }

  void Subscribe(int node, const std::string& channel) {
    nodes_.server(node).Execute(nodes_.server(node).Connect(""), {"SUBSCRIBE", channel});
  }
  const std::string& last() const { return last_; }

  std::string Ask(int node, const sim::redis::Argv& argv) {
    const auto client = nodes_.server(node).Connect("");
    nodes_.server(node).Execute(client, argv);
    nodes_.server(node).Disconnect(client);
    return last_;
  }

 private:
  void OnReply(sim::redis::ClientId /*client*/, sim::redis::Value& value) override {
    last_ = sim::redis::ToText(value);
  }
  void OnClosed(sim::redis::ClientId /*client*/) override {}

  ServedNodes& nodes_;
  std::string last_;
};

DriveOptions OptionsOf(sim::Topology topology, int masters) {
  DriveOptions options;
  options.topology = topology;
  options.nodes = masters;
  return options;
}

TEST(ServedNodesTest, SentinelsNameTheReplicaThatTookOver) {
  DriveOptions options = OptionsOf(sim::Topology::kSentinel, 1);
  ServedNodes nodes(options, kEpochUs);
  Asker asker(nodes);
  ASSERT_EQ(nodes.count(), 5);
  EXPECT_EQ(nodes.places(), 1);
  const sim::redis::Argv question = {"SENTINEL", "GET-MASTER-ADDR-BY-NAME", "mymaster"};
  EXPECT_EQ(asker.Ask(2, question), R"(["127.0.0.1", "17001"])");
  EXPECT_THAT(asker.Ask(2, {"SENTINEL", "REPLICAS", "mymaster"}), HasSubstr("17002"));
  EXPECT_EQ(asker.Ask(0, {"SET", "lock", "C1"}), "OK");
  EXPECT_THAT(asker.Ask(1, {"SET", "lock", "C2"}), StartsWith("(error) READONLY"));
  EXPECT_EQ(nodes.Replaceable(0), 0);
  EXPECT_EQ(nodes.Replaceable(4), 0);

  nodes.FailOver(0);
  EXPECT_FALSE(nodes.Serves(0));
  EXPECT_EQ(asker.Ask(2, question), R"(["127.0.0.1", "17002"])");
  EXPECT_THAT(asker.Ask(2, {"SENTINEL", "MASTERS"}), HasSubstr("17002"));
  EXPECT_EQ(asker.Ask(1, {"GET", "lock"}), "\"C1\"");  // It had arrived.
  EXPECT_EQ(nodes.DataAt(0).size(), 1U);
  EXPECT_EQ(nodes.Replaceable(1), std::nullopt);

  EXPECT_TRUE(nodes.BringBack());
  nodes.SetTime(kEpochUs + 2'000'000);
  EXPECT_EQ(nodes.Replaceable(1), 1);
  EXPECT_EQ(asker.Ask(0, {"GET", "lock"}), "\"C1\"");
  EXPECT_EQ(asker.Ask(3, question), R"(["127.0.0.1", "17002"])");
}

TEST(ServedNodesTest, SentinelsPublishWhichServerTookOver) {
  ServedNodes nodes(OptionsOf(sim::Topology::kSentinel, 1), kEpochUs);
  Asker asker(nodes);
  asker.Subscribe(2, "+switch-master");
  nodes.FailOver(0);
  EXPECT_EQ(asker.last(),
            R"(["message", "+switch-master", "mymaster 127.0.0.1 17001 127.0.0.1 17002"])");
}

TEST(ServedNodesTest, WhatIsOnItsWayToTheReplicaIsLost) {
  DriveOptions options = OptionsOf(sim::Topology::kSentinel, 1);
  options.replication_lag = std::chrono::milliseconds(20);
  ServedNodes nodes(options, kEpochUs);
  Asker asker(nodes);
  asker.Ask(0, {"SET", "old", "1"});
  nodes.SetTime(kEpochUs + 30'000);
  asker.Ask(0, {"SET", "new", "1"});
  nodes.SetTime(kEpochUs + 40'000);
  nodes.FailOver(0);
  EXPECT_EQ(asker.Ask(1, {"EXISTS", "old", "new"}), "(integer) 1");
}

TEST(ServedNodesTest, ASlotOfAClusterIsServedByTheReplicaOfItsMaster) {
  ServedNodes nodes(OptionsOf(sim::Topology::kShards, 3), kEpochUs);
  Asker asker(nodes);
  ASSERT_EQ(nodes.count(), 6);
  EXPECT_THAT(asker.Ask(0, {"INFO", "cluster"}), HasSubstr("cluster_enabled:1"));
  EXPECT_EQ(asker.Ask(0, {"SET", "foo", "1"}), "(error) MOVED 12182 127.0.0.1:17003");
  EXPECT_EQ(asker.Ask(2, {"SET", "foo", "1"}), "OK");
  EXPECT_EQ(nodes.Replaceable(2), 2);
  EXPECT_EQ(nodes.Replaceable(5), std::nullopt);
  nodes.FailOver(2);
  EXPECT_EQ(asker.Ask(0, {"SET", "foo", "1"}), "(error) MOVED 12182 127.0.0.1:17006");
  EXPECT_EQ(asker.Ask(5, {"GET", "foo"}), "\"1\"");
  EXPECT_EQ(nodes.DataAt(0).size(), 1U);
}

TEST(ServedNodesTest, EachClientIsToldOfItsOwnPorts) {
  const std::vector<PortOfNode> ports = {{17001, 5}, {17002, 60000}};
  sim::redis::Value value;
  value.type = sim::redis::Value::Type::kArray;
  for (const std::string text : {"127.0.0.1:17001@27001 master 170010", "17002"}) {
    value.elements.emplace_back();
    value.elements.back().type = sim::redis::Value::Type::kString;
    value.elements.back().text = text;
  }
  value.elements.emplace_back();
  value.elements.back().type = sim::redis::Value::Type::kInteger;
  value.elements.back().integer = 17002;
  Translate(ports, value);
  EXPECT_EQ(sim::redis::ToText(value), R"(["127.0.0.1:5@27001 master 170010", "60000", 60000])");
}

}  // namespace
}  // namespace interlock::scenarios::drive
