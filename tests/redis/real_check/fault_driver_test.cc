// SPDX-License-Identifier: MIT
//
// The faults of servers: each is brought about, and undone in the end.
#include "scenarios/real/fault_driver.h"

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "scenarios/real/stage.h"

namespace interlock::scenarios::real {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

std::unique_ptr<Stage> MustOpen(const Workload& workload, bool sentinels = false) {
  auto stage = Stage::Open(workload, {}, {.sentinels = sentinels});
  EXPECT_TRUE(stage.ok()) << stage.status().ToString();
  return stage.ok() ? std::move(stage).value() : nullptr;
}

Workload OfReplicas() {
  Workload workload;
  workload.topology = sim::Topology::kReplicated;
  workload.nodes = 3;
  return workload;
}

RealFault AFault(RealFaultKind kind, Duration length = seconds(30)) {
  return {.kind = kind, .at = seconds(1), .length = length};
}

std::string Reply(RedisServer& server, const std::vector<std::string>& words) {
  const auto reply = server.Command(words);
  return reply.ok() ? *reply : reply.status().ToString();
}

/// `lasts` while the fault lasts, and PING and SET work before it and after.
void ExpectStrikes(RealFaultKind kind, const std::function<bool(RedisServer&)>& lasts) {
  const auto stage = MustOpen({});
  ASSERT_NE(stage, nullptr);
  RedisServer& server = stage->node(0);
  ASSERT_EQ(Reply(server, {"SET", "k", "v"}), "OK");
  FaultDriver driver(*stage, {AFault(kind)});
  driver.Act(milliseconds(999));
  EXPECT_EQ(Reply(server, {"SET", "k", "v"}), "OK");
  driver.Act(seconds(1));
  EXPECT_TRUE(lasts(server)) << ToString(kind);
  EXPECT_FALSE(driver.over());
  ASSERT_EQ(driver.done().size(), 1U);
  driver.Act(seconds(31));
  EXPECT_TRUE(driver.over());
  EXPECT_TRUE(server.Comes({"SET", "k", "v"}, "OK")) << ToString(kind);
}

TEST(FaultDriverTest, KillsAServerAndStartsItAgain) {
  pid_t before = 0;
  ExpectStrikes(RealFaultKind::kServerKill, [&](RedisServer& server) {
    before = server.pid();
    return before <= 0;
  });
}

TEST(FaultDriverTest, MakesAServerRefuse) {
  ExpectStrikes(RealFaultKind::kReadonly, [](RedisServer& server) {
    return Reply(server, {"SET", "k", "w"}).starts_with("-READONLY");
  });
  ExpectStrikes(RealFaultKind::kOom, [](RedisServer& server) {
    return Reply(server, {"SET", "k", "w"}).starts_with("-OOM");
  });
}

TEST(FaultDriverTest, HasAServerForget) {
  ExpectStrikes(RealFaultKind::kFlushAll,
                [](RedisServer& server) { return Reply(server, {"DBSIZE"}) == "0"; });
  ExpectStrikes(RealFaultKind::kAdminDel,
                [](RedisServer& server) { return Reply(server, {"DBSIZE"}) == "0"; });
  ExpectStrikes(RealFaultKind::kScriptFlush,
                [](RedisServer& server) { return server.Calls("script|flush") == 1; });
  ExpectStrikes(RealFaultKind::kClientKill,
                [](RedisServer& server) { return server.Calls("client|kill") == 1; });
}

/// What the server does by itself ends by itself.
void ExpectHolds(RealFaultKind kind) {
  const auto stage = MustOpen({});
  ASSERT_NE(stage, nullptr);
  FaultDriver driver(*stage, {AFault(kind, milliseconds(300))});
  const auto began = std::chrono::steady_clock::now();
  driver.Act(seconds(1));
  EXPECT_TRUE(stage->node(0).Comes({"SET", "k", "v"}, "OK"));
  EXPECT_GE(std::chrono::steady_clock::now() - began, milliseconds(200)) << ToString(kind);
}

TEST(FaultDriverTest, HasAServerStandStill) {
  ExpectHolds(RealFaultKind::kServerSleep);
  ExpectHolds(RealFaultKind::kClientPauseAll);
  ExpectHolds(RealFaultKind::kClientPauseWrite);
  ExpectHolds(RealFaultKind::kBusy);
}

TEST(FaultDriverTest, WhatStandsStillGoesOnInTheEnd) {
  const auto stage = MustOpen({});
  ASSERT_NE(stage, nullptr);
  {
    FaultDriver driver(*stage, {AFault(RealFaultKind::kServerPause), AFault(RealFaultKind::kOom)});
    driver.Act(seconds(2));
    EXPECT_EQ(driver.done().size(), 1U) << "a server that is away is left in peace";
    EXPECT_EQ(driver.total(), seconds(60));
  }
  EXPECT_EQ(Reply(stage->node(0), {"PING"}), "PONG");
}

TEST(FaultDriverTest, EachPersistenceKeepsWhatItPromises) {
  using sim::Persistence;
  for (const Persistence kept : {Persistence::kAofAlways, Persistence::kAofEverysec}) {
    Workload workload;
    workload.persistence = kept;
    const auto stage = MustOpen(workload);
    ASSERT_NE(stage, nullptr);
    ASSERT_EQ(Reply(stage->node(0), {"SET", "k", "v"}), "OK");
    FaultDriver(*stage, {AFault(RealFaultKind::kServerKill)}).Act(seconds(1));
    EXPECT_EQ(Reply(stage->node(0), {"GET", "k"}), "v") << ToString(kept);
  }
  for (const Persistence lost : {Persistence::kNone, Persistence::kRdb}) {
    Workload workload;
    workload.persistence = lost;
    const auto stage = MustOpen(workload);
    ASSERT_NE(stage, nullptr);
    ASSERT_EQ(Reply(stage->node(0), {"SET", "k", "v"}), "OK");
    FaultDriver(*stage, {AFault(RealFaultKind::kServerKill)}).Act(seconds(1));
    EXPECT_EQ(Reply(stage->node(0), {"GET", "k"}), "(nil)") << ToString(lost);
  }
}

TEST(FaultDriverTest, PromotesAReplicaAndMakesTheOldPrimaryOne) {
  for (const RealFaultKind kind : {RealFaultKind::kFailover, RealFaultKind::kSplitBrain}) {
    const auto stage = MustOpen(OfReplicas());
    ASSERT_NE(stage, nullptr);
    RedisServer& old = stage->node(0);
    FaultDriver driver(*stage, {AFault(kind)});
    driver.Act(seconds(1));
    RedisServer& promoted = stage->node(0);
    EXPECT_NE(&promoted, &old);
    EXPECT_EQ(Reply(promoted, {"SET", "k", "of the new"}), "OK");
    if (kind == RealFaultKind::kSplitBrain) {
      EXPECT_EQ(Reply(old, {"SET", "k", "of the old"}), "OK");
    }
    driver.End();
    EXPECT_TRUE(old.Comes({"INFO", "replication"}, "master_link_status:up"));
    EXPECT_TRUE(old.Comes({"GET", "k"}, "of the new"));
  }
}

TEST(FaultDriverTest, AReplicaThatIsCutOffCatchesUpInTheEnd) {
  const auto stage = MustOpen(OfReplicas());
  ASSERT_NE(stage, nullptr);
  RedisServer& primary = stage->node(0);
  RedisServer& replica = *stage->ReplicasOf(primary).front();
  FaultDriver driver(*stage, {AFault(RealFaultKind::kReplicationStop)});
  driver.Act(seconds(1));
  EXPECT_EQ(Reply(primary, {"SET", "k", "v"}), "OK");
  EXPECT_EQ(Reply(replica, {"GET", "k"}), "(nil)");
  driver.End();
  EXPECT_TRUE(replica.Comes({"GET", "k"}, "v"));
}

TEST(FaultDriverTest, SentinelsPromoteAReplicaOfAPrimaryThatWasKilled) {
  const auto stage = MustOpen(OfReplicas(), true);
  ASSERT_NE(stage, nullptr);
  RedisServer& old = stage->node(0);
  FaultDriver driver(*stage, {AFault(RealFaultKind::kSentinelFailover)});
  driver.Act(seconds(1));
  EXPECT_LE(old.pid(), 0);
  driver.End();
  EXPECT_NE(&stage->node(0), &old);
  EXPECT_EQ(Reply(stage->node(0), {"SET", "k", "v"}), "OK");
  EXPECT_GT(old.pid(), 0);
}

}  // namespace
}  // namespace interlock::scenarios::real
