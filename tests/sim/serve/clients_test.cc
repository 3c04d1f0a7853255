// SPDX-License-Identifier: MIT
//
// Clients in other languages against `interlock serve`, as Debian packages them: redis-cli and
// redis-benchmark, redis-py with its Lock, ruby-redis. Each client's script lies in clients/ and
// fails by its exit code.
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/scenarios/child_process.h"
#include "tests/sim/serve/served_redis.h"

namespace interlock::scenarios {
namespace {

using testing::ChildResult;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::RunChild;
using testing::ServedRedis;

const std::string kClientsFolder = INTERLOCK_CLIENTS;

bool Succeeds(const std::vector<std::string>& argv) { return RunChild(argv).exit_code == 0; }

ChildResult Shell(const ServedRedis& served, const std::string& command) {
  return RunChild({"/bin/sh", "-c", "P=" + std::to_string(served.port()) + "; " + command});
}

TEST(ServeClientsTest, RedisCliTalksInBothProtocolsAndPipes) {
  const ServedRedis served;
  const std::string expected =
      "OK\nv\n1\n1\nf\nv\n1\ntwo\n3\nOK\ncli\nhash\n"
      "ERR unknown command 'NOSUCHCOMMAND', with args beginning with: \n\n";
  const ChildResult old = Shell(served, "redis-cli -p $P < '" + kClientsFolder + "/redis_cli.txt'");
  EXPECT_EQ(old.out, expected) << old.err;
  EXPECT_EQ(Shell(served, "redis-cli -p $P flushall").out, "OK\n");
  const ChildResult young =
      Shell(served, "redis-cli -3 -p $P < '" + kClientsFolder + "/redis_cli.txt'");
  EXPECT_THAT(young.out, HasSubstr("f v\n1\ntwo\n3\nOK\ncli\nhash\n")) << young.err;
  const ChildResult piped = Shell(served,
                                  "for i in $(seq 2000); do printf 'SET k%d v\\r\\n' $i; done | "
                                  "redis-cli -p $P --pipe");
  EXPECT_THAT(piped.out, HasSubstr("errors: 0, replies: 2000")) << piped.err;
}

TEST(ServeClientsTest, RedisBenchmarkSeesNoErrors) {
  const ServedRedis served;
  for (const char* pipeline : {"1", "16"}) {
    const ChildResult result =
        Shell(served, std::string("redis-benchmark -p $P -q -n 2000 -c 50 -r 100 -P ") + pipeline +
                          " -t ping,set,get,incr,lpush,rpush,lpop,rpop,sadd,hset,zadd,lrange,mset");
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_THAT(result.out + result.err, Not(HasSubstr("rror")));
    EXPECT_THAT(result.out, HasSubstr("MSET"));
  }
}

TEST(ServeClientsTest, RedisPyWorksItsLockIncluded) {
  if (!Succeeds({"/usr/bin/python3", "-c", "import redis"})) {
    FAIL() << "the package python3-redis is not installed";
  }
  const ServedRedis served;
  const ChildResult result = RunChild(
      {"/usr/bin/python3", kClientsFolder + "/redis_py.py", std::to_string(served.port())});
  EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
}

TEST(ServeClientsTest, RubyRedisWorks) {
  if (access("/usr/bin/ruby", X_OK) != 0 || !Succeeds({"/usr/bin/ruby", "-e", "require 'redis'"})) {
    FAIL() << "the package ruby-redis is not installed";
  }
  const ServedRedis served;
  const ChildResult result =
      RunChild({"/usr/bin/ruby", kClientsFolder + "/redis_rb.rb", std::to_string(served.port())});
  EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
}

}  // namespace
}  // namespace interlock::scenarios
