// SPDX-License-Identifier: MIT
//
// The faults of servers: each is brought about, and undone in the end.
#include "sim/machine/fault_driver.h"

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sim/machine/stage.h"

namespace interlock::sim::machine {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

std::unique_ptr<sim::machine::Stage> MustOpen(StageOptions options, bool sentinels = false) {
  options.sentinels = sentinels;
  auto stage = Stage::Open({}, options);
  EXPECT_TRUE(stage.ok()) << stage.status().ToString();
  return stage.ok() ? std::move(stage).value() : nullptr;
}

StageOptions OfReplicas() {
  StageOptions options;
  options.topology = sim::Topology::kReplicated;
  options.nodes = 3;
  return options;
}

sim::machine::RealFault AFault(sim::machine::RealFaultKind kind, Duration length = seconds(30)) {
  return {.kind = kind, .at = seconds(1), .length = length};
}

std::string ReplyText(sim::machine::RedisServer& server, const std::vector<std::string>& words) {
  const auto reply = server.Command(words);
  return reply.ok() ? *reply : reply.status().ToString();
}

/// `lasts` while the fault lasts, and PING and SET work before it and after.
void ExpectStrikes(sim::machine::RealFaultKind kind,
                   const std::function<bool(sim::machine::RedisServer&)>& lasts) {
  const auto stage = MustOpen({});
  ASSERT_NE(stage, nullptr);
  sim::machine::RedisServer& server = stage->node(0);
  ASSERT_EQ(ReplyText(server, {"SET", "k", "v"}), "OK");
  sim::machine::FaultDriver driver(*stage, {AFault(kind)});
  driver.Act(milliseconds(999));
  EXPECT_EQ(ReplyText(server, {"SET", "k", "v"}), "OK");
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
  ExpectStrikes(sim::machine::RealFaultKind::kServerKill, [&](sim::machine::RedisServer& server) {
    before = server.pid();
    return before <= 0;
  });
}

TEST(FaultDriverTest, MakesAServerRefuse) {
  ExpectStrikes(sim::machine::RealFaultKind::kReadonly, [](sim::machine::RedisServer& server) {
    return ReplyText(server, {"SET", "k", "w"}).starts_with("-READONLY");
  });
  ExpectStrikes(sim::machine::RealFaultKind::kOom, [](sim::machine::RedisServer& server) {
    return ReplyText(server, {"SET", "k", "w"}).starts_with("-OOM");
  });
}

TEST(FaultDriverTest, HasAServerForget) {
  ExpectStrikes(sim::machine::RealFaultKind::kFlushAll, [](sim::machine::RedisServer& server) {
    return ReplyText(server, {"DBSIZE"}) == "0";
  });
  ExpectStrikes(sim::machine::RealFaultKind::kAdminDel, [](sim::machine::RedisServer& server) {
    return ReplyText(server, {"DBSIZE"}) == "0";
  });
  ExpectStrikes(sim::machine::RealFaultKind::kScriptFlush, [](sim::machine::RedisServer& server) {
    return server.Calls("script|flush") == 1;
  });
  ExpectStrikes(sim::machine::RealFaultKind::kClientKill,
                [](sim::machine::RedisServer& server) { return server.Calls("client|kill") == 1; });
}

/// What the server does by itself ends by itself.
void ExpectHolds(sim::machine::RealFaultKind kind) {
  const auto stage = MustOpen({});
  ASSERT_NE(stage, nullptr);
  sim::machine::FaultDriver driver(*stage, {AFault(kind, milliseconds(300))});
  const auto began = std::chrono::steady_clock::now();
  driver.Act(seconds(1));
  EXPECT_TRUE(stage->node(0).Comes({"SET", "k", "v"}, "OK"));
  EXPECT_GE(std::chrono::steady_clock::now() - began, milliseconds(200)) << ToString(kind);
}

TEST(FaultDriverTest, HasAServerStandStill) {
  ExpectHolds(sim::machine::RealFaultKind::kServerSleep);
  ExpectHolds(sim::machine::RealFaultKind::kClientPauseAll);
  ExpectHolds(sim::machine::RealFaultKind::kClientPauseWrite);
  ExpectHolds(sim::machine::RealFaultKind::kBusy);
}

TEST(FaultDriverTest, WhatStandsStillGoesOnInTheEnd) {
  const auto stage = MustOpen({});
  ASSERT_NE(stage, nullptr);
  {
    sim::machine::FaultDriver driver(*stage, {AFault(sim::machine::RealFaultKind::kServerPause),
                                              AFault(sim::machine::RealFaultKind::kOom)});
    driver.Act(seconds(2));
    EXPECT_EQ(driver.done().size(), 1U) << "a server that is away is left in peace";
    EXPECT_EQ(driver.total(), seconds(60));
  }
  EXPECT_EQ(ReplyText(stage->node(0), {"PING"}), "PONG");
}

TEST(FaultDriverTest, EachPersistenceKeepsWhatItPromises) {
  using sim::Persistence;
  for (const Persistence kept : {Persistence::kAofAlways, Persistence::kAofEverysec}) {
    StageOptions options;
    options.persistence = kept;
    const auto stage = MustOpen(options);
    ASSERT_NE(stage, nullptr);
    ASSERT_EQ(ReplyText(stage->node(0), {"SET", "k", "v"}), "OK");
    sim::machine::FaultDriver(*stage, {AFault(sim::machine::RealFaultKind::kServerKill)})
        .Act(seconds(1));
    EXPECT_EQ(ReplyText(stage->node(0), {"GET", "k"}), "v") << ToString(kept);
  }
  for (const Persistence lost : {Persistence::kNone, Persistence::kRdb}) {
    StageOptions options;
    options.persistence = lost;
    const auto stage = MustOpen(options);
    ASSERT_NE(stage, nullptr);
    ASSERT_EQ(ReplyText(stage->node(0), {"SET", "k", "v"}), "OK");
    sim::machine::FaultDriver(*stage, {AFault(sim::machine::RealFaultKind::kServerKill)})
        .Act(seconds(1));
    EXPECT_EQ(ReplyText(stage->node(0), {"GET", "k"}), "(nil)") << ToString(lost);
  }
}

TEST(FaultDriverTest, PromotesAReplicaAndMakesTheOldPrimaryOne) {
  for (const sim::machine::RealFaultKind kind :
       {sim::machine::RealFaultKind::kFailover, sim::machine::RealFaultKind::kSplitBrain}) {
    const auto stage = MustOpen(OfReplicas());
    ASSERT_NE(stage, nullptr);
    sim::machine::RedisServer& old = stage->node(0);
    sim::machine::FaultDriver driver(*stage, {AFault(kind)});
    driver.Act(seconds(1));
    sim::machine::RedisServer& promoted = stage->node(0);
    EXPECT_NE(&promoted, &old);
    EXPECT_EQ(ReplyText(promoted, {"SET", "k", "of the new"}), "OK");
    if (kind == sim::machine::RealFaultKind::kSplitBrain) {
      EXPECT_EQ(ReplyText(old, {"SET", "k", "of the old"}), "OK");
    }
    driver.End();
    EXPECT_TRUE(old.Comes({"INFO", "replication"}, "master_link_status:up"));
    EXPECT_TRUE(old.Comes({"GET", "k"}, "of the new"));
  }
}

TEST(FaultDriverTest, AReplicaThatIsCutOffCatchesUpInTheEnd) {
  const auto stage = MustOpen(OfReplicas());
  ASSERT_NE(stage, nullptr);
  sim::machine::RedisServer& primary = stage->node(0);
  sim::machine::RedisServer& replica = *stage->ReplicasOf(primary).front();
  sim::machine::FaultDriver driver(*stage, {AFault(sim::machine::RealFaultKind::kReplicationStop)});
  driver.Act(seconds(1));
  EXPECT_EQ(ReplyText(primary, {"SET", "k", "v"}), "OK");
  EXPECT_EQ(ReplyText(replica, {"GET", "k"}), "(nil)");
  driver.End();
  EXPECT_TRUE(replica.Comes({"GET", "k"}, "v"));
}

TEST(FaultDriverTest, SentinelsPromoteAReplicaOfAPrimaryThatWasKilled) {
  const auto stage = MustOpen(OfReplicas(), true);
  ASSERT_NE(stage, nullptr);
  sim::machine::RedisServer& old = stage->node(0);
  sim::machine::FaultDriver driver(*stage,
                                   {AFault(sim::machine::RealFaultKind::kSentinelFailover)});
  driver.Act(seconds(1));
  EXPECT_LE(old.pid(), 0);
  driver.End();
  EXPECT_NE(&stage->node(0), &old);
  EXPECT_EQ(ReplyText(stage->node(0), {"SET", "k", "v"}), "OK");
  EXPECT_GT(old.pid(), 0);
}

}  // namespace
}  // namespace interlock::sim::machine
