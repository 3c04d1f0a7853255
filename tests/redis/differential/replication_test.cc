// SPDX-License-Identifier: MIT
//
// Two real servers that replicate beside two fake ones: replies, offsets of the stream, and what
// failover leaves.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/redis/differential/tested_server.h"
#include "tests/redis/differential/topology_pair.h"

namespace interlock::testing {
namespace {

using sim::redis::Argv;

class ReplicationDifferentialTest : public ::testing::Test {
 protected:
  static constexpr std::size_t kMaster = 0;
  static constexpr std::size_t kReplica = 1;

  explicit ReplicationDifferentialTest(const std::vector<std::string>& configuration = {})
      : pair_(2, configuration) {}
  void SetUp() override {
    pair_.Follow(kReplica, kMaster);
    AwaitLink();
  }
  void AwaitLink() {
    // Valkey 9 greets a replica by a PING, which moves the offset.
    if (TestedDialect().IsIn(sim::redis::kValkeyFrom90)) {
      const std::string one = "(integer) 1";
      ASSERT_EQ(pair_.Await(kMaster, {"WAIT", "1", "100"}, one), one);
      return;
    }
    const std::string linked =
        "[\"slave\", \"127.0.0.1\", " + std::to_string(pair_.port(kMaster)) + ", \"connected\", 0]";
    ASSERT_EQ(pair_.Await(kReplica, {"ROLE"}, linked), linked);
    // The master counts it only once it has acknowledged its data.
    const std::string known = "[\"master\", 0, [[\"127.0.0.1\", \"" +
                              std::to_string(pair_.port(kReplica)) + "\", \"0\"]]]";
    ASSERT_EQ(pair_.Await(kMaster, {"ROLE"}, known), known);
  }
  /// For every command: both answered the same.
  void Agree(std::size_t node, const std::vector<Argv>& commands) {
    for (const Argv& argv : commands) {
      const std::string reply = pair_.Call(node, argv);
      EXPECT_FALSE(reply.starts_with("real: ")) << sim::redis::ToText(argv) << "\n" << reply;
    }
  }

  TopologyPair pair_;
};

TEST_F(ReplicationDifferentialTest, TheStreamOfEffectsHasTheSameLengthAndLeavesTheSameData) {
  const std::string twice = "redis.call('set', KEYS[1], '1', 'PX', 50000) redis.call('incr', 'n')";
  const std::string library =
      "#!lua name=counter\nlocal calls = 0\n"
      "redis.register_function('count', function(keys)\n"
      "  calls = calls + 1 redis.call('incr', 'n') return redis.call('set', keys[1], calls)\nend)";
  Agree(kMaster, {{"FUNCTION", "LOAD", library},
                  {"FUNCTION", "LOAD", library},
                  {"FUNCTION", "LOAD", "REPLACE", library},
                  {"FCALL", "count", "1", "counted"},
                  {"FCALL", "count", "1", "counted"},
                  {"MULTI"},
                  {"FUNCTION", "DELETE", "nosuch"},
                  {"FCALL", "count", "1", "counted"},
                  {"FUNCTION", "LOAD", "#!lua name=b\nredis.register_function('b', redis.log)"},
                  {"FUNCTION", "DELETE", "b"},
                  {"EXEC"},
                  {"SET", "k", "v", "PX", "100000"},
                  {"SET", "k", "v", "NX"},
                  {"SETEX", "e", "100", "v"},
                  {"EXPIRE", "e", "200"},
                  {"GETEX", "e", "PX", "90000"},
                  {"INCRBYFLOAT", "f", "0.5"},
                  {"EVAL", twice, "1", "s"},
                  {"EVAL", "return redis.call('get', 'k')", "0"},
                  {"MULTI"},
                  {"RPUSH", "l", "a", "b", "c"},
                  {"GET", "k"},
                  {"LPOP", "l"},
                  {"EXEC"},
                  {"MULTI"},
                  {"RPUSH", "l", "d"},
                  {"EXEC"},
                  {"BLPOP", "l", "0"},
                  {"HSET", "h", "f", "1"},
                  {"HINCRBYFLOAT", "h", "f", "1.5"},
                  {"SADD", "set", "a", "b"},
                  {"ZADD", "z", "1", "a"},
                  {"ZADD", "z", "NX", "2", "a"},
                  {"DEL", "missing"},
                  {"EXPIRE", "l", "-1"},
                  {"PUBLISH", "c", "m"},
                  {"SELECT", "3"},
                  {"SET", "other", "1"},
                  {"SELECT", "0"},
                  {"PERSIST", "e"},
                  {"GETDEL", "f"}});
  const std::string offset = pair_.Call(kMaster, {"ROLE"});
  EXPECT_FALSE(offset.starts_with("real: ")) << offset;
  EXPECT_EQ(pair_.Call(kMaster, {"WAIT", "1", "10000"}), "(integer) 1");
  Agree(kReplica, {{"GET", "k"},
                   {"MGET", "e", "s", "n", "f"},
                   {"LRANGE", "l", "0", "-1"},
                   {"HGETALL", "h"},
                   {"ZSCORE", "z", "a"},
                   {"DBSIZE"},
                   {"TTL", "e"},
                   {"EXPIRETIME", "missing"}});
}

TEST_F(ReplicationDifferentialTest, AServedWaiterIsReplicatedAsAPop) {
  const std::size_t waiter = pair_.Connect(kMaster);
  EXPECT_EQ(pair_.CallBlocking(kMaster, {"BLMOVE", "from", "to", "LEFT", "RIGHT", "0"}, waiter),
            "silence");
  Agree(kMaster, {{"RPUSH", "from", "a", "b"}});
  EXPECT_EQ(pair_.Read(kMaster, waiter), "\"a\"");
  EXPECT_EQ(pair_.Call(kMaster, {"WAIT", "1", "10000"}), "(integer) 1");
  Agree(kMaster, {{"ROLE"}});
  Agree(kReplica, {{"LRANGE", "from", "0", "-1"}, {"LRANGE", "to", "0", "-1"}});
}

TEST_F(ReplicationDifferentialTest, WaitKnowsAStoppedReplica) {
  Agree(kMaster, {{"WAIT", "0", "0"}, {"SET", "k", "v"}, {"WAIT", "1", "1000"}});
  pair_.SetPaused(kReplica, true);
  Agree(kMaster, {{"SET", "k", "w"}, {"WAIT", "1", "20"}, {"WAIT", "x", "1"}, {"WAIT", "1", "-1"}});
  Agree(kMaster, {{"MULTI"}, {"SET", "k", "x"}, {"WAIT", "1", "0"}, {"EXEC"}});
  pair_.SetPaused(kReplica, false);
  EXPECT_EQ(pair_.Call(kMaster, {"WAIT", "1", "2000"}), "(integer) 1");
  EXPECT_EQ(pair_.Call(kReplica, {"GET", "k"}), "\"x\"");
}

TEST_F(ReplicationDifferentialTest, WaitConcernsTheClientsOwnWritesOrThoseOfAll) {
  const std::size_t other = pair_.Connect(kMaster);
  Agree(kMaster, {{"SET", "k", "v"}, {"WAIT", "1", "1000"}});
  pair_.SetPaused(kReplica, true);
  Agree(kMaster, {{"SET", "k", "w"}});
  for (const Argv& argv : {Argv{"GET", "k"},
                           {"WAIT", "1", "20"},
                           {"EVAL", "return redis.call('wait', 1, 0)", "0"},
                           {"PUBLISH", "c", "m"},
                           {"WAIT", "1", "20"},
                           {"EVAL", "return redis.call('wait', 1, 0)", "0"}}) {
    const std::string reply = pair_.Call(kMaster, argv, other);
    EXPECT_FALSE(reply.starts_with("real: ")) << sim::redis::ToText(argv) << "\n" << reply;
  }
  pair_.SetPaused(kReplica, false);
}

TEST_F(ReplicationDifferentialTest, AReplicaRefusesTheSameInTheSameWords) {
  Agree(kReplica, {{"SET", "k", "v"},
                   {"DEL", "k"},
                   {"BLPOP", "q", "1"},
                   {"EVAL", "return redis.call('set', 'k', 'v')", "0"},
                   {"EVAL", "return redis.pcall('del', 'k')['err']", "0"},
                   {"EVAL", "#!lua\nreturn 1", "0"},
                   {"EVAL", "#!lua flags=no-writes\nreturn 1", "0"},
                   {"EVAL", "#!lua flags=no-writes\nreturn redis.call('set', 'k', '1')", "0"},
                   {"WAIT", "0", "0"},
                   {"WAITAOF", "0", "0", "0"},
                   {"WAITAOF", "1", "0", "0"},
                   {"WAITAOF", "2", "0", "0"},
                   {"PUBLISH", "a", "b"},
                   {"MULTI"},
                   {"SET", "k", "v"},
                   {"EXEC"},
                   {"REPLICAOF", "a", "b"},
                   {"FAILOVER"},
                   {"FAILOVER", "ABORT"},
                   {"PING"}});
}

TEST_F(ReplicationDifferentialTest, AReplicaSendsThoseWhoFollowRedirectsToItsMaster) {
  Agree(kReplica, {{"CLIENT", "CAPA", "redirect"},
                   {"GET", "k"},
                   {"GET"},
                   {"PING"},
                   {"EVAL", "return 1", "1", "k"},
                   {"EVAL", "return redis.call('get', 'k')", "0"},
                   {"EVAL", "#!lua\nreturn 1", "0"},
                   {"EVAL_RO", "return 1", "1", "k"},
                   {"KEYS", "*"},
                   {"BLPOP", "q", "1"},
                   {"PUBLISH", "a", "b"},
                   {"WATCH", "k"},
                   {"MULTI"},
                   {"PING"},
                   {"GET", "k"},
                   {"EXEC"},
                   {"MULTI"},
                   {"PING"},
                   {"EXEC"},
                   {"CONFIG", "SET", "replica-read-only", "no"},
                   {"SET", "k", "v"},
                   {"CONFIG", "SET", "replica-serve-stale-data", "no"},
                   {"REPLICAOF", "127.0.0.1", "1"},
                   {"GET", "k"},
                   {"SET", "k", "v"}});
}

TEST_F(ReplicationDifferentialTest, ACutOffReplicaWithoutStaleDataSaysSo) {
  Agree(kReplica,
        {{"CONFIG", "SET", "replica-serve-stale-data", "no"},
         {"REPLICAOF", "127.0.0.1", "1"},
         {"GET", "k"},
         {"SET", "k", "v"},
         {"PING"},
         {"EVAL", "return redis.call('get', 'k')", "0"},
         {"EVAL", "#!lua flags=no-writes\nreturn 1", "0"},
         {"EVAL", "#!lua flags=no-writes,allow-stale\nreturn redis.call('get', 'k')", "0"},
         {"EVALSHA", "0000000000000000000000000000000000000000", "0"},
         {"PUBLISH", "a", "b"},
         {"CONFIG", "GET", "replica-read-only"},
         {"MULTI"},
         {"GET", "k"},
         {"EXEC"}});
}

TEST_F(ReplicationDifferentialTest, WritesNeedGoodReplicas) {
  Agree(kMaster, {{"CONFIG", "SET", "min-replicas-to-write", "1", "min-replicas-max-lag", "1"}});
  pair_.SetPaused(kReplica, true);
  const std::string refusal = "(error) NOREPLICAS Not enough good replicas to write.";
  EXPECT_EQ(pair_.Await(kMaster, {"SET", "k", "v"}, refusal), refusal);
  Agree(kMaster, {{"DEL", "k"},
                  {"EVAL", "return redis.call('set', 'k', 'v')", "0"},
                  {"EVAL", "#!lua\nreturn 1", "0"},
                  {"EVAL", "return 1", "0"},
                  {"BLPOP", "q", "1"},
                  {"PUBLISH", "a", "b"},
                  {"PING"},
                  {"MULTI"},
                  {"GET", "k"},
                  {"SET", "k", "v"},
                  {"EXEC"}});
  pair_.SetPaused(kReplica, false);
  EXPECT_EQ(pair_.Await(kMaster, {"SET", "k", "v"}, "OK"), "OK");
}

TEST_F(ReplicationDifferentialTest, AnExpiredKeyIsHiddenByTheReplicaAndStillCounted) {
  pair_.TellReal(kMaster, {"DEBUG", "SET-ACTIVE-EXPIRE", "0"});
  Agree(kMaster, {{"SET", "k", "v", "PX", "60"}});
  EXPECT_EQ(pair_.Await(kReplica, {"DBSIZE"}, "(integer) 1"), "(integer) 1");
  EXPECT_EQ(pair_.Await(kReplica, {"GET", "k"}, "(nil)"), "(nil)");
  Agree(kReplica, {{"EXISTS", "k"},
                   {"TTL", "k"},
                   {"TYPE", "k"},
                   {"KEYS", "*"},
                   {"DBSIZE"},
                   {"EVAL", "return redis.call('get', 'k')", "0"}});
  Agree(kMaster, {{"GET", "k"}});
  EXPECT_EQ(pair_.Await(kReplica, {"DBSIZE"}, "(integer) 0"), "(integer) 0");
}

TEST_F(ReplicationDifferentialTest, AFailoverKeepsTheDataOfTheNewMasterAlone) {
  const std::size_t blocked = pair_.Connect(kMaster);
  const std::size_t watcher = pair_.Connect(kMaster);
  Agree(kMaster, {{"SET", "common", "1"}, {"WAIT", "1", "1000"}});
  Agree(kReplica, {{"REPLICAOF", "NO", "ONE"}, {"SET", "of-the-new", "1"}});
  Agree(kMaster, {{"SET", "of-the-old", "1"}});
  EXPECT_EQ(pair_.Call(kMaster, {"WATCH", "common"}, watcher), "OK");
  EXPECT_EQ(pair_.CallBlocking(kMaster, {"BLPOP", "q", "0"}, blocked), "silence");
  pair_.Follow(kMaster, kReplica);
  EXPECT_EQ(pair_.Read(kMaster, blocked),
            "(error) UNBLOCKED force unblock from blocking operation, instance state changed "
            "(master -> replica?)");
  EXPECT_EQ(pair_.Read(kMaster, blocked), "closed");
  EXPECT_EQ(pair_.Await(kMaster, {"GET", "of-the-old"}, "(nil)"), "(nil)");
  Agree(kMaster, {{"MGET", "common", "of-the-old", "of-the-new"}, {"DBSIZE"}});
  pair_.Call(kMaster, {"MULTI"}, watcher);
  EXPECT_EQ(pair_.Call(kMaster, {"EXEC"}, watcher), "(nil)");
}

TEST_F(ReplicationDifferentialTest, SubscribersOfTheReplicaHearTheMasterAndItsEvents) {
  const std::size_t subscriber = pair_.Connect(kReplica);
  Agree(kReplica, {{"CONFIG", "SET", "notify-keyspace-events", "EA"}});
  EXPECT_EQ(pair_.Call(kReplica, {"SUBSCRIBE", "c"}, subscriber), "[\"subscribe\", \"c\", 1]");
  pair_.Call(kReplica, {"PSUBSCRIBE", "__key*"}, subscriber);
  Agree(kMaster, {{"PUBLISH", "c", "m"}, {"SETEX", "k", "100", "v"}, {"DEL", "k"}});
  EXPECT_EQ(pair_.Read(kReplica, subscriber), "[\"message\", \"c\", \"m\"]");
  for (const char* event : {"set", "expire", "del"}) {
    EXPECT_EQ(pair_.Read(kReplica, subscriber),
              "[\"pmessage\", \"__key*\", \"__keyevent@0__:" + std::string(event) + "\", \"k\"]");
  }
}

TEST_F(ReplicationDifferentialTest, AMasterThatComesBackEmptyEmptiesItsReplica) {
  Agree(kMaster, {{"SET", "lock", "token"}, {"WAIT", "1", "1000"}});
  pair_.Restart(kMaster);
  EXPECT_EQ(pair_.Await(kReplica, {"EXISTS", "lock"}, "(integer) 0"), "(integer) 0");
}

// Servers without WAITAOF say so, and the rest is the same.
class DiskDifferentialTest : public ReplicationDifferentialTest {
 protected:
  DiskDifferentialTest()
      : ReplicationDifferentialTest({"--appendonly", "yes", "--appendfsync", "always"}) {}

  /// "silence": it waits. Anything else is what both have answered at once.
  std::string WaitForADiskThatIsNotSynced(std::size_t waiter) {
    Agree(kReplica, {{"CONFIG", "SET", "appendfsync", "no"}});
    Agree(kMaster, {{"CONFIG", "SET", "appendfsync", "no"}});
    EXPECT_EQ(pair_.Call(kMaster, {"SET", "k", "v"}, waiter), "OK");
    std::string at_once = pair_.CallBlocking(kMaster, {"WAITAOF", "1", "0", "0"}, waiter);
    EXPECT_FALSE(at_once.starts_with("real: ")) << at_once;
    return at_once;
  }
};

TEST_F(DiskDifferentialTest, WaitAofCountsTheDisksOfTheMasterAndOfItsReplicas) {
  Agree(kMaster, {{"SET", "k", "v"}});
  // A replica reports no file before it has rewritten it with the data that it was given.
  if (TestedDialect().since_72) {
    ASSERT_EQ(pair_.Await(kMaster, {"WAITAOF", "1", "1", "100"}, "[1, 1]"), "[1, 1]");
  }
  Agree(kMaster, {{"SET", "k", "v"},
                  {"WAITAOF", "1", "1", "2000"},
                  {"WAITAOF", "0", "0", "0"},
                  {"WAITAOF", "1", "2", "20"}});
  Agree(kReplica, {{"CONFIG", "SET", "appendfsync", "no"}});
  Agree(kMaster, {{"SET", "k", "w"},
                  {"WAIT", "1", "1000"},
                  {"WAITAOF", "1", "0", "0"},
                  {"WAITAOF", "1", "1", "20"},
                  {"MULTI"},
                  {"SET", "k", "x"},
                  {"WAITAOF", "1", "1", "0"},
                  {"EXEC"},
                  {"EVAL", "return redis.call('waitaof', 1, 1, 0)", "0"}});
  Agree(kReplica, {{"CONFIG", "SET", "appendonly", "no"}});
  Agree(kMaster, {{"SET", "k", "y"}, {"WAIT", "1", "1000"}, {"WAITAOF", "0", "1", "20"}});
}

// What a file that is synced every second has not synced yet is on disk for a Valkey all the same.
TEST_F(DiskDifferentialTest, WaitAofBetweenTwoFsyncs) {
  Agree(kReplica, {{"CONFIG", "SET", "appendonly", "no"}});
  Agree(kMaster, {{"CONFIG", "SET", "appendfsync", "everysec"}, {"SET", "k", "v"}});
  if (TestedDialect().since_72) {
    ASSERT_EQ(pair_.Await(kMaster, {"WAITAOF", "1", "0", "100"}, "[1, 0]"), "[1, 0]");
  }
  Agree(kMaster, {{"SET", "k", "w"}, {"WAITAOF", "1", "0", "300"}});
}

TEST_F(DiskDifferentialTest, WaitAofEndsWithTheAppendOnlyFile) {
  const std::size_t waiter = pair_.Connect(kMaster);
  const std::string at_once = WaitForADiskThatIsNotSynced(waiter);
  Agree(kMaster, {{"CONFIG", "SET", "appendonly", "no"}});
  if (at_once == "silence") {
    EXPECT_EQ(
        pair_.Read(kMaster, waiter),
        "(error) ERR WAITAOF cannot be used when numlocal is set but appendonly is disabled.");
  }
  Agree(kMaster, {{"WAITAOF", "1", "0", "0"}, {"WAITAOF", "0", "0", "0"}});
}

TEST_F(DiskDifferentialTest, WaitAofSeesAChangeOfAppendFsync) {
  const std::size_t waiter = pair_.Connect(kMaster);
  const std::string at_once = WaitForADiskThatIsNotSynced(waiter);
  Agree(kMaster, {{"CONFIG", "SET", "appendfsync", "everysec"}});
  if (at_once == "silence") {
    EXPECT_EQ(pair_.Read(kMaster, waiter), "[1, 0]");
  }
}

}  // namespace
}  // namespace interlock::testing
