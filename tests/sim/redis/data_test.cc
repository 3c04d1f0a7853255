// SPDX-License-Identifier: MIT
//
// Spot checks of the data commands; the comparison with a real server covers them at large.
#include <gmock/gmock.h>

#include "tests/sim/redis/fake_fixture.h"

namespace interlock::sim::redis {
namespace {

using DataTest = FakeTest;

TEST_F(DataTest, SetReportsSyntaxThenExpiryThenType) {
  Run({"RPUSH", "list", "x"});
  EXPECT_EQ(Run({"SET", "list", "v", "NX", "XX", "EX", "0"}), "(error) ERR syntax error");
  EXPECT_EQ(Run({"SET", "list", "v", "NX", "GET", "EX", "0"}),
            "(error) ERR invalid expire time in 'set' command");
  EXPECT_EQ(Run({"SET", "list", "v", "NX", "GET"}).find("(error) WRONGTYPE"), 0U);
  EXPECT_EQ(Run({"SET", "list", "v"}), "OK");
}

TEST_F(DataTest, LargeHashKeepsItsOrderAndItsIndex) {
  for (int i = 0; i < 40; ++i) {
    const std::string number = std::to_string(i);
    Run({"HSET", "h", std::string("f").append(number), number});
  }
  Run({"HDEL", "h", "f0", "f20"});
  EXPECT_EQ(Run({"HGET", "h", "f39"}), "\"39\"");
  EXPECT_EQ(Run({"HGET", "h", "f20"}), "(nil)");
  EXPECT_EQ(server_.PeekHash(0, "h").front().first, "f1");
  EXPECT_EQ(Run({"HLEN", "h"}), "(integer) 38");
}

TEST_F(DataTest, IntegerSetsAreNumericUntilTheFirstOtherMember) {
  Run({"SADD", "s", "10", "9", "-1"});
  EXPECT_EQ(Run({"SMEMBERS", "s"}), "[\"-1\", \"9\", \"10\"]");
  Run({"SADD", "s", "x"});
  EXPECT_EQ(Run({"SMEMBERS", "s"}), "[\"-1\", \"9\", \"10\", \"x\"]");
}

TEST_F(DataTest, SmallSetsOfNewerServersKeepTheirOrder) {
  server_.SetDialect(*FindDialect("redis-8.0"));
  Run({"SADD", "s", "10", "9"});
  EXPECT_EQ(Run({"OBJECT", "ENCODING", "s"}), "\"intset\"");
  Run({"SADD", "s", "b", "a", "1"});
  EXPECT_EQ(Run({"OBJECT", "ENCODING", "s"}), "\"listpack\"");
  Run({"SREM", "s", "10"});
  EXPECT_EQ(Run({"SMEMBERS", "s"}), "[\"9\", \"b\", \"a\", \"1\"]");
  Run({"SADD", "s", std::string(65, 'x')});
  EXPECT_EQ(Run({"OBJECT", "ENCODING", "s"}), "\"hashtable\"");
  Argv many = {"SADD", "t"};
  many.resize(2 + 129, "same");
  Run(many);
  EXPECT_EQ(Run({"OBJECT", "ENCODING", "t"}), "\"hashtable\"") << "by the number of words";
  Run({"SADD", "u", "c", "3", "2"});
  Run({"SADD", "v", "3", "2", "1", "0"});
  Run({"SINTERSTORE", "both", "u", "v"});
  EXPECT_EQ(Run({"OBJECT", "ENCODING", "both"}), "\"intset\"");
  EXPECT_EQ(Run({"CONFIG", "SET", "set-max-listpack-entries", "2"}), "OK");
  Run({"SADD", "w", "c", "d"});
  EXPECT_EQ(Run({"OBJECT", "ENCODING", "w"}), "\"listpack\"");
  Run({"SADD", "w", "e"});
  EXPECT_EQ(Run({"OBJECT", "ENCODING", "w"}), "\"hashtable\"");
}

TEST_F(DataTest, ListsOfNewerServersAreListpacksUntilTheyGrow) {
  Run({"RPUSH", "old", "1"});
  EXPECT_EQ(Run({"OBJECT", "ENCODING", "old"}), "\"quicklist\"");
  server_.SetDialect(*FindDialect("valkey-8.1"));
  server_.SetUnmodelledIsError(true);
  EXPECT_EQ(Run({"CONFIG", "SET", "list-max-listpack-size", "4"}), "OK");
  Run({"RPUSH", "l", "1", "2", "3", "4"});
  EXPECT_EQ(Run({"OBJECT", "ENCODING", "l"}), "\"listpack\"");
  Run({"LPUSH", "l", "0"});
  EXPECT_EQ(Run({"OBJECT", "ENCODING", "l"}), "\"quicklist\"");
  Run({"LTRIM", "l", "0", "2"});
  EXPECT_EQ(Run({"OBJECT", "ENCODING", "l"}), "\"quicklist\"") << "more than half of the limit";
  Run({"LPOP", "l"});
  EXPECT_THAT(Run({"OBJECT", "ENCODING", "l"}), ::testing::HasSubstr("depends on its past"));
  Run({"LPOP", "l"});
  EXPECT_EQ(Run({"OBJECT", "ENCODING", "l"}), "\"listpack\"");
  Run({"CONFIG", "SET", "list-max-listpack-size", "-1"});
  Run({"RPUSH", "m", std::string(4088, 'x')});
  EXPECT_EQ(Run({"OBJECT", "ENCODING", "m"}), "\"listpack\"");
  Run({"LSET", "m", "0", "short"});
  Run({"RPUSH", "m", std::string(4083, 'x')});
  EXPECT_EQ(Run({"OBJECT", "ENCODING", "m"}), "\"quicklist\"");
}

TEST_F(DataTest, ValkeyKeepsAShortTextWithItsKey) {
  server_.SetDialect(*FindDialect("valkey-9.1"));
  Run({"SET", "k", std::string(105, 'v'), "PX", "1000"});
  EXPECT_EQ(Run({"OBJECT", "ENCODING", "k"}), "\"raw\"");
  Run({"SET", "k", std::string(104, 'v'), "PX", "1000"});
  EXPECT_EQ(Run({"OBJECT", "ENCODING", "k"}), "\"embstr\"");
  Run({"SET", "k", std::string(113, 'v')});
  EXPECT_EQ(Run({"OBJECT", "ENCODING", "k"}), "\"raw\"");
}

TEST_F(DataTest, SortedSetKeepsItsOrderThroughUpdates) {
  Run({"ZADD", "z", "3", "c", "1", "a", "2", "b"});
  Run({"ZINCRBY", "z", "5", "a"});
  EXPECT_EQ(Run({"ZRANGE", "z", "0", "-1", "WITHSCORES"}),
            "[\"b\", \"2\", \"c\", \"3\", \"a\", \"6\"]");
  EXPECT_EQ(Run({"ZREVRANK", "z", "a"}), "(integer) 0");
  EXPECT_EQ(Run({"ZREMRANGEBYSCORE", "z", "-inf", "(6"}), "(integer) 2");
  EXPECT_EQ(server_.PeekSortedSet(0, "z").size(), 1U);
  EXPECT_EQ(Run({"ZPOPMIN", "z"}), "[\"a\", \"6\"]");
  EXPECT_EQ(Run({"EXISTS", "z"}), "(integer) 0");
}

TEST_F(DataTest, ScoresPrintWithSeventeenDigits) {
  Run({"ZADD", "z", "0.1", "a", "inf", "b"});
  EXPECT_EQ(Run({"ZSCORE", "z", "a"}), "\"0.10000000000000001\"");
  EXPECT_EQ(Run({"ZSCORE", "z", "b"}), "\"inf\"");
}

TEST_F(DataTest, EmptyContainersVanish) {
  Run({"RPUSH", "l", "x"});
  Run({"HSET", "h", "f", "v"});
  Run({"SADD", "s", "m"});
  Run({"LPOP", "l"});
  Run({"HDEL", "h", "f"});
  Run({"SREM", "s", "m"});
  EXPECT_EQ(Run({"DBSIZE"}), "(integer) 0");
}

TEST_F(DataTest, MutationsGrowOnlyWithChanges) {
  Run({"SET", "k", "v"});
  const std::uint64_t before = server_.mutations();
  Run({"SET", "k", "x", "NX"});
  Run({"EXPIRE", "k", "10", "XX"});
  Run({"GET", "k"});
  EXPECT_EQ(server_.mutations(), before);
  Run({"PEXPIRE", "k", "10"});
  EXPECT_GT(server_.mutations(), before);
}

TEST_F(DataTest, KeysAreListedInByteOrder) {
  Run({"MSET", "b", "1", "a", "2", "c", "3"});
  EXPECT_EQ(Run({"KEYS", "[^c]"}), "[\"a\", \"b\"]");
  EXPECT_EQ(Run({"SCAN", "0"}), "[\"0\", [\"a\", \"b\", \"c\"]]");
}

}  // namespace
}  // namespace interlock::sim::redis
