// SPDX-License-Identifier: MIT
#include "tests/sim/redis/fake_fixture.h"

namespace interlock::sim::redis {
namespace {

using ExpiryTest = FakeTest;

// The boundary: at the deadline itself the key exists, with a PTTL of 0.
TEST_F(ExpiryTest, KeyLivesAtItsDeadlineAndIsGoneOneMillisecondLater) {
  Run({"SET", "k", "v", "PX", "50"});
  Advance(50);
  EXPECT_EQ(Run({"GET", "k"}), "\"v\"");
  EXPECT_EQ(Run({"PTTL", "k"}), "(integer) 0");
  Advance(1);
  EXPECT_EQ(Run({"GET", "k"}), "(nil)");
  EXPECT_EQ(Run({"PTTL", "k"}), "(integer) -2");
}

TEST_F(ExpiryTest, ClockThatStepsForwardExpiresAtOnceAndBackwardProlongs) {
  Run({"SET", "k", "v", "PX", "10000"});
  Advance(-11000);
  EXPECT_EQ(Run({"PTTL", "k"}), "(integer) 21000");
  Advance(22001);
  EXPECT_EQ(Run({"EXISTS", "k"}), "(integer) 0");
}

TEST_F(ExpiryTest, DeadKeysCountInDbsizeUntilTheyAreTouchedOrSwept) {
  Run({"SET", "a", "v", "PX", "5"});
  Run({"SET", "b", "v", "PX", "5"});
  Advance(10);
  EXPECT_EQ(Run({"KEYS", "*"}), "[]");
  EXPECT_EQ(Run({"DBSIZE"}), "(integer) 2");
  EXPECT_EQ(Run({"GET", "a"}), "(nil)");
  EXPECT_EQ(Run({"DBSIZE"}), "(integer) 1");
  EXPECT_TRUE(server_.PeekKeys(0).empty());
  server_.RunActiveExpiry();
  EXPECT_EQ(Run({"DBSIZE"}), "(integer) 0");
}

TEST_F(ExpiryTest, DeletionByExpiryIsAMutation) {
  Run({"SET", "a", "v", "PX", "5"});
  const std::uint64_t before = server_.mutations();
  Run({"GET", "a"});
  EXPECT_EQ(server_.mutations(), before);
  Advance(6);
  Run({"GET", "a"});
  EXPECT_GT(server_.mutations(), before);
}

TEST_F(ExpiryTest, PastExpiryDeletesAtOnceExceptInSet) {
  Run({"SET", "k", "v"});
  EXPECT_EQ(Run({"PEXPIREAT", "k", std::to_string(kStartMs)}), "(integer) 1");
  EXPECT_EQ(Run({"DBSIZE"}), "(integer) 0");
  EXPECT_EQ(Run({"SET", "k", "v", "PXAT", "1"}), "OK");
  EXPECT_EQ(Run({"DBSIZE"}), "(integer) 1");
  EXPECT_EQ(Run({"GET", "k"}), "(nil)");
}

TEST_F(ExpiryTest, GetExIntoThePastReturnsTheValueAndDeletes) {
  Run({"SET", "k", "v"});
  EXPECT_EQ(Run({"GETEX", "k", "PXAT", "1"}), "\"v\"");
  EXPECT_EQ(Run({"EXISTS", "k"}), "(integer) 0");
}

TEST_F(ExpiryTest, TtlRoundsToTheNearestSecond) {
  Run({"SET", "k", "v", "PX", "1499"});
  EXPECT_EQ(Run({"TTL", "k"}), "(integer) 1");
  Run({"PEXPIRE", "k", "1500"});
  EXPECT_EQ(Run({"TTL", "k"}), "(integer) 2");
}

TEST_F(ExpiryTest, ElementWritesAndIncrementsKeepTheTtl) {
  Run({"SET", "n", "1", "PX", "100"});
  Run({"INCR", "n"});
  EXPECT_EQ(Run({"PTTL", "n"}), "(integer) 100");
  Run({"SET", "n", "1", "KEEPTTL"});
  EXPECT_EQ(Run({"PTTL", "n"}), "(integer) 100");
  Run({"SET", "n", "1"});
  EXPECT_EQ(Run({"PTTL", "n"}), "(integer) -1");
}

TEST_F(ExpiryTest, PeekShowsAbsoluteExpiry) {
  Run({"SET", "k", "v", "PX", "100"});
  EXPECT_EQ(server_.PeekExpiresAtMs(0, "k"), kStartMs + 100);
  EXPECT_EQ(server_.PeekString(0, "k"), "v");
  Advance(101);
  EXPECT_EQ(server_.PeekString(0, "k"), std::nullopt);
}

// A key that expired since WATCH fails EXEC; one that had expired before does not.
TEST_F(ExpiryTest, WatchSeesExpiry) {
  Run({"SET", "k", "v", "PX", "5"});
  Run({"WATCH", "k"});
  Run({"MULTI"});
  Advance(6);
  EXPECT_EQ(Run({"EXEC"}), "(nil)");
  Run({"SET", "k", "v", "PX", "5"});
  Advance(6);
  Run({"WATCH", "k"});
  Sent(server_.Connect(), {"GET", "k"});
  Run({"MULTI"});
  EXPECT_EQ(Run({"EXEC"}), "[]");
}

}  // namespace
}  // namespace interlock::sim::redis
