// SPDX-License-Identifier: MIT
//
// One node of a Redis Cluster of two masters and a replica: what it serves, and where it sends the
// rest. The texts are those of a redis-server 7.0.15 with the same slots.
#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include <gmock/gmock.h>

#include "sim/redis/rdb/payload.h"
#include "tests/sim/redis/fake_fixture.h"

namespace interlock::sim::redis {
namespace {

// Slots: b is 3300, {b}x too, a is 15495, c is 7365.
class ClusterTest : public FakeTest {
 protected:
  ClusterTest() { server_.SetClusterView(View(0)); }

  static ClusterView View(std::size_t myself) {
    ClusterView view;
    view.nodes = {{std::string(40, 'a'), "127.0.0.1", 7001},
                  {std::string(40, 'b'), "127.0.0.1", 7002},
                  {std::string(40, 'c'), "127.0.0.1", 7003, std::string(40, 'a')}};
    view.myself = myself;
    view.owner.SetRange(0, 8191, 0);
    view.owner.SetRange(8192, kSlots - 1, 1);
    return view;
  }
};

TEST(SlotOwnersTest, RunsAreAsLongAsCanBeAndSayWhatAnArrayWould) {
  SlotOwners owners;
  std::vector<std::int16_t> expected(kSlots, kNoNode);
  std::mt19937 random(7);
  for (int i = 0; i < 300; ++i) {
    const std::size_t first = random() % kSlots;
    const std::size_t last = i % 3 == 0 ? first : first + random() % (kSlots - first);
    const auto node = static_cast<std::int16_t>(random() % 3);
    owners.SetRange(first, last, node);
    for (std::size_t slot = first; slot <= last; ++slot) expected[slot] = node;
    if (i % 10 == 0) {
      owners.Replace(node, 3);
      std::replace(expected.begin(), expected.end(), node, std::int16_t{3});
    }
    std::size_t next = 0;
    std::int16_t before = -2;
    for (const SlotOwners::Run& run : owners.runs()) {
      ASSERT_EQ(run.first, next);
      ASSERT_NE(run.node, before);
      for (; next <= run.last; ++next) ASSERT_EQ(run.node, expected[next]) << next;
      before = run.node;
    }
    ASSERT_EQ(next, kSlots);
    ASSERT_EQ(owners[first], expected[first]);
  }
}

TEST_F(ClusterTest, SlotIsTheCrcOfTheKeyOrOfItsHashTag) {
  EXPECT_EQ(KeySlot("123456789"), 0x31C3U % kSlots);
  EXPECT_EQ(KeySlot("{b}x"), KeySlot("b"));
  EXPECT_EQ(KeySlot("x{}y"), KeySlot("x{}y"));
  EXPECT_NE(KeySlot("{}b"), KeySlot("b"));
  EXPECT_EQ(KeySlot("a"), 15495U);
}

TEST_F(ClusterTest, KeysOfOtherNodesAreMoved) {
  EXPECT_EQ(Run({"SET", "b", "1"}), "OK");
  EXPECT_EQ(Run({"GET", "a"}), "(error) MOVED 15495 127.0.0.1:7002");
  EXPECT_EQ(Run({"MGET", "b", "{b}x"}), "[\"1\", (nil)]");
  EXPECT_EQ(Run({"MGET", "b", "c"}),
            "(error) CROSSSLOT Keys in request don't hash to the same slot");
  EXPECT_EQ(Run({"PING"}), "PONG");
}

TEST_F(ClusterTest, EachServerHasItsTextsForKeysThatAScriptMayNotReach) {
  struct Case {
    const char* dialect;
    const char* moved;
    const char* crossing;
    const char* unbound;
  };
  constexpr const char* kOld = "Script attempted to access a non local key in a cluster node";
  constexpr const char* kNew = "Attempted to access a non local key in a cluster node";
  constexpr const char* kCrossing =
      "Command 'mget' in script attempted to access keys that don't hash to the same slot";
  ClusterView view = View(0);
  view.owner.Set(15495, kNoNode);
  for (const Case& one :
       {Case{"redis-7.0", kOld, kOld, kOld},
        Case{"redis-8.0", kOld, kCrossing, "Script attempted to access a slot not served"},
        Case{"valkey-8.1", kOld, kCrossing, "Script attempted to access a slot not served"},
        Case{"valkey-9.1", kNew, kNew, kNew}}) {
    server_.SetDialect(*FindDialect(one.dialect));
    server_.SetClusterView(View(0));
    const auto starts = [](const char* text) {
      return ::testing::StartsWith(std::string("(error) ERR ") + text + " script: ");
    };
    EXPECT_THAT(Eval("return redis.call('get', 'a')"), starts(one.moved)) << one.dialect;
    EXPECT_THAT(Eval("return redis.call('mget', 'b', 'c')"), starts(one.crossing)) << one.dialect;
    server_.SetClusterView(view);
    EXPECT_EQ(Run({"CONFIG", "SET", "cluster-require-full-coverage", "no"}), "OK");
    EXPECT_THAT(Eval("return redis.call('get', 'a')"), starts(one.unbound)) << one.dialect;
  }
}

TEST_F(ClusterTest, MovedWhileQueueingAbortsTheTransaction) {
  EXPECT_EQ(Run({"MULTI"}), "OK");
  EXPECT_EQ(Run({"GET", "a"}), "(error) MOVED 15495 127.0.0.1:7002");
  EXPECT_EQ(Run({"EXEC"}), "(error) EXECABORT Transaction discarded because of previous errors.");
}

TEST_F(ClusterTest, MigratingSlotServesPresentKeysAndAsksForMissingOnes) {
  EXPECT_EQ(Run({"SET", "b", "1"}), "OK");
  EXPECT_EQ(Run({"CLUSTER", "SETSLOT", "3300", "MIGRATING", std::string(40, 'b')}), "OK");
  EXPECT_EQ(Run({"GET", "b"}), "\"1\"");
  EXPECT_EQ(Run({"SET", "{b}x", "1", "NX"}), "(error) ASK 3300 127.0.0.1:7002");
  EXPECT_EQ(Run({"MGET", "b", "{b}x"}),
            "(error) TRYAGAIN Multiple keys request during rehashing of slot");
}

TEST_F(ClusterTest, WhichKeysOfATransactionAreThereIsJudgedByNewerValkeysAtItsExec) {
  for (const char* dialect : {"redis-7.0", "valkey-8.1", "valkey-9.1"}) {
    server_.SetDialect(*FindDialect(dialect));
    server_.SetClusterView(View(0));
    EXPECT_EQ(Run({"CLUSTER", "SETSLOT", "3300", "MIGRATING", std::string(40, 'b')}), "OK");
    const std::string ask = "(error) ASK 3300 127.0.0.1:7002";
    const bool later = server_.dialect().IsIn(kValkeyFrom90);
    EXPECT_EQ(Run({"MULTI"}), "OK");
    EXPECT_EQ(Run({"GET", "b"}), later ? "QUEUED" : ask) << dialect;
    EXPECT_EQ(Run({"EXEC"}),
              later ? ask : "(error) EXECABORT Transaction discarded because of previous errors.");
  }
}

TEST_F(ClusterTest, ValkeyHoldsSetSlotWhileWritesArePaused) {
  EXPECT_EQ(Run({"CLIENT", "PAUSE", "1000", "WRITE"}), "OK");
  EXPECT_EQ(Run({"CLUSTER", "SETSLOT", "5", "STABLE"}), "OK");
  server_.SetDialect(*FindDialect("valkey-8.1"));
  EXPECT_EQ(Sent(client_, {"CLUSTER", "SETSLOT", "5", "STABLE"}), "");
}

TEST_F(ClusterTest, ImportingSlotIsServedAfterAskingOnly) {
  server_.SetClusterView(View(1));
  EXPECT_EQ(Run({"CLUSTER", "SETSLOT", "3300", "IMPORTING", std::string(40, 'a')}), "OK");
  EXPECT_EQ(Run({"GET", "b"}), "(error) MOVED 3300 127.0.0.1:7001");
  EXPECT_EQ(Run({"ASKING"}), "OK");
  EXPECT_EQ(Run({"GET", "b"}), "(nil)");
  EXPECT_EQ(Run({"GET", "b"}), "(error) MOVED 3300 127.0.0.1:7001");
  EXPECT_EQ(Run({"ASKING"}), "OK");
  EXPECT_EQ(Run({"MULTI"}), "OK");
  EXPECT_EQ(Run({"GET", "b"}), "QUEUED");
  EXPECT_EQ(Run({"EXEC"}), "[(nil)]");
}

TEST_F(ClusterTest, AKeyThatIsMigratedHereNeedsNoAsking) {
  server_.SetClusterView(View(1));
  const std::string dump = WritePayload(std::string("v"), DefaultDialect());
  EXPECT_EQ(Run({"RESTORE-ASKING", "{b}x", "0", dump}), "(error) MOVED 3300 127.0.0.1:7001");
  EXPECT_EQ(Run({"CLUSTER", "SETSLOT", "3300", "IMPORTING", std::string(40, 'a')}), "OK");
  EXPECT_EQ(Run({"RESTORE", "{b}x", "0", dump}), "(error) MOVED 3300 127.0.0.1:7001");
  EXPECT_EQ(Run({"RESTORE-ASKING", "{b}x", "0", dump}), "OK");
  EXPECT_EQ(server_.PeekString(0, "{b}x"), "v");
}

TEST_F(ClusterTest, ReplicaServesReadsAfterReadOnlyAlone) {
  server_.SetClusterView(View(2));
  EXPECT_EQ(Run({"GET", "b"}), "(error) MOVED 3300 127.0.0.1:7001");
  EXPECT_EQ(Run({"READONLY"}), "OK");
  EXPECT_EQ(Run({"GET", "b"}), "(nil)");
  EXPECT_EQ(Run({"SET", "b", "1"}), "(error) MOVED 3300 127.0.0.1:7001");
  EXPECT_EQ(Run({"READWRITE"}), "OK");
  EXPECT_EQ(Run({"GET", "b"}), "(error) MOVED 3300 127.0.0.1:7001");
}

TEST_F(ClusterTest, NothingIsServedWithoutFullCoverage) {
  ClusterView view = View(0);
  view.owner.Set(5, kNoNode);
  server_.SetClusterView(view);
  EXPECT_EQ(Run({"GET", "b"}), "(error) CLUSTERDOWN The cluster is down");
  server_.SetClusterView(View(0));
  EXPECT_EQ(Run({"GET", "b"}), "(nil)");
}

TEST_F(ClusterTest, BlockedClientIsMovedWhenItsSlotIs) {
  ASSERT_EQ(Sent(client_, {"BLPOP", "b", "0"}), "");
  ClusterView view = View(0);
  view.owner.Set(3300, 1);
  server_.SetClusterView(view);
  EXPECT_EQ(Joined(), "1 (error) MOVED 3300 127.0.0.1:7002");
}

TEST_F(ClusterTest, ScriptsMayNotReachForeignSlots) {
  EXPECT_EQ(Eval("return redis.call('get', KEYS[1])", {"a"}), "(error) MOVED 15495 127.0.0.1:7002");
  EXPECT_EQ(Eval("return redis.call('get', 'b')"), "(nil)");
  EXPECT_TRUE(Eval("return redis.call('get', 'a')")
                  .starts_with("(error) ERR Script attempted to access a non local key in a "
                               "cluster node script: "));
}

TEST_F(ClusterTest, HeadersOfScriptsSayWhatTheyMayDoInACluster) {
  EXPECT_EQ(Eval("#!lua flags=no-cluster\nreturn 1"),
            "(error) ERR Can not run script on cluster, 'no-cluster' flag is set.");
  const std::string two_slots = "\nredis.call('get', 'b') return redis.call('get', 'h')";
  EXPECT_TRUE(Eval("#!lua" + two_slots).starts_with("(error) ERR Script attempted to access"));
}

TEST_F(ClusterTest, ThereIsOneDatabase) {
  EXPECT_EQ(Run({"SELECT", "1"}), "(error) ERR SELECT is not allowed in cluster mode");
  EXPECT_EQ(Run({"SELECT", "0"}), "OK");
  EXPECT_EQ(Run({"SWAPDB", "0", "1"}), "(error) ERR SWAPDB is not allowed in cluster mode");
  EXPECT_EQ(Run({"COPY", "b", "{b}2", "DB", "1"}),
            "(error) ERR Copying to another database is not allowed in cluster mode");
}

TEST_F(ClusterTest, SlotsNameTheMasterAndThenItsReplicas) {
  const std::string a = std::string(40, 'a');
  const std::string b = std::string(40, 'b');
  const std::string c = std::string(40, 'c');
  EXPECT_EQ(Run({"CLUSTER", "SLOTS"}),
            "[[0, 8191, [\"127.0.0.1\", 7001, \"" + a + "\", []], [\"127.0.0.1\", 7003, \"" + c +
                "\", []]], [8192, 16383, [\"127.0.0.1\", 7002, \"" + b + "\", []]]]");
}

TEST_F(ClusterTest, NodesHaveTheirLines) {
  const std::string a = std::string(40, 'a');
  EXPECT_EQ(Run({"CLUSTER", "NODES"}),
            "\"" + a +
                " 127.0.0.1:7001@17001 myself,master - 0 1700000000000 0 connected 0-8191\\n" +
                std::string(40, 'b') +
                " 127.0.0.1:7002@17002 master - 0 1700000000000 0 connected 8192-16383\\n" +
                std::string(40, 'c') + " 127.0.0.1:7003@17003 slave " + a +
                " 0 1700000000000 0 connected\\n\"");
}

TEST_F(ClusterTest, SlotAdministrationHasItsErrors) {
  EXPECT_EQ(Run({"CLUSTER", "ADDSLOTS", "5"}), "(error) ERR Slot 5 is already busy");
  EXPECT_EQ(Run({"CLUSTER", "SETSLOT", "9000", "MIGRATING", std::string(40, 'b')}),
            "(error) ERR I'm not the owner of hash slot 9000");
  EXPECT_EQ(Run({"CLUSTER", "SETSLOT", "5", "IMPORTING", std::string(40, 'b')}),
            "(error) ERR I'm already the owner of hash slot 5");
  EXPECT_EQ(Run({"CLUSTER", "SETSLOT", "5", "MIGRATING", "abc"}),
            "(error) ERR I don't know about node abc");
  EXPECT_EQ(Run({"CLUSTER", "FAILOVER"}),
            "(error) ERR You should send CLUSTER FAILOVER to a replica");
}

TEST(NoClusterTest, ClusterCommandsAreRefusedWithoutACluster) {
  struct : Sink {
    void OnReply(ClientId, Value& value) override { last = ToText(value); }
    void OnClosed(ClientId) override {}
    std::string last;
  } sink;
  Server server;
  server.SetSink(&sink);
  server.Execute(server.Connect(), {"CLUSTER", "SLOTS"});
  EXPECT_EQ(sink.last, "(error) ERR This instance has cluster support disabled");
}

}  // namespace
}  // namespace interlock::sim::redis
