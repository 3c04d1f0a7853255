// SPDX-License-Identifier: MIT
//
// A cluster that changes under its clients: slots move by keys, and shards fail over. Key k is in
// slot 7629, which the second of three masters has at first; at its fourth step, right after it has
// written k, client 0 meets the fault.
#include <gtest/gtest.h>

#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "sim/redis/dialect.h"
#include "tests/sim/fault_fixture.h"

namespace interlock::sim {
namespace {

constexpr int kOwner = 1;
constexpr std::string_view kMovedOn = "MOVED 7629 10.0.0.3:6379";

WorldOptions Cluster(Topology topology, int nodes) {
  WorldOptions options = Bench::Exact();
  options.topology = topology;
  options.nodes = nodes;
  options.replication_lag = milliseconds(5);
  return options;
}

void RunAtItsMaster(FaultPlan faults, const WorldOptions& options,
                    const std::function<void(Bench&, Connection&)>& rest) {
  RunWith(std::move(faults), options, rest, 2, kOwner);
}

Fault Reshards(Duration length, int step = kStep) {
  return {FaultKind::kReshard, 0, step, length, 0};
}

Fault FailsOver(int node, Duration length = seconds(10)) {
  return {FaultKind::kShardFailover, 0, kStep, length, node};
}

TEST(ReshardTest, AKeyThatHasMovedIsAskedForAndThenMovedForGood) {
  RunAtItsMaster({Reshards(seconds(5))}, Cluster(Topology::kCluster, 3),
                 [](Bench& bench, Connection& c) {
                   EXPECT_EQ(Ask(c, {"GET", "k"}), "ASK 7629 10.0.0.3:6379");
                   const auto next = bench.Connect(0, 2);
                   EXPECT_EQ(Ask(*next, {"GET", "k"}), "MOVED 7629 10.0.0.2:6379");
                   EXPECT_EQ(Ask(*next, {"ASKING"}), "OK");
                   EXPECT_EQ(Ask(*next, {"GET", "k"}), "v");
                   EXPECT_EQ(bench.world->NodeOf("k"), 2);
                   bench.Sleep(0, seconds(5));
                   EXPECT_EQ(Ask(c, {"GET", "k"}), kMovedOn);
                   EXPECT_EQ(Ask(*next, {"GET", "k"}), "v");
                   EXPECT_EQ(AskNode(bench, 0, {"GET", "k"}), kMovedOn);
                 });
}

TEST(ReshardTest, AKeyKeepsItsDeadline) {
  RunAtItsMaster({Reshards(seconds(1))}, Cluster(Topology::kCluster, 3),
                 [](Bench& bench, Connection&) {
                   const auto of_key = [&](int node) {
                     return bench.world->server(node).PeekExpiresAtMs(0, "k").value_or(0);
                   };
                   // The request arrived after 1 ms of a connection's 2, as everything at these
                   // servers does.
                   EXPECT_EQ(bench.world->GlobalTimeOfServerMs(of_key(2)), milliseconds(60'003));
                   EXPECT_EQ(of_key(kOwner), 0);
                 });
}

TEST(ReshardTest, SeveralKeysOfWhichHalfHaveMovedCannotBeUsedTogether) {
  const auto options = Cluster(Topology::kCluster, 3);
  RunAtItsMaster({Reshards(seconds(5), kStep + 3)}, options, [](Bench& bench, Connection& c) {
    ASSERT_EQ(Ask(c, {"SET", "{k}2", "v"}), "OK");
    bench.world->Step(0);
    EXPECT_TRUE(Ask(c, {"EXISTS", "k", "{k}2"}).starts_with("TRYAGAIN"));
    EXPECT_TRUE(Ask(c, {"GET", "k"}).starts_with("ASK 7629"));
    EXPECT_EQ(Ask(c, {"GET", "{k}2"}), "v");
    EXPECT_EQ(bench.world->NodeOf("k"), 2);
    EXPECT_EQ(bench.world->NodeOf("{k}2"), kOwner);
    bench.Sleep(0, seconds(5));
    EXPECT_EQ(AskNode(bench, 2, {"EXISTS", "k", "{k}2"}), "2");
  });
}

TEST(ReshardTest, WhoIsBlockedOnAKeyOfTheSlotIsSentAwayWhenItHasMoved) {
  std::string answer;
  VirtualTime answered{};
  Bench bench(2, {{FaultKind::kReshard, 1, 1, seconds(5), 0}}, Cluster(Topology::kCluster, 3));
  bench.world->Start(0, [&] {
    const auto connection = bench.Connect(0, kOwner);
    EXPECT_EQ(Ask(*connection, {"SET", "{k}2", "v"}), "OK");
    answer = Ask(*connection, {"BLPOP", "k", "100"});
    answered = bench.world->now();
  });
  bench.world->Start(1, [&] {
    bench.Sleep(1, seconds(10));
    bench.world->Step(1);
  });
  bench.world->Run(kHorizon);
  EXPECT_EQ(answer, kMovedOn);
  EXPECT_EQ(answered, seconds(15) + milliseconds(1));
}

TEST(ReshardTest, AnOperatorWaitsForAServerThatIsDown) {
  const auto options = Cluster(Topology::kCluster, 3);
  const Fault kill{FaultKind::kServerKill, 0, kStep, seconds(10), 2};
  RunAtItsMaster({Reshards(seconds(5)), kill}, options, [](Bench& bench, Connection& c) {
    bench.Sleep(0, seconds(7));
    EXPECT_TRUE(Ask(c, {"GET", "k"}).starts_with("ASK"));
    bench.Sleep(0, seconds(4));
    EXPECT_EQ(Ask(c, {"GET", "k"}), kMovedOn);
  });
}

TEST(ReshardTest, WithoutKeysOrWithoutAClusterNothingHappens) {
  Bench empty(1, {Reshards(seconds(5), 1)}, Cluster(Topology::kCluster, 3));
  empty.world->Start(0, [&] { empty.world->Step(0); });
  EXPECT_EQ(empty.world->Run(kHorizon), StopReason::kFinished);
  EXPECT_TRUE(empty.observer.faults.empty());
  RunAtItsMaster({Reshards(seconds(5)), FailsOver(kOwner)}, Cluster(Topology::kIndependent, 3),
                 [](Bench& bench, Connection&) { EXPECT_TRUE(bench.observer.faults.empty()); });
}

WorldOptions OfValkey() {
  WorldOptions options = Cluster(Topology::kCluster, 3);
  options.dialect = redis::FindDialect("valkey-9.1");
  return options;
}

Fault Migrates(FaultKind kind, Duration length) { return {kind, 0, kStep, length, 0}; }

TEST(SlotMigrationTest, WritesWaitAndAreThenSentAfterTheirSlot) {
  RunAtItsMaster({Migrates(FaultKind::kSlotMigration, seconds(2))}, OfValkey(),
                 [](Bench& bench, Connection& c) {
                   const VirtualTime struck = bench.world->now();
                   EXPECT_EQ(Ask(c, {"GET", "k"}), "v");
                   EXPECT_EQ(Ask(c, {"SET", "k", "late"}), kMovedOn);
                   EXPECT_EQ(bench.world->now(), struck + seconds(2) + milliseconds(1));
                   EXPECT_EQ(AskNode(bench, 2, {"GET", "k"}), "v");
                   EXPECT_EQ(bench.world->NodeOf("k"), 2);
                   EXPECT_EQ(bench.world->server(kOwner).PeekString(0, "k"), std::nullopt);
                   EXPECT_TRUE(bench.world->server(2).PeekExpiresAtMs(0, "k").has_value());
                 });
}

TEST(SlotMigrationTest, TheClaimComesBeforeThePauseIsOver) {
  RunAtItsMaster({Migrates(FaultKind::kSlotMigration, seconds(100))}, OfValkey(),
                 [](Bench& bench, Connection& c) {
                   const VirtualTime struck = bench.world->now();
                   EXPECT_EQ(Ask(c, {"SET", "k", "late"}), kMovedOn);
                   // It travels for 1 ms.
                   EXPECT_EQ(bench.world->now(), struck + seconds(10));
                 });
}

TEST(SlotMigrationTest, ASlotStaysWhoseNextMasterHasDiedOrLostItsDataMeanwhile) {
  for (const FaultKind kind : {FaultKind::kServerKill, FaultKind::kFlushAll}) {
    const Fault strikes{kind, 0, kStep, seconds(1), 2};
    RunAtItsMaster({Migrates(FaultKind::kSlotMigration, seconds(5)), strikes}, OfValkey(),
                   [](Bench& bench, Connection& c) {
                     const VirtualTime struck = bench.world->now();
                     EXPECT_EQ(Ask(c, {"SET", "k", "new"}), "OK");
                     EXPECT_EQ(bench.world->now(), struck + seconds(5) + milliseconds(1));
                     EXPECT_EQ(AskNode(bench, 2, {"GET", "k"}), "MOVED 7629 10.0.0.2:6379");
                   });
  }
}

TEST(SlotMigrationTest, WhoIsBlockedOnAKeyOfTheSlotIsSentAway) {
  std::string answer;
  Bench bench(2, {{FaultKind::kSlotMigration, 1, 1, seconds(5), 0}}, OfValkey());
  bench.world->Start(0, [&] {
    const auto connection = bench.Connect(0, kOwner);
    EXPECT_EQ(Ask(*connection, {"SET", "{k}2", "v"}), "OK");
    answer = Ask(*connection, {"BLPOP", "k", "100"});
  });
  bench.world->Start(1, [&] {
    bench.Sleep(1, seconds(10));
    bench.world->Step(1);
  });
  bench.world->Run(kHorizon);
  EXPECT_EQ(answer, kMovedOn);
}

TEST(SlotMigrationTest, AClaimThatComesTooLateTakesBackWhatWasAcknowledged) {
  RunAtItsMaster({Migrates(FaultKind::kLateClaim, seconds(2))}, OfValkey(),
                 [](Bench& bench, Connection& c) {
                   EXPECT_EQ(Ask(c, {"SET", "k", "acknowledged"}), "OK");
                   EXPECT_EQ(Ask(c, {"GET", "k"}), "acknowledged");
                   bench.Sleep(0, seconds(2));
                   EXPECT_EQ(Ask(c, {"GET", "k"}), kMovedOn);
                   EXPECT_EQ(AskNode(bench, 2, {"GET", "k"}), "v");
                 });
}

TEST(SlotMigrationTest, OnlyValkeyFrom90HasIt) {
  for (const FaultKind kind : {FaultKind::kSlotMigration, FaultKind::kLateClaim}) {
    RunAtItsMaster({Migrates(kind, seconds(2))}, Cluster(Topology::kCluster, 3),
                   [](Bench& bench, Connection&) { EXPECT_TRUE(bench.observer.faults.empty()); });
  }
}

TEST(ShardFailoverTest, TheReplicaServesTheSlotsWithWhatItHas) {
  RunAtItsMaster({FailsOver(kOwner)}, Cluster(Topology::kShards, 6),
                 [](Bench& bench, Connection& c) {
                   EXPECT_EQ(Ask(c, {"GET", "k"}, At(seconds(1))), "broken");
                   EXPECT_EQ(bench.world->NodeOf("k"), 4);
                   EXPECT_EQ(AskNode(bench, 0, {"GET", "k"}), "MOVED 7629 10.0.0.5:6379");
                   // It was written a moment before, and its replica is farther away.
                   EXPECT_EQ(AskNode(bench, 4, {"GET", "k"}), "nil");
                   EXPECT_EQ(AskNode(bench, 4, {"SET", "k", "new"}), "OK");
                 });
}

TEST(ShardFailoverTest, WhatHadReachedTheReplicaIsKept) {
  Bench bench(1, {{FaultKind::kShardFailover, 0, kStep + 1, seconds(10), 4}},
              Cluster(Topology::kShards, 6));
  std::string kept;
  bench.world->Start(0, [&] {
    const auto connection = bench.Connect(0, kOwner);
    ASSERT_EQ(Ask(*connection, {"SET", "k", "v"}), "OK");
    bench.Sleep(0, seconds(1));
    bench.world->Step(0);
    kept = AskNode(bench, 4, {"GET", "k"});
  });
  bench.world->Run(kHorizon);
  EXPECT_EQ(kept, "v") << "its shard may be named by either node";
}

TEST(ShardFailoverTest, TheOldMasterComesBackAsAReplica) {
  RunAtItsMaster({FailsOver(kOwner, seconds(2))}, Cluster(Topology::kShards, 6),
                 [](Bench& bench, Connection&) {
                   EXPECT_EQ(AskNode(bench, 4, {"SET", "k", "new"}), "OK");
                   bench.Sleep(0, seconds(4));
                   EXPECT_EQ(AskNode(bench, kOwner, {"GET", "k"}), "MOVED 7629 10.0.0.5:6379");
                   const auto replica = bench.Connect(0, kOwner);
                   EXPECT_EQ(Ask(*replica, {"READONLY"}), "OK");
                   EXPECT_EQ(Ask(*replica, {"GET", "k"}), "new");
                 });
}

TEST(ShardFailoverTest, AShardWithoutARunningReplicaStaysAsItIs) {
  const Fault kill{FaultKind::kServerKill, 0, kStep, seconds(100), 4};
  RunAtItsMaster({kill, FailsOver(kOwner)}, Cluster(Topology::kShards, 6),
                 [](Bench&, Connection& c) {
                   EXPECT_EQ(Ask(c, {"GET", "k"}), "v");
                 });
}

}  // namespace
}  // namespace interlock::sim
