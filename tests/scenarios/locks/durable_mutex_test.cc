// SPDX-License-Identifier: MIT
//
// A mutex that waits for the server's disk, where there is nothing to wait for: it says why, and
// leaves nothing behind.
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

}  // namespace
}  // namespace interlock::scenarios
