// SPDX-License-Identifier: MIT
//
// A real server and a fake one are killed, and come back with what their disks have.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/redis/differential/side_by_side.h"
#include "tests/redis/differential/topology_pair.h"

namespace interlock::testing {
namespace {

using sim::redis::Argv;

void Agree(TopologyPair& pair, const std::vector<Argv>& commands) {
  for (const Argv& argv : commands) {
    const std::string reply = pair.Call(0, argv);
    EXPECT_FALSE(reply.starts_with("real: ")) << sim::redis::ToText(argv) << "\n" << reply;
  }
}

// Writes of every kind, with a snapshot in the middle, and one more script in the cache.
constexpr const char* kCounter =
    "#!lua name=counter\nlocal calls = 0\n"
    "redis.register_function('count', function() calls = calls + 1 return calls end)";
constexpr const char* kMaker =
    "#!lua name=maker\n"
    "redis.register_function('make', function(keys) return redis.call('incr', keys[1]) end)";

const std::vector<Argv> kWrites = {
    {"FUNCTION", "LOAD", kCounter},
    {"FCALL", "count", "0"},
    {"SET", "string", "v"},
    {"SET", "lease", "token", "NX", "PX", "100000"},
    {"RPUSH", "list", "a", "b", "c"},
    {"SELECT", "2"},
    {"HSET", "hash", "f", "1"},
    {"SAVE"},
    {"SELECT", "0"},
    {"MULTI"},
    {"ZADD", "zset", "1", "a"},
    {"INCR", "counter"},
    {"EXEC"},
    {"EVAL", "redis.call('set', 'by-script', '1') return redis.call('incr', 'counter')", "0"},
    {"LPOP", "list"},
    {"SADD", "set", "x"},
    {"SET", "short", "v", "PX", "1"},
    {"SCRIPT", "LOAD", "return 1"},
    {"FUNCTION", "LOAD", kMaker},
    {"FCALL", "make", "1", "made"},
    {"FUNCTION", "LOAD", "#!lua name=gone\nredis.register_function('go', function() end)"},
    {"FUNCTION", "DELETE", "gone"},
    {"CONFIG", "SET", "maxmemory-samples", "7"},
};

const std::vector<Argv> kQuestions = {
    {"DBSIZE"},
    {"MGET", "string", "lease", "counter", "by-script", "short"},
    {"LRANGE", "list", "0", "-1"},
    {"ZRANGE", "zset", "0", "-1", "WITHSCORES"},
    {"SMEMBERS", "set"},
    {"EVALSHA", "e0e1f9fabfc9d4800c877a703b823ac0578ff8db", "0"},
    {"FUNCTION", "STATS"},
    {"FCALL", "count", "0"},
    {"FCALL", "make", "1", "made"},
    {"FCALL", "go", "0"},
    {"CONFIG", "GET", "maxmemory-samples"},
    {"SELECT", "2"},
    {"HGETALL", "hash"},
    {"DBSIZE"},
};

class PersistenceDifferentialTest : public ::testing::TestWithParam<std::vector<std::string>> {};

TEST_P(PersistenceDifferentialTest, AKilledServerComesBackWithWhatItsDiskHas) {
  TopologyPair pair(1, GetParam());
  Agree(pair, kWrites);
  pair.Restart(0);
  pair.PassFake(100'000);
  // The short lease may be counted by one of them and not by the other until somebody asks for it.
  pair.Call(0, {"EXISTS", "short"});
  Agree(pair, kQuestions);
}

INSTANTIATE_TEST_SUITE_P(
    Modes, PersistenceDifferentialTest,
    ::testing::Values(std::vector<std::string>{}, std::vector<std::string>{"--save", "3600 1"},
                      std::vector<std::string>{"--appendonly", "yes", "--appendfsync", "always"},
                      std::vector<std::string>{"--appendonly", "yes"},
                      std::vector<std::string>{"--appendonly", "yes", "--appendfsync", "no"}));

TEST(PersistenceCommandsDifferentialTest, SavingIsAnsweredInTheSameWords) {
  TopologyPair pair(1, {});
  Agree(pair, {{"SAVE"},
               {"BGSAVE", "x"},
               {"BGSAVE", "SCHEDULE", "x"},
               {"SAVE", "x"},
               {"MULTI"},
               {"SAVE"},
               {"EXEC"},
               {"MULTI"},
               {"BGSAVE"},
               {"BGREWRITEAOF"},
               {"BGREWRITEAOF"},
               {"EXEC"}});
}

using ChangesSideBySideTest = SideBySideTest;

// As save points count them.
std::string ChangesIn(const sim::redis::Value& info) {
  constexpr std::string_view kName = "rdb_changes_since_last_save:";
  const std::size_t at = info.text.find(kName) + kName.size();
  return info.text.substr(at, info.text.find('\r', at) - at);
}

TEST_F(ChangesSideBySideTest, ChangesAreCountedByTheElement) {
  for (const char* text : {"SET a 1",
                           "MSET x 1 y 2",
                           "SADD s a b c d e",
                           "SADD s a",
                           "SREM s a b z",
                           "SMOVE s t c",
                           "SADD s p q",
                           "SADD t p q r",
                           "SMOVE s t p",
                           "SADD pop a b c d",
                           "SPOP pop",
                           "SPOP pop 2",
                           "SPOP pop 10",
                           "SINTERSTORE i s",
                           "LPUSH l 1 2 3",
                           "LPUSHX l 4 5",
                           "LPOP l 2",
                           "LSET l 0 9",
                           "RPUSH l a b a b",
                           "LREM l 0 a",
                           "LINSERT l after b c",
                           "LTRIM l 0 2",
                           "LTRIM l 0 99",
                           "LMOVE l l LEFT RIGHT",
                           "RPOPLPUSH l m",
                           "LMPOP 1 l LEFT COUNT 2",
                           "HSET h a 1 b 2",
                           "HSETNX h a 2",
                           "HMSET h a 1 c 2",
                           "HDEL h a b z",
                           "HINCRBY h c 1",
                           "ZADD z 1 a 2 b 3 c 4 d 5 e",
                           "ZADD z 1 a 3 b",
                           "ZINCRBY z 1 a",
                           "ZREM z a nobody",
                           "ZPOPMIN z 2",
                           "ZREMRANGEBYRANK z 0 1",
                           "ZADD z 1 a 2 b",
                           "ZUNIONSTORE u 1 z",
                           "ZRANGESTORE u z 0 9",
                           "DEL x y nothing",
                           "EXPIRE a 100",
                           "PERSIST a",
                           "PERSIST a",
                           "INCR n",
                           "APPEND n 1",
                           "SETRANGE n 0 5",
                           "RENAME n m",
                           "COPY m o",
                           "MOVE o 3",
                           "GETDEL a",
                           "SET b 1 PX 100000",
                           "GETEX b PERSIST",
                           "UNLINK b m",
                           "FLUSHDB",
                           "EVAL return{redis.call('rpush','l',1,2,3)} 0",
                           "SAVE",
                           "SET a 1"}) {
    const Argv argv = WordsOf(text);
    const std::string real = ToText(Real(argv));
    const std::string fake = ToText(Fake(argv));
    if (argv[0] != "SPOP") {  // Which members it takes is left to chance.
      EXPECT_EQ(fake, real) << text;
    }
    EXPECT_EQ(ChangesIn(Fake({"INFO", "persistence"})), ChangesIn(Real({"INFO", "persistence"})))
        << text;
  }
}

}  // namespace
}  // namespace interlock::testing
