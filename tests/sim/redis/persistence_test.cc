// SPDX-License-Identifier: MIT
//
// What a crash leaves of one server's data in every mode of persistence.
#include <gtest/gtest.h>

#include <string>

#include "tests/sim/redis/fake_fixture.h"

namespace interlock::sim::redis {
namespace {

class PersistenceTest : public FakeTest {
 protected:
  void Configure(std::string_view name, std::string_view value) {
    ASSERT_EQ(server_.Configure(name, value), "");
  }
  void Restart(const Server::Crash& crash = {}, std::int64_t loading_ms = 0) {
    server_.Kill(crash);
    server_.Start(loading_ms * 1000);
    client_ = server_.Connect();
  }
  void SetKeys(int count) {
    for (int i = 0; i < count; ++i) Run({"SET", "k" + std::to_string(i), "v"});
  }
};

TEST_F(PersistenceTest, WithoutPersistenceACrashLosesEverything) {
  Configure("save", "");
  Run({"SET", "k", "v"});
  Restart();
  EXPECT_EQ(Run({"DBSIZE"}), "(integer) 0");
}

TEST_F(PersistenceTest, ASnapshotIsWhatACrashGoesBackTo) {
  Run({"SET", "k", "old"});
  EXPECT_EQ(Run({"SAVE"}), "OK");
  Run({"SET", "k", "new"});
  Run({"RPUSH", "l", "a"});
  Restart({.power_lost = true});
  EXPECT_EQ(Run({"GET", "k"}), "\"old\"");
  EXPECT_EQ(Run({"EXISTS", "l"}), "(integer) 0");
}

TEST_F(PersistenceTest, ASavePointTakesTheDataAsItIsOnceItsTimeIsOver) {
  Configure("save", "60 2");
  Run({"SET", "a", "1"});
  Run({"SET", "b", "1"});
  Advance(61'001);
  Run({"SET", "c", "1"});
  Restart();
  EXPECT_EQ(Run({"MGET", "a", "b", "c"}), "[\"1\", \"1\", (nil)]");
}

TEST_F(PersistenceTest, TheFirstSavePointCountsFromTheStart) {
  Run({"SET", "k", "v"});
  Advance(3'000'000);
  Run({"GET", "k"});
  Restart();
  EXPECT_EQ(Run({"GET", "k"}), "(nil)");
}

TEST_F(PersistenceTest, ASnapshotHoldsTheDataAtItsStart) {
  server_.SetSnapshotTime(500'000);
  Run({"SET", "k", "1"});
  EXPECT_EQ(Run({"BGSAVE"}), "Background saving started");
  EXPECT_EQ(Run({"BGSAVE"}), "(error) ERR Background save already in progress");
  EXPECT_EQ(Run({"BGREWRITEAOF"}), "Background append only file rewriting scheduled");
  Run({"SET", "k", "2"});
  Advance(501);
  Restart();
  EXPECT_EQ(Run({"GET", "k"}), "\"1\"");
}

TEST_F(PersistenceTest, InfoShowsHowFarItIs) {
  Configure("save", "");
  server_.SetSnapshotTime(500'000);
  const auto shows = [&](const std::string& field) {
    return Run({"INFO", "persistence", "stats"}).find("\\n" + field + "\\r") != std::string::npos;
  };
  Run({"SET", "k", "1"});
  Run({"BGSAVE"});
  Run({"RPUSH", "l", "a", "b"});
  EXPECT_TRUE(shows("rdb_changes_since_last_save:3"));
  EXPECT_TRUE(shows("rdb_bgsave_in_progress:1"));
  EXPECT_TRUE(shows("rdb_saves:1"));
  Run({"BGREWRITEAOF"});
  EXPECT_TRUE(shows("aof_rewrite_scheduled:1"));
  Advance(501);
  EXPECT_TRUE(shows("rdb_changes_since_last_save:2"));
  EXPECT_TRUE(shows("rdb_bgsave_in_progress:0"));
  EXPECT_TRUE(shows("aof_rewrite_in_progress:1"));
  EXPECT_TRUE(shows("aof_rewrites:1"));
  EXPECT_TRUE(shows("total_forks:2"));
}

// By then the transaction is over.
TEST_F(PersistenceTest, WhatATransactionAsksForIsScheduled) {
  Configure("save", "");
  Run({"MULTI"});
  Run({"BGREWRITEAOF"});
  Run({"BGSAVE"});
  Run({"SET", "k", "1"});
  EXPECT_EQ(Run({"EXEC"}),
            "[Background append only file rewriting scheduled, Background saving scheduled, OK]");
  Advance(300);
  Run({"PING"});
  Advance(300);
  Run({"SET", "k", "2"});
  Restart();
  EXPECT_EQ(Run({"GET", "k"}), "\"1\"");
}

TEST_F(PersistenceTest, ASnapshotThatIsNotReadyIsNoSnapshot) {
  server_.SetSnapshotTime(500'000);
  Run({"SET", "k", "1"});
  Run({"BGSAVE"});
  Advance(400);
  Restart();
  EXPECT_EQ(Run({"GET", "k"}), "(nil)");
}

TEST_F(PersistenceTest, TheAppendOnlyFileSurvivesAKill) {
  for (const char* policy : {"always", "everysec", "no"}) {
    server_.Reset();
    At(kStartMs);
    client_ = server_.Connect();
    Configure("appendonly", "yes");
    Configure("appendfsync", policy);
    SetKeys(100);
    Restart();
    EXPECT_EQ(Run({"DBSIZE"}), "(integer) 100") << policy;
  }
}

TEST_F(PersistenceTest, APowerLossTakesOnlyWhatIsNotSynced) {
  Configure("appendonly", "yes");
  Configure("appendfsync", "always");
  SetKeys(10);
  EXPECT_EQ(server_.unsynced_units(), 0U);
  Restart({.power_lost = true});
  EXPECT_EQ(Run({"DBSIZE"}), "(integer) 10");

  Run({"CONFIG", "SET", "appendfsync", "everysec"});
  Run({"SET", "first", "1"});  // Synced at once: the last fsync is a second ago.
  Run({"SET", "second", "1"});
  Run({"SET", "third", "1"});
  EXPECT_EQ(server_.unsynced_units(), 2U);
  Restart({.power_lost = true, .surviving_units = 1});
  EXPECT_EQ(Run({"MGET", "first", "second", "third"}), "[\"1\", \"1\", (nil)]");
}

TEST_F(PersistenceTest, EverySecondMeansTheSecondAfter) {
  Configure("appendonly", "yes");
  Run({"SET", "a", "1"});
  Run({"SET", "b", "1"});
  EXPECT_EQ(server_.unsynced_units(), 1U);
  Advance(1000);
  EXPECT_EQ(server_.unsynced_units(), 0U);
}

TEST_F(PersistenceTest, ATransactionIsLostAsAWhole) {
  Configure("appendonly", "yes");
  Configure("appendfsync", "no");
  Run({"SET", "before", "1"});
  Run({"MULTI"});
  Run({"SET", "a", "1"});
  Run({"SET", "b", "1"});
  Run({"EXEC"});
  EXPECT_EQ(server_.unsynced_units(), 2U);
  Restart({.power_lost = true, .surviving_units = 1});
  EXPECT_EQ(Run({"MGET", "before", "a", "b"}), "[\"1\", (nil), (nil)]");
}

TEST_F(PersistenceTest, ALeaseGoesOnRunningWhileTheServerIsDown) {
  Configure("appendonly", "yes");
  Run({"SET", "lock", "token", "NX", "PX", "700"});
  server_.Kill({});
  Advance(800);
  server_.Start();
  client_ = server_.Connect();
  EXPECT_EQ(Run({"GET", "lock"}), "(nil)");
}

TEST_F(PersistenceTest, ARestartForgetsScriptsClientsAndConfigSet) {
  Configure("appendonly", "yes");
  const std::string sha = "e0e1f9fabfc9d4800c877a703b823ac0578ff8db";
  EXPECT_EQ(Run({"SCRIPT", "LOAD", "return 1"}), "\"" + sha + "\"");
  Run({"CONFIG", "SET", "maxmemory-samples", "9"});
  server_.Connect();
  Restart();
  EXPECT_EQ(client_, 1U);
  EXPECT_EQ(Run({"EVALSHA", sha, "0"}), "(error) NOSCRIPT No matching script. Please use EVAL.");
  EXPECT_EQ(Run({"CONFIG", "GET", "maxmemory-samples"}), "[\"maxmemory-samples\", \"5\"]");
  EXPECT_EQ(Run({"CONFIG", "GET", "appendonly"}), "[\"appendonly\", \"yes\"]");
}

TEST_F(PersistenceTest, WhileLoadingOnlyWhatNeedsNoDataIsServed) {
  Configure("appendonly", "yes");
  Run({"SET", "k", "v"});
  Restart({}, 500);
  const std::string loading = "(error) LOADING Redis is loading the dataset in memory";
  for (const Argv& argv : std::vector<Argv>{{"GET", "k"},
                                            {"PING"},
                                            {"SET", "k", "1"},
                                            {"EVAL", "return 1", "0"},
                                            {"WAIT", "0", "0"}}) {
    EXPECT_EQ(Run(argv), loading) << argv[0];
  }
  EXPECT_EQ(Run({"SELECT", "0"}), "OK");
  EXPECT_EQ(Run({"PUBLISH", "a", "b"}), "(integer) 0");
  EXPECT_EQ(Run({"MULTI"}), "OK");
  EXPECT_EQ(Run({"GET", "k"}), loading);
  EXPECT_EQ(Run({"EXEC"}), "(error) EXECABORT Transaction discarded because of previous errors.");
  Advance(500);
  EXPECT_EQ(Run({"GET", "k"}), "\"v\"");
}

TEST_F(PersistenceTest, AFailedSnapshotEndsWrites) {
  server_.SetDiskFault({.saves_fail = true});
  Run({"SET", "k", "v"});
  Run({"BGSAVE"});
  const std::string misconf = "(error) MISCONF Redis is configured to save RDB snapshots";
  EXPECT_TRUE(Run({"SET", "k", "w"}).starts_with(misconf));
  EXPECT_TRUE(Run({"DEL", "k"}).starts_with(misconf));
  EXPECT_TRUE(Run({"PING"}).starts_with(misconf));
  EXPECT_TRUE(Eval("return redis.call('set', 'k', 'w')").starts_with(misconf));
  EXPECT_EQ(Run({"GET", "k"}), "\"v\"");
  EXPECT_EQ(Run({"PUBLISH", "a", "b"}), "(integer) 0");
  server_.SetDiskFault({});
  Run({"BGSAVE"});
  EXPECT_EQ(Run({"PING"}), "PONG");
}

TEST_F(PersistenceTest, AFailedSnapshotIsToldInTheServersOwnNameAndOfAScriptOtherwise) {
  for (const std::string_view name : {"redis-8.0", "valkey-9.1"}) {
    server_.SetDialect(*FindDialect(name));
    server_.Reset();
    client_ = server_.Connect();
    Run({"MULTI"});
    Run({"FCALL", "f", "0"});  // does not exist yet, so that EXEC does not count as a write
    const ClientId other = server_.Connect();
    server_.Execute(
        other, {"FUNCTION", "LOAD", "#!lua name=l\nredis.register_function('f', function() end)"});
    server_.SetDiskFault({.saves_fail = true});
    server_.Execute(other, {"SET", "k", "v"});
    server_.Execute(other, {"BGSAVE"});
    const std::string begin = std::string("MISCONF ") +
                              (name.starts_with("valkey") ? "Valkey" : "Redis") +
                              " is configured to save RDB snapshots, but it's currently unable to "
                              "persist to disk. ";
    EXPECT_EQ(Run({"EXEC"}), "[(error) " + begin +
                                 "Writable scripts are blocked. Use 'no-writes' flag for read only "
                                 "scripts.]");
    EXPECT_TRUE(Run({"FCALL", "f", "0"}).starts_with("(error) " + begin + "Commands that may"));
    server_.SetDiskFault({});
  }
}

TEST_F(PersistenceTest, AFullDiskEndsWritesUntilItIsNotFullAnyMore) {
  Configure("appendonly", "yes");
  server_.SetDiskFault({.writes_fail = true});
  EXPECT_EQ(Run({"SET", "a", "1"}), "OK");  // Redis learns of it behind the command.
  EXPECT_EQ(Run({"SET", "b", "1"}),
            "(error) MISCONF Errors writing to the AOF file: No space left on device");
  server_.SetDiskFault({});
  Run({"GET", "a"});
  EXPECT_EQ(Run({"SET", "b", "1"}), "OK");
  Restart();
  EXPECT_EQ(Run({"MGET", "a", "b"}), "[\"1\", \"1\"]");
}

TEST_F(PersistenceTest, AHangingFsyncPostponesTheWriteForTwoSeconds) {
  Configure("appendonly", "yes");
  server_.SetDiskFault({.fsync_hangs = true});
  Run({"SET", "a", "1"});
  Advance(1000);
  Run({"SET", "b", "1"});
  server_.Kill({});
  server_.SetDiskFault({});
  server_.Start();
  client_ = server_.Connect();
  EXPECT_EQ(Run({"MGET", "a", "b"}), "[(nil), (nil)]");

  server_.SetDiskFault({.fsync_hangs = true});
  Run({"SET", "a", "1"});
  Advance(2000);
  Run({"SET", "b", "1"});
  Restart();
  EXPECT_EQ(Run({"MGET", "a", "b"}), "[\"1\", \"1\"]");
}

TEST_F(PersistenceTest, SwitchingTheFileOnKeepsTheDataThatThereIs) {
  Run({"SET", "k", "v"});
  EXPECT_EQ(Run({"CONFIG", "SET", "appendonly", "yes"}), "OK");
  Configure("appendonly", "yes");
  for (int i = 0; i < 3000; ++i) Run({"INCR", "n"});
  Restart();
  EXPECT_EQ(Run({"MGET", "k", "n"}), "[\"v\", \"3000\"]");
}

}  // namespace
}  // namespace interlock::sim::redis
