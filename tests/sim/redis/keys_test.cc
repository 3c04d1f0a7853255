// SPDX-License-Identifier: MIT
//
// Keys as a whole: scans, dumps, encodings, and what a replica answers of keys whose time has come.
#include <algorithm>
#include <set>
#include <string>

#include "sim/redis/engine.h"
#include "tests/sim/redis/fake_fixture.h"

namespace interlock::sim::redis {
namespace {

class KeysTest : public FakeTest {};

// [cursor, [keys]]
std::string CursorOf(const std::string& reply) { return reply.substr(2, reply.find('"', 2) - 2); }

TEST_F(KeysTest, ScanMeetsEveryKeyThatStaysWhateverComesAndGoes) {
  constexpr int kKeys = 200;
  for (int i = 0; i < kKeys; ++i) Run({"SET", "stay" + std::to_string(i), "v"});
  std::string all;
  std::string cursor = "0";
  int pages = 0;
  do {
    const std::string reply = Run({"SCAN", cursor, "COUNT", "7"});
    all += reply;
    cursor = CursorOf(reply);
    Run({"SET", "come" + std::to_string(pages), "v"});
    Run({"DEL", "come" + std::to_string(pages / 2)});
    ++pages;
  } while (cursor != "0");
  for (int i = 0; i < kKeys; ++i) {
    EXPECT_NE(all.find("\"stay" + std::to_string(i) + "\""), std::string::npos) << i;
  }
  EXPECT_GE(pages, kKeys / 7);
}

// The server remembers where the keys are that were looked up last.
TEST_F(KeysTest, AKeyIsNotFoundWhereItWasOnceItHasGone) {
  const auto put = [&](const std::string& key) {
    Run({"SET", key, key});
    return Run({"GET", key});
  };
  ASSERT_EQ(put("deleted"), "\"deleted\"");
  Run({"DEL", "deleted"});
  EXPECT_EQ(Run({"GET", "deleted"}), "(nil)");
  ASSERT_EQ(put("renamed"), "\"renamed\"");
  Run({"RENAME", "renamed", "other"});
  EXPECT_EQ(Run({"GET", "renamed"}), "(nil)");
  EXPECT_EQ(Run({"GET", "other"}), "\"renamed\"");
  ASSERT_EQ(put("swapped"), "\"swapped\"");
  Run({"SWAPDB", "0", "1"});
  EXPECT_EQ(Run({"GET", "swapped"}), "(nil)");
  Run({"SELECT", "1"});
  EXPECT_EQ(Run({"GET", "swapped"}), "\"swapped\"");
  Run({"FLUSHDB"});
  EXPECT_EQ(Run({"GET", "swapped"}), "(nil)");
  Run({"SET", "short", "lived", "PX", "10"});
  ASSERT_EQ(Run({"GET", "short"}), "\"lived\"");
  Advance(11);
  EXPECT_EQ(Run({"GET", "short"}), "(nil)");
  EXPECT_EQ(put("short"), "\"short\"");
}

TEST_F(KeysTest, ScanFiltersAfterItHasCounted) {
  for (int i = 0; i < 20; ++i) Run({"SET", "k" + std::to_string(i), "v"});
  Run({"RPUSH", "list", "a"});
  EXPECT_EQ(Run({"SCAN", "0", "COUNT", "100", "TYPE", "LIST"}), "[\"0\", [\"list\"]]");
  EXPECT_EQ(Run({"SCAN", "0", "COUNT", "100", "MATCH", "l*"}), "[\"0\", [\"list\"]]");
  EXPECT_NE(CursorOf(Run({"SCAN", "0", "COUNT", "1", "MATCH", "none"})), "0");
}

TEST_F(KeysTest, CopyIsDeep) {
  Run({"RPUSH", "l", "a"});
  Run({"COPY", "l", "m"});
  Run({"RPUSH", "m", "b"});
  EXPECT_EQ(Run({"LRANGE", "l", "0", "-1"}), "[\"a\"]");
}

TEST_F(KeysTest, IdleTimeCountsFromTheLastAccessThatIsOne) {
  Run({"SET", "k", "v"});
  Advance(5000);
  Run({"TTL", "k"});
  Run({"TYPE", "k"});
  Run({"EXISTS", "k"});
  EXPECT_EQ(Run({"OBJECT", "IDLETIME", "k"}), "(integer) 5");
  Run({"TOUCH", "k"});
  EXPECT_EQ(Run({"OBJECT", "IDLETIME", "k"}), "(integer) 0");
}

// A replica answers of an expired key as if it were gone, and keeps it until its master says so.
TEST_F(KeysTest, AScanByTypeDeletesExpiredKeysOfOtherTypesButNotInValkey) {
  const auto left = [this](const char* dialect) {
    server_.SetDialect(*FindDialect(dialect));
    Run({"FLUSHALL"});
    Run({"SET", "s", "v", "PX", "5"});
    Run({"HSET", "h", "f", "v"});
    Run({"PEXPIRE", "h", "5"});
    Advance(6);
    Run({"SCAN", "0", "TYPE", "string"});
    return Run({"DBSIZE"});
  };
  EXPECT_EQ(left("redis-7.0"), "(integer) 0");
  EXPECT_EQ(left("redis-8.0"), "(integer) 0");
  EXPECT_EQ(left("valkey-8.1"), "(integer) 1");
}

class ReplicaKeysTest : public ::testing::Test, protected Sink {
 protected:
  ReplicaKeysTest() {
    engine_.sink = this;
    engine_.SetTime(kStartMs * 1000);
    client_ = engine_.Connect("");
    Run({"SET", "dead", "v", "PX", "10"});
    engine_.SetTime((kStartMs + 11) * 1000);
    engine_.keyspace.SetExpiryMode(ExpiryMode::kHide);
  }
  void OnReply(ClientId, Value& value) override { reply_ = ToText(value); }
  void OnClosed(ClientId) override {}
  std::string Run(const Argv& argv) {
    engine_.Execute(client_, argv);
    return reply_;
  }

  static constexpr std::int64_t kStartMs = 1'700'000'000'000;
  Engine engine_;
  ClientId client_ = 0;
  std::string reply_;
};

TEST_F(ReplicaKeysTest, ReadsHideAnExpiredKeyAndKeepIt) {
  EXPECT_EQ(Run({"GET", "dead"}), "(nil)");
  EXPECT_EQ(Run({"EXISTS", "dead"}), "(integer) 0");
  EXPECT_EQ(Run({"TTL", "dead"}), "(integer) -2");
  EXPECT_EQ(Run({"TYPE", "dead"}), "none");
  EXPECT_EQ(Run({"DUMP", "dead"}), "(nil)");
  EXPECT_EQ(Run({"KEYS", "*"}), "[]");
  EXPECT_EQ(Run({"SCAN", "0"}), "[\"0\", []]");
  EXPECT_EQ(Run({"OBJECT", "ENCODING", "dead"}), "(nil)");
  EXPECT_EQ(Run({"DBSIZE"}), "(integer) 1");
}

TEST_F(ReplicaKeysTest, RandomKeyGivesAnExpiredKeyIfThereIsNoOther) {
  EXPECT_EQ(Run({"RANDOMKEY"}), "\"dead\"");
  Run({"SET", "live", "v"});
  EXPECT_EQ(Run({"RANDOMKEY"}), "\"live\"");
}

TEST_F(ReplicaKeysTest, AWriteOnAReplicaThatMayBeWrittenToFindsNothingInItsWay) {
  EXPECT_EQ(Run({"SET", "dead", "w", "NX"}), "OK");
  EXPECT_EQ(Run({"GET", "dead"}), "\"w\"");
}

TEST_F(ReplicaKeysTest, ATimeThatHasComeIsStoredNotDeleted) {
  Run({"SET", "k", "v"});
  EXPECT_EQ(Run({"PEXPIREAT", "k", "5"}), "(integer) 1");
  EXPECT_EQ(Run({"GET", "k"}), "(nil)");
  EXPECT_EQ(Run({"DBSIZE"}), "(integer) 2");
}

TEST_F(ReplicaKeysTest, DelCountsAnExpiredKey) {
  EXPECT_EQ(Run({"DEL", "dead"}), "(integer) 1");
  EXPECT_EQ(Run({"DBSIZE"}), "(integer) 0");
}

TEST_F(ReplicaKeysTest, ItsMasterSeesTheKeyAlive) {
  engine_.keyspace.SetExpiryMode(ExpiryMode::kIgnore);
  engine_.clients.Find(client_)->from_master = true;
  EXPECT_EQ(Run({"APPEND", "dead", "w"}), "(integer) 2");
  EXPECT_EQ(Run({"EXPIRE", "dead", "-1"}), "(integer) 1");
  EXPECT_EQ(Run({"DBSIZE"}), "(integer) 1");
}

}  // namespace
}  // namespace interlock::sim::redis
