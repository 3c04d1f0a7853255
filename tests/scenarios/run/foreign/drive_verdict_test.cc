// SPDX-License-Identifier: MIT
//
// Sound clients that do unusual things, and are not convicted of them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/scenarios/child_process.h"
#include "tests/scenarios/run/foreign/python_clients.h"

namespace interlock::scenarios {
namespace {

using ::testing::AllOf;
using testing::ChildResult;
using ::testing::HasSubstr;
using ::testing::Not;

// The one that was opened first would pass the other one for ever.
TEST(DriveVerdictTest, WhatOneClientSendsOverTwoConnectionsComesInItsOrder) {
  const ChildResult passed = DriveFor(R"(
one, other = server.connection_pool.make_connection(), server.connection_pool.make_connection()
for each in (one, other): each.connect()
acquire(); enter()
for i in range(10):
    other.send_command("SET", "mine%d" % me, i)
    one.send_command("GET", "mine%d" % me)
    assert one.read_response() == b"%d" % i
    other.read_response()
leave(); release())",
                                      {"--runs", "1"});
  EXPECT_EQ(passed.exit_code, 0) << passed.out << passed.err;
  EXPECT_THAT(passed.out, Not(HasSubstr("a client ended with")));
}

TEST(DriveVerdictTest, ABoundThatEndsAHoldersWorkIsNoDeadlock) {
  for (const std::string bound : {"6", "8", "40"}) {
    const ChildResult cut = DriveFor("acquire(ttl=60000); enter(); leave(); release()",
                                     {"--runs", "8", "--max-commands", bound, "--crashes", "0",
                                      "--lost-replies", "0", "--expiries", "0"});
    EXPECT_NE(cut.exit_code, 1) << bound << cut.out << cut.err;
  }
}

// Its own lease of something else is over before it is done.
TEST(DriveVerdictTest, TimePassesForAHolderThatSendsOnAndOn) {
  const ChildResult passed = DriveFor(R"(
acquire(ttl=60000); enter()
server.set("leader", "me", nx=True, px=1500)
begun = time.time()
while time.time() - begun < 3: server.get("other")
leave(); release())",
                                      {"--runs", "1", "--locks", "lock:*"});
  EXPECT_EQ(passed.exit_code, 0) << passed.out << passed.err;
}

TEST(DriveVerdictTest, AKeyThatIsMarkedAsFreeIsNobodysAtItsEnd) {
  const ChildResult passed = DriveFor(R"(
token = "token of client %d" % me
take = server.register_script("""local owner = redis.call('GET', KEYS[1])
if owner and owner ~= 'free' then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', 60000) return 1""")
give = server.register_script("""if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], 'free') return 1""")
for i in range(2):
    while not take(keys=["lock:stock"], args=[token]): time.sleep(0.02)
    enter(); leave()
    give(keys=["lock:stock"], args=[token]))",
                                      {"--runs", "30", "--seed", "3"});
  EXPECT_EQ(passed.exit_code, 0) << passed.out << passed.err;
}

// A script that creates data if they are absent looks like one that takes a lock.
TEST(DriveVerdictTest, AKeyThatKeepsNobodyOutIsNoReasonForAConviction) {
  const std::string jobs = R"(
add = server.register_script("if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then "
                             "redis.call('HSET', KEYS[1], ARGV[1], 'new by ' .. ARGV[1]) end")
add(keys=["jobs"], args=["job%d" % me])
for i in range(100):
    if server.hlen("jobs") == 2: break
    time.sleep(0.01)
acquire(ttl=60000); enter()
server.hset("jobs", "job%d" % (1 - me), "done by client %d" % me)
leave(); release())";
  const ChildResult unclear = DriveFor(jobs, {"--runs", "2"});
  EXPECT_EQ(unclear.exit_code, 2) << unclear.out << unclear.err;
  EXPECT_THAT(unclear.out,
              AllOf(HasSubstr("LK001"), HasSubstr("has kept nobody out"), HasSubstr("--locks")));
  const ChildResult named = DriveFor(jobs, {"--runs", "2", "--locks", "lock:*"});
  EXPECT_EQ(named.exit_code, 0) << named.out << named.err;
}

}  // namespace
}  // namespace interlock::scenarios
