// SPDX-License-Identifier: MIT
//
// A mutex that waits for the server's disk. Where there is nothing to wait for it says why, and
// leaves nothing behind; what it has waited for outlasts a restart.
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenarios/locks/specimen.h"
#include "sim/redis/dialect.h"
#include "tests/scenarios/subject_bench.h"

namespace interlock::scenarios {
namespace {

using ::testing::HasSubstr;

void ExpectRefused(const char* server, const char* appendonly, const char* why) {
  Bench bench;
  bench.server().SetDialect(*sim::redis::FindDialect(server));
  ASSERT_EQ(bench.server().Configure("appendonly", appendonly), "");
  const auto grant = bench.NewLock(*DurableSubjects().front())->TryAcquire();
  EXPECT_EQ(grant.code(), StatusCode::kUnavailable) << server;
  EXPECT_THAT(std::string(grant.status().message()), HasSubstr(why)) << server;
  EXPECT_EQ(bench.TtlOf("test:{job}"), std::nullopt) << server;
}

TEST(DurableMutexTest, AServerWithoutWaitAofIsNamedAsTheReason) {
  ExpectRefused("redis-7.0", "yes", "not acknowledged as on disk: ERR unknown command 'WAITAOF'");
}

TEST(DurableMutexTest, AServerWithoutAnAppendOnlyFileIsNamedAsTheReason) {
  for (const char* server : {"redis-8.0", "valkey-9.1"}) {
    ExpectRefused(server, "no", "appendonly is disabled");
  }
}

struct Disk {
  const char* server;
  const char* appendfsync;
  bool power_lost;  ///< else the process alone is killed
};

/// Whether the lock that has been granted is still its holder's after the restart.
bool OutlastsRestart(const Disk& disk) {
  Bench bench;
  bench.server().SetDialect(*sim::redis::FindDialect(disk.server));
  EXPECT_EQ(bench.server().Configure("appendonly", "yes"), "");
  EXPECT_EQ(bench.server().Configure("appendfsync", disk.appendfsync), "");
  const auto lock = bench.NewLock(*DurableSubjects().front());
  const auto first = lock->TryAcquire();  // whose write a file that is synced each second has
  EXPECT_TRUE(first.ok() && (*first)->Release().ok());
  const auto grant = lock->TryAcquire();
  EXPECT_TRUE(grant.ok()) << grant.status().message();
  const auto token = bench.server().PeekString(0, "test:{job}");
  EXPECT_NE(token, std::nullopt);
  bench.server().Kill({.power_lost = disk.power_lost});
  bench.server().Start();
  return bench.server().PeekString(0, "test:{job}") == token;
}

TEST(DurableMutexTest, AGrantOutlastsARestartIfEachWriteIsSynced) {
  for (const char* server : {"redis-8.0", "valkey-8.1", "valkey-9.1"}) {
    EXPECT_TRUE(OutlastsRestart({server, "always", false})) << server;
    EXPECT_TRUE(OutlastsRestart({server, "always", true})) << server;
  }
}

// Its WAITAOF answers before the file is synced, so only the process may end.
TEST(DurableMutexTest, OnAValkeyThatSyncsEachSecondAGrantOutlastsTheProcessAlone) {
  for (const char* server : {"valkey-8.1", "valkey-9.1"}) {
    EXPECT_TRUE(OutlastsRestart({server, "everysec", false})) << server;
    EXPECT_FALSE(OutlastsRestart({server, "everysec", true})) << server;
  }
}

}  // namespace
}  // namespace interlock::scenarios
