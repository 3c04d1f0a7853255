// SPDX-License-Identifier: MIT
//
// Faults of servers, each by what a client sees of it: at its fourth step, right after its first
// write, client 0 meets the fault.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "sim/faults.h"
#include "tests/sim/server_fault_fixture.h"

namespace interlock::sim {
namespace {

struct Disk {
  Persistence persistence;
  const char* after_kill;
  const char* after_power_loss;
};

class DiskTest : public ::testing::TestWithParam<Disk> {};

TEST_P(DiskTest, AKilledServerRefusesAndComesBackWithWhatItHadWritten) {
  RunWith({Strikes(FaultKind::kServerKill, seconds(2))}, Alone(GetParam().persistence),
          [](Bench& bench, Connection& old) {
            EXPECT_EQ(Ask(old, {"GET", "k"}), "broken");
            EXPECT_EQ(AskAnew(bench, {"GET", "k"}), "refused");
            bench.Sleep(0, seconds(2));
            EXPECT_EQ(AskAnew(bench, {"GET", "k"}), GetParam().after_kill);
          });
}

TEST_P(DiskTest, AMachineWithoutPowerIsSilentAndComesBackWithWhatItHadSynced) {
  RunWith({Strikes(FaultKind::kServerPowerLoss, seconds(2))}, Alone(GetParam().persistence),
          [](Bench& bench, Connection& old) {
            const VirtualTime before = bench.world->now();
            EXPECT_EQ(Ask(old, {"GET", "k"}, At(milliseconds(500))), "broken");
            EXPECT_EQ(bench.world->now(), milliseconds(500)) << "no answer, and no reset";
            EXPECT_EQ(AskAnew(bench, {"GET", "k"}), "refused");
            EXPECT_EQ(bench.world->now(), before + seconds(2)) << "a reset, when it is back";
            EXPECT_EQ(AskAnew(bench, {"GET", "k"}), GetParam().after_power_loss);
          });
}

INSTANTIATE_TEST_SUITE_P(EachPersistence, DiskTest,
                         ::testing::Values(Disk{Persistence::kNone, "nil", "nil"},
                                           Disk{Persistence::kRdb, "nil", "nil"},
                                           Disk{Persistence::kAofEverysec, "v", "v"},
                                           Disk{Persistence::kAofAlways, "v", "v"}),
                         [](const auto& test) {
                           std::string name(ToString(test.param.persistence));
                           std::erase(name, '-');
                           return name;
                         });

TEST(ServerFaultTest, ASnapshotKeepsWhatIsOlderThanASecond) {
  RunWith({Strikes(FaultKind::kServerKill, seconds(1), kStep + 5)}, Alone(Persistence::kRdb),
          [](Bench& bench, Connection& old) {
            bench.Sleep(0, seconds(3));
            EXPECT_EQ(Ask(old, {"SET", "late", "1"}), "OK");
            bench.world->Step(0);
            bench.Sleep(0, seconds(1));
            EXPECT_EQ(AskAnew(bench, {"GET", "k"}), "v");
            EXPECT_EQ(AskAnew(bench, {"GET", "late"}), "nil");
          });
}

TEST(ServerFaultTest, APowerLossTakesTheLastSecondIfThatIsHowOftenTheServerSyncs) {
  RunWith({Strikes(FaultKind::kServerPowerLoss, seconds(1), kStep + 4)},
          Alone(Persistence::kAofEverysec), [](Bench& bench, Connection& old) {
            EXPECT_EQ(Ask(old, {"SET", "late", "1"}), "OK");
            bench.world->Step(0);
            bench.Sleep(0, seconds(1));
            EXPECT_EQ(AskAnew(bench, {"GET", "k"}), "v");
            EXPECT_EQ(AskAnew(bench, {"GET", "late"}), "nil");
          });
}

TEST(ServerFaultTest, AStoppedServerAnswersWhenItGoesOn) {
  RunWith({Strikes(FaultKind::kServerPause, seconds(3))}, Alone(),
          [](Bench& bench, Connection& old) {
            const VirtualTime stopped = bench.world->now();
            EXPECT_EQ(Ask(old, {"GET", "k"}), "v");
            EXPECT_EQ(bench.world->now(), stopped + seconds(3) + milliseconds(1));
          });
}

TEST(ServerFaultTest, AReplicaThatHasNotHeardOfAWriteIsPromotedWithoutIt) {
  RunWith({Strikes(FaultKind::kFailover, seconds(2))}, WithReplica(),
          [](Bench& bench, Connection&) {
            EXPECT_EQ(AskAnew(bench, {"GET", "k"}), "nil");
            EXPECT_EQ(AskAnew(bench, {"SET", "k", "new"}), "OK");
            EXPECT_EQ(bench.world->server_node(), 1);
            bench.Sleep(0, seconds(3));
            EXPECT_EQ(AskNode(bench, 0, {"GET", "k"}), "new") << "the old primary follows";
            EXPECT_TRUE(AskNode(bench, 0, {"SET", "k", "x"}).starts_with("READONLY"));
          });
}

TEST(ServerFaultTest, AReplicaThatHasHeardOfAWriteIsPromotedWithIt) {
  RunWith({Strikes(FaultKind::kFailover, seconds(2), kStep + 2)}, WithReplica(),
          [](Bench& bench, Connection& old) {
            bench.Sleep(0, milliseconds(100));
            bench.world->Step(0);
            EXPECT_EQ(AskAnew(bench, {"GET", "k"}), "v");
            EXPECT_EQ(Ask(old, {"GET", "k"}, bench.world->runtime(0).Now() + milliseconds(10)),
                      "broken");
          });
}

TEST(ServerFaultTest, WhatAReplicaMissesWhileReplicationStopsIsLostInAFailover) {
  RunWith({Strikes(FaultKind::kReplicationStop, seconds(60), 0),
           Strikes(FaultKind::kFailover, seconds(1), kStep + 2)},
          WithReplica(), [](Bench& bench, Connection&) {
            bench.Sleep(0, seconds(10));
            bench.world->Step(0);
            EXPECT_EQ(AskAnew(bench, {"GET", "k"}), "nil");
          });
}

TEST(ServerFaultTest, ReplicationGoesOnAfterItsStop) {
  RunWith({Strikes(FaultKind::kReplicationStop, seconds(2), 0)}, WithReplica(),
          [](Bench& bench, Connection&) {
            EXPECT_EQ(AskNode(bench, 1, {"GET", "k"}), "nil");
            bench.Sleep(0, seconds(3));
            EXPECT_EQ(AskNode(bench, 1, {"GET", "k"}), "v");
          });
}

TEST(ServerFaultTest, BothSidesOfASplitBrainServeUntilTheOldOneIsDemoted) {
  RunWith({Strikes(FaultKind::kSplitBrain, seconds(5), kStep + 2)}, WithReplica(),
          [](Bench& bench, Connection& old) {
            bench.Sleep(0, milliseconds(100));
            bench.world->Step(0);
            EXPECT_EQ(Ask(old, {"SET", "k", "old"}), "OK");
            EXPECT_EQ(AskAnew(bench, {"GET", "k"}), "v");
            EXPECT_EQ(AskAnew(bench, {"SET", "k", "new"}), "OK");
            EXPECT_EQ(Ask(old, {"GET", "k"}), "old");
            bench.Sleep(0, seconds(6));
            EXPECT_EQ(Ask(old, {"GET", "k"}), "broken");
            EXPECT_EQ(AskNode(bench, 0, {"GET", "k"}), "new");
          });
}

struct Refused {
  FaultKind kind;
  std::string write;  // how SET is answered
  std::string read;   // GET
};

/// All that refuse by their row, and OOM, which the server's memory decides.
std::vector<Refused> EachRefusal() {
  std::vector<Refused> all = {{FaultKind::kOom, "OOM", "v"}};
  for (const FaultInfo& fault : KnownFaults()) {
    if (fault.refuses == FaultRefuses::kNoCommand) continue;
    std::string error(fault.answer.substr(0, fault.answer.find(' ')));
    if (fault.refuses == FaultRefuses::kKeyed) error += " 7629";
    all.push_back({fault.kind, error, fault.refuses == FaultRefuses::kWrites ? "v" : error});
  }
  return all;
}

class RefusalTest : public ::testing::TestWithParam<Refused> {};

TEST_P(RefusalTest, TheErrorIsAnsweredForTheLengthAndNothingIsExecuted) {
  RunWith({Strikes(GetParam().kind, seconds(1))}, Alone(),
          [](Bench& bench, Connection& connection) {
            EXPECT_TRUE(Ask(connection, {"SET", "k", "x"}).starts_with(GetParam().write));
            EXPECT_TRUE(Ask(connection, {"GET", "k"}).starts_with(GetParam().read));
            bench.Sleep(0, seconds(1));
            EXPECT_EQ(Ask(connection, {"GET", "k"}), "v");
            EXPECT_EQ(Ask(connection, {"SET", "k", "x"}), "OK");
          });
}

INSTANTIATE_TEST_SUITE_P(EachError, RefusalTest, ::testing::ValuesIn(EachRefusal()),
                         [](const auto& test) { return std::string(ToString(test.param.kind)); });

TEST(ServerFaultTest, ARefusedCommandInATransactionEndsItAsInRedis) {
  RunWith({Strikes(FaultKind::kReadonly, seconds(60), kStep + 3)}, Alone(),
          [](Bench&, Connection& connection) {
            EXPECT_EQ(Ask(connection, {"MULTI"}), "OK");
            EXPECT_TRUE(Ask(connection, {"SET", "k", "x"}).starts_with("READONLY"));
            EXPECT_TRUE(Ask(connection, {"EXEC"}).starts_with("EXECABORT"));
          });
}

TEST(NodesTest, APartitionFromOneNodeLeavesTheOthersInReach) {
  RunWith({Strikes(FaultKind::kPartition, seconds(5), kStep, 1)},
          Servers(Topology::kIndependent, 3), [](Bench& bench, Connection& first) {
            const VirtualTime cut = bench.world->now();
            EXPECT_EQ(Ask(first, {"GET", "k"}), "v");
            EXPECT_EQ(AskNode(bench, 2, {"GET", "k"}), "nil") << "masters of their own";
            EXPECT_LT(bench.world->now(), cut + seconds(1));
            EXPECT_EQ(AskNode(bench, 1, {"GET", "k"}), "nil");
            EXPECT_GT(bench.world->now(), cut + seconds(5));
          });
}

TEST(NodesTest, AFaultWithoutTheServersThatItNeedsDoesNothing) {
  Bench bench(
      1,
      {Strikes(FaultKind::kFailover, seconds(1), 1), Strikes(FaultKind::kSplitBrain, seconds(1), 1),
       Strikes(FaultKind::kServerKill, seconds(1), 1, 3)},
      Alone());
  bench.world->Start(0, [&] { EXPECT_EQ(AskAnew(bench, {"SET", "k", "v"}), "OK"); });
  EXPECT_EQ(bench.world->Run(kHorizon), StopReason::kFinished);
  EXPECT_TRUE(bench.observer.faults.empty());
}

TEST(HealTest, ServersServeAgainAndTheirClocksRunTrue) {
  constexpr auto kLong = std::chrono::hours(3);
  Bench bench(
      1,
      {Strikes(FaultKind::kServerKill, kLong, 1, 1), Strikes(FaultKind::kServerPause, kLong, 1, 2),
       Strikes(FaultKind::kLoading, kLong, 1), Strikes(FaultKind::kOom, kLong, 1),
       Strikes(FaultKind::kServerClockRate, Duration(100'000), 1)},
      Servers(Topology::kIndependent, 3));
  std::vector<std::string> answers;
  bench.world->Start(0, [&] {
    bench.Sleep(0, seconds(1));
    bench.world->Step(0);
    bench.Sleep(0, kHorizon);
    for (int node = 0; node < 3; ++node) {
      answers.push_back(AskNode(bench, node, {"SET", "k", "v"}));
    }
  });
  bench.world->Run(seconds(2));
  bench.world->Heal();
  const std::int64_t healed = bench.world->ServerTimeUs();
  bench.world->Run(2 * kHorizon);
  EXPECT_EQ(answers, std::vector<std::string>(3, "OK"));
  const VirtualTime passed = bench.world->now() - VirtualTime(seconds(2));
  EXPECT_EQ((bench.world->ServerTimeUs() - healed) * 1000, passed.count());
}

/// Everything that can happen to servers, to three clients that go on as well as they can.
std::uint64_t HashOfChaos(Universe& universe, const WorldOptions& options, Tape& tape,
                          Choices choices, std::size_t least_faults) {
  FaultPlan plan;
  int step = 0;
  for (const FaultInfo& fault : KnownFaults()) {
    const bool of_servers = fault.family == FaultFamily::kServer ||
                            fault.family == FaultFamily::kAdmin || fault.uses_node;
    const bool of_clusters = fault.needs > FaultNeeds::kReplica;
    if (!of_servers || (of_clusters && !IsCluster(options.topology))) continue;
    const Duration length =
        fault.length() == FaultLength::kPpm ? Duration(100'000) : Duration(milliseconds(300));
    plan.push_back({fault.kind, step % 3, 2 + 3 * step, length, step % 2});
    ++step;
  }
  RecordingObserver observer;
  World world(universe, options, plan, choices, &observer);
  for (int client = 0; client < 3; ++client) {
    world.AddProcess({});
    world.Start(client, [&world, client] {
      Runtime& runtime = world.runtime(client);
      for (int i = 0; i < 40; ++i) {
        auto connection = world.connector(client).Connect(runtime.Now() + seconds(1));
        if (connection.ok()) {
          Ask(**connection, {"INCR", "k"}, runtime.Now() + milliseconds(200));
          Ask(**connection, {"SET", "lock", "v", "NX", "PX", "500"},
              runtime.Now() + milliseconds(200));
        }
        static_cast<void>(runtime.NewEvent()->WaitUntil(runtime.Now() + milliseconds(30)));
      }
    });
  }
  world.Run(seconds(60));
  world.Heal();
  world.Run(kHorizon);
  EXPECT_GE(observer.faults.size(), least_faults);
  const std::uint64_t hash = world.trace().hash();
  tape = choices.TakeTape();
  return hash;
}

TEST(ServerFaultTest, RunsReplayAndPooledServersRememberNothing) {
  Universe universe;
  for (const auto& [topology, nodes] :
       {std::pair(Topology::kReplicated, 3), std::pair(Topology::kIndependent, 3),
        std::pair(Topology::kStandalone, 1), std::pair(Topology::kCluster, 3),
        std::pair(Topology::kShards, 6)}) {
    WorldOptions options = Servers(topology, nodes, Persistence::kAofEverysec);
    if (IsCluster(topology)) options.dialect = redis::FindDialect("valkey-9.1");
    options.latency_min = microseconds(50);
    Tape tape;
    Tape again;
    const std::uint64_t hash = HashOfChaos(universe, options, tape, Choices::FromSeed(7), 9);
    EXPECT_EQ(HashOfChaos(universe, options, again, Choices::FromTape(tape), 9), hash);
    Universe fresh;
    EXPECT_EQ(HashOfChaos(fresh, options, again, Choices::FromSeed(7), 9), hash);
  }
}

}  // namespace
}  // namespace interlock::sim
