// SPDX-License-Identifier: MIT
//
// A real server and a fake one are killed, and come back with what their disks have.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/redis/differential/replication_pair.h"

namespace interlock::testing {
namespace {

using sim::redis::Argv;

void Agree(ReplicationPair& pair, const std::vector<Argv>& commands) {
  for (const Argv& argv : commands) {
    const std::string reply = pair.Call(0, argv);
    EXPECT_FALSE(reply.starts_with("real: ")) << sim::redis::ToText(argv) << "\n" << reply;
  }
}

// Writes of every kind, with a snapshot in the middle, and one more script in the cache.
const std::vector<Argv> kWrites = {
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
    {"CONFIG", "SET", "maxmemory-samples", "7"},
};

const std::vector<Argv> kQuestions = {
    {"DBSIZE"},
    {"MGET", "string", "lease", "counter", "by-script", "short"},
    {"LRANGE", "list", "0", "-1"},
    {"ZRANGE", "zset", "0", "-1", "WITHSCORES"},
    {"SMEMBERS", "set"},
    {"EVALSHA", "e0e1f9fabfc9d4800c877a703b823ac0578ff8db", "0"},
    {"CONFIG", "GET", "maxmemory-samples"},
    {"SELECT", "2"},
    {"HGETALL", "hash"},
    {"DBSIZE"},
};

class PersistenceDifferentialTest : public ::testing::TestWithParam<std::vector<std::string>> {};

TEST_P(PersistenceDifferentialTest, AKilledServerComesBackWithWhatItsDiskHas) {
  ReplicationPair pair(1, GetParam());
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
  ReplicationPair pair(1, {});
  Agree(pair, {{"SAVE"},
               {"BGSAVE", "x"},
               {"BGSAVE", "SCHEDULE", "x"},
               {"SAVE", "x"},
               {"MULTI"},
               {"SAVE"},
               {"EXEC"},
               {"BGSAVE"}});
}

}  // namespace
}  // namespace interlock::testing
