// SPDX-License-Identifier: MIT
//
// A primary whose clients ask Sentinels for it: whom these name when another one takes its place,
// and what they are when they come back.
#include <gtest/gtest.h>

#include <string>

#include "sim/faults.h"
#include "tests/sim/fault_fixture.h"

namespace interlock::sim {
namespace {

constexpr int kServers = 3;  // The Sentinels stand behind them.

WorldOptions UnderSentinels() {
  WorldOptions options = Bench::Exact();
  options.topology = Topology::kSentinel;
  options.nodes = kServers + kSentinelNodes;
  options.replication_lag = milliseconds(5);
  return options;
}

/// The host of the master that it names.
std::string NamedBy(Bench& bench, int sentinel) {
  const auto connection = bench.Connect(0, sentinel);
  if (connection == nullptr) return "refused";
  const auto reply = Call(*connection, {"SENTINEL", "get-master-addr-by-name", "mymaster"});
  return reply.ok() && reply->elements.size() == 2 ? reply->elements[0].text : "no master";
}

TEST(SentinelFaultTest, AFailoverIsHeardOfByOneSentinelAtOnceAndByTheOthersATickLater) {
  RunWith({{FaultKind::kFailover, 0, kStep, seconds(2)}}, UnderSentinels(),
          [](Bench& bench, Connection&) {
            const std::string old = bench.world->address(0).host;
            const std::string promoted = bench.world->address(1).host;
            EXPECT_EQ(NamedBy(bench, kServers), promoted);
            EXPECT_EQ(NamedBy(bench, kServers + 1), old);
            EXPECT_EQ(NamedBy(bench, kServers + 2), old);
            bench.Sleep(0, milliseconds(100));
            EXPECT_EQ(NamedBy(bench, kServers + 1), promoted);
            EXPECT_EQ(NamedBy(bench, kServers + 2), promoted);
            EXPECT_EQ(AskNode(bench, 1, {"SET", "k", "new"}), "OK");
          });
}

TEST(SentinelFaultTest, ASentinelThatWasKilledComesBackAsOne) {
  RunWith({{FaultKind::kServerKill, 0, kStep, seconds(1), kServers}}, UnderSentinels(),
          [](Bench& bench, Connection& primary) {
            EXPECT_EQ(NamedBy(bench, kServers), "refused");
            bench.Sleep(0, seconds(1));
            EXPECT_EQ(NamedBy(bench, kServers), bench.world->address(0).host);
            EXPECT_EQ(Ask(primary, {"GET", "k"}), "v");
          });
}

}  // namespace
}  // namespace interlock::sim
