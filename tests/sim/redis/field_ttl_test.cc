// SPDX-License-Identifier: MIT
//
// TTLs of the fields of hashes over time, which the comparison with real servers cannot hold still.
#include "sim/redis/engine.h"
#include "sim/redis/state.h"
#include "tests/sim/redis/fake_fixture.h"
#include "tests/sim/redis/topology_fixture.h"

namespace interlock::sim::redis {
namespace {

class FieldTtlTest : public FakeTest, public ::testing::WithParamInterface<const char*> {
 protected:
  FieldTtlTest() {
    server_.SetDialect(*FindDialect(GetParam()));
    EXPECT_EQ(server_.Configure("enable-debug-command", "yes"), "");
  }
  bool valkey() { return server_.engine().dialect().valkey; }
};

const auto kServers = ::testing::Values("redis-8.0", "redis-8.4", "valkey-9.1", "valkey-9.2");

std::string NameOf(const ::testing::TestParamInfo<const char*>& tested) {
  std::string name = tested.param;
  std::erase_if(name, [](char c) { return c == '-' || c == '.'; });
  return name;
}

INSTANTIATE_TEST_SUITE_P(Servers, FieldTtlTest, kServers, &NameOf);

TEST_P(FieldTtlTest, FieldsThatAreOverCountUntilTheyAreCollected) {
  Run({"HSET", "h", "a", "1", "b", "2"});
  Run({"HPEXPIRE", "h", "50", "FIELDS", "2", "a", "b"});
  Advance(51);
  EXPECT_EQ(Run({"HLEN", "h"}), "(integer) 2");
  EXPECT_EQ(Run({"EXISTS", "h"}), "(integer) 1");
  EXPECT_EQ(Run({"TYPE", "h"}), "hash");
  EXPECT_EQ(Run({"HKEYS", "h"}), "[]");
  EXPECT_EQ(Run({"SET", "h", "v", "NX"}), "(nil)");
  EXPECT_TRUE(server_.PeekHash(0, "h").empty());
  server_.RunActiveExpiry();
  EXPECT_EQ(Run({"HLEN", "h"}), "(integer) 0");
  EXPECT_EQ(Run({"SET", "h", "v", "NX"}), "OK");
}

TEST_P(FieldTtlTest, InfoCountsHashesWithTtlsAndFieldsThatHaveEnded) {
  const auto info = [this](const char* section, const std::string& name) {
    const std::string text = Run({"INFO", section});
    const std::size_t at = text.find(name);
    return text.substr(at, text.find("\\r", at) - at);
  };
  const std::string hashes = valkey() ? "keys_with_volatile_items" : "subexpiry";
  const std::string ended = valkey() ? "expired_fields" : "expired_subkeys";
  Run({"HSETEX", "h", "PX", "5", "FIELDS", "2", "a", "1", "b", "2"});
  Run({"HSET", "plain", "a", "1"});
  EXPECT_EQ(info("keyspace", hashes), hashes + "=1");
  Advance(6);
  server_.RunActiveExpiry();
  EXPECT_EQ(info("keyspace", hashes), hashes + "=0");
  EXPECT_EQ(info("stats", ended), ended + ":2");
  Run({"HPEXPIRE", "plain", "0", "FIELDS", "2", "a", "none"});
  EXPECT_EQ(info("stats", ended), ended + ":3");
}

TEST_P(FieldTtlTest, SortDoesNotSeeAFieldThatIsOver) {
  Run({"RPUSH", "ids", "1", "2"});
  Run({"HSET", "user:1", "score", "5"});
  Run({"HSETEX", "user:2", "PX", "5", "FIELDS", "1", "score", "3"});
  Advance(6);
  EXPECT_EQ(Run({"SORT", "ids", "BY", "user:*->score", "GET", "#", "GET", "user:*->score"}),
            "[\"2\", (nil), \"1\", \"5\"]");
  EXPECT_EQ(Run({"EXISTS", "user:2"}), valkey() ? "(integer) 1" : "(integer) 0");
}

TEST_P(FieldTtlTest, AReloadEndsWhatIsOver) {
  Run({"SET", "over", "v", "PX", "5"});
  Run({"SET", "stays", "v"});
  Run({"HSETEX", "h", "PX", "5", "FIELDS", "1", "a", "1"});
  Run({"WATCH", "stays"});
  Advance(6);
  EXPECT_EQ(Run({"DEBUG", "RELOAD"}), "OK");
  EXPECT_EQ(Run({"DBSIZE"}), valkey() ? "(integer) 1" : "(integer) 2");
  Run({"MULTI"});
  EXPECT_EQ(Run({"EXEC"}), "(nil)");
  EXPECT_EQ(Run({"GET", "stays"}), "\"v\"");
}

TEST_P(FieldTtlTest, AFieldIsReadInItsLastMillisecond) {
  Run({"HSETEX", "h", "PX", "50", "FIELDS", "1", "a", "1"});
  Advance(50);
  server_.RunActiveExpiry();
  EXPECT_EQ(Run({"HKEYS", "h"}), "[\"a\"]");
  EXPECT_EQ(Run({"HGET", "h", "a"}), "\"1\"");
  EXPECT_EQ(Run({"HPTTL", "h", "FIELDS", "1", "a"}), valkey() ? "[0]" : "[-2]");
  EXPECT_EQ(Run({"HSET", "h", "a", "2"}), valkey() ? "(integer) 1" : "(integer) 0");
  EXPECT_EQ(Run({"HPTTL", "h", "FIELDS", "1", "a"}), "[-1]");
}

TEST_P(FieldTtlTest, CollectionIsToldOnceForAHashAndStopsWithActiveExpiry) {
  const ClientId listener = server_.Connect();
  Run({"CONFIG", "SET", "notify-keyspace-events", "EA"});
  Sent(listener, {"PSUBSCRIBE", "__key*__:*"});
  Run({"HSETEX", "h", "PX", "5", "FIELDS", "3", "a", "1", "b", "2", "c", "3"});
  Run({"DEBUG", "SET-ACTIVE-EXPIRE", "0"});
  Advance(6);
  log_.clear();
  server_.RunActiveExpiry();
  EXPECT_EQ(Joined(), "");
  Run({"DEBUG", "SET-ACTIVE-EXPIRE", "1"});
  log_.clear();
  server_.RunActiveExpiry();
  ASSERT_EQ(log_.size(), 2U);
  EXPECT_NE(log_[0].find("hexpired"), std::string::npos);
  EXPECT_NE(log_[1].find(":del"), std::string::npos);
}

// Whoever listens to one class only depends on which it is.
TEST_P(FieldTtlTest, WhatIsCollectedIsAnExpiryInValkeyAndAChangeOfAHashInRedis) {
  const ClientId listener = server_.Connect();
  Sent(listener, {"PSUBSCRIBE", "__key*__:*"});
  for (const bool expiries : {false, true}) {
    Run({"CONFIG", "SET", "notify-keyspace-events", expiries ? "Ex" : "Eh"});
    Run({"HSETEX", "h", "PX", "5", "FIELDS", "1", "a", "1"});
    Advance(6);
    log_.clear();
    server_.RunActiveExpiry();
    EXPECT_EQ(log_.size(), valkey() == expiries ? 1U : 0U);
  }
}

TEST_P(FieldTtlTest, CollectionFailsAWatchButTheEndOfATtlDoesNot) {
  Run({"HSETEX", "h", "PX", "5", "FIELDS", "1", "a", "1"});
  for (const bool collected : {false, true}) {
    Run({"WATCH", "h"});
    Advance(6);
    if (collected) server_.RunActiveExpiry();
    Run({"MULTI"});
    Run({"PING"});
    EXPECT_EQ(Run({"EXEC"}), collected ? "(nil)" : "[PONG]");
  }
}

TEST_P(FieldTtlTest, RedisDeletesWhatIsLookedForButNotUnderAPause) {
  Run({"HSET", "h", "a", "1", "b", "2"});
  Run({"HPEXPIRE", "h", "5", "FIELDS", "1", "a"});
  Advance(6);
  Run({"CLIENT", "PAUSE", "1000", "WRITE"});
  EXPECT_EQ(Run({"HGET", "h", "a"}), "(nil)");
  EXPECT_EQ(Run({"HLEN", "h"}), "(integer) 2");
  Run({"CLIENT", "UNPAUSE"});
  EXPECT_EQ(Run({"HGET", "h", "a"}), "(nil)");
  EXPECT_EQ(Run({"HLEN", "h"}), valkey() ? "(integer) 2" : "(integer) 1");
}

TEST_P(FieldTtlTest, ASnapshotHasTheTtlsAndValkeyLoadsNoFieldThatIsOver) {
  Run({"HSETEX", "h", "PX", "50", "FIELDS", "1", "a", "1"});
  Run({"HSETEX", "h", "PX", "5000", "FIELDS", "1", "b", "1"});
  Run({"COPY", "h", "g"});
  Run({"HDEL", "g", "b"});
  EXPECT_EQ(Run({"SAVE"}), "OK");
  Advance(51);
  server_.Kill({});
  server_.Start(0);
  client_ = server_.Connect();
  EXPECT_EQ(Run({"HLEN", "h"}), valkey() ? "(integer) 1" : "(integer) 2");
  EXPECT_EQ(Run({"EXISTS", "g"}), valkey() ? "(integer) 0" : "(integer) 1");
  EXPECT_EQ(Run({"HPTTL", "h", "FIELDS", "2", "a", "b"}), "[-2, 4949]");
}

TEST_P(FieldTtlTest, TtlsAreCopied) {
  Run({"HSETEX", "h", "PX", "50", "FIELDS", "1", "a", "1"});
  Run({"COPY", "h", "g"});
  Run({"HPERSIST", "h", "FIELDS", "1", "a"});
  EXPECT_EQ(Run({"HPTTL", "g", "FIELDS", "1", "a"}), "[50]");
  EXPECT_EQ(Run({"HPTTL", "h", "FIELDS", "1", "a"}), "[-1]");
}

class TtlState final : public StateSink {
 public:
  void Number(std::uint64_t number) override { text += std::to_string(number) + " "; }
  void Text(std::string_view bytes) override { text += std::string(bytes) + " "; }
  void OfClient(ClientId) override {}
  void BeginPart() override { text += "| "; }
  std::string text;
};

TEST_P(FieldTtlTest, TheDescriptionOfTheStateHasTheTtl) {
  Run({"HSET", "h", "a", "1"});
  TtlState without;
  DescribeState(server_.engine(), without);
  Run({"HPEXPIREAT", "h", "33333333333000", "FIELDS", "1", "a"});
  TtlState with;
  DescribeState(server_.engine(), with);
  EXPECT_EQ(without.text.find("33333333333000"), std::string::npos);
  EXPECT_NE(with.text.find("33333333333000"), std::string::npos);
}

class FieldsOfReplicasTest : public TopologyTest,
                             public ::testing::WithParamInterface<const char*> {
 protected:
  void SetUp() override {
    TopologySpec spec = TopologySpec::WithReplicas(1);
    for (NodeSpec& node : spec.nodes) node.dialect = FindDialect(GetParam());
    Build(std::move(spec));
    Pass(2 * kSecond);
  }
};

INSTANTIATE_TEST_SUITE_P(Servers, FieldsOfReplicasTest, kServers, &NameOf);

TEST_P(FieldsOfReplicasTest, AReplicaHidesAFieldThatIsOverUntilItsMasterDeletesIt) {
  Run(0, {"HSET", "h", "a", "1", "b", "2"});
  Run(0, {"HPEXPIRE", "h", "100", "FIELDS", "1", "a"});
  Pass(101 * kMs);
  EXPECT_EQ(Run(1, {"HGET", "h", "a"}), "(nil)");
  EXPECT_EQ(Run(1, {"HKEYS", "h"}), "[\"b\"]");
  topology_->server(1).RunActiveExpiry();
  EXPECT_EQ(Run(1, {"HLEN", "h"}), "(integer) 2");
  topology_->server(0).RunActiveExpiry();
  Pass(1 * kMs);
  EXPECT_EQ(Run(1, {"HLEN", "h"}), "(integer) 1");
}

TEST_P(FieldsOfReplicasTest, AReplicaThatComesBackGetsTheTtls) {
  Run(0, {"HSETEX", "h", "PX", "60000", "FIELDS", "1", "a", "1"});
  Restart(1);
  Pass(10 * kSecond);
  const std::string ttl = Run(0, {"HPTTL", "h", "FIELDS", "1", "a"});
  EXPECT_EQ(Run(1, {"HPTTL", "h", "FIELDS", "1", "a"}), ttl);
  EXPECT_EQ(ttl, "[50000]");
}

// Above the few fields that are walked, and beside all others.
TEST(HashTest, FieldsStandInTheOrderOfTheirExpiry) {
  Hash hash;
  for (int i = 0; i < 40; ++i) hash.Set("f" + std::to_string(i), "v");
  hash.SetExpiry("f20", 200, TimedForm::kOrdered);
  hash.SetExpiry("f30", 100, TimedForm::kOrdered);
  hash.SetExpiry("f0", 200, TimedForm::kOrdered);
  hash.SetExpiry("f39", 300, TimedForm::kOrdered);
  EXPECT_EQ(hash.items()[0].first, "f30");
  EXPECT_EQ(hash.items()[1].first, "f0");
  EXPECT_EQ(hash.items()[2].first, "f20");
  EXPECT_EQ(hash.items()[3].first, "f39");
  EXPECT_EQ(hash.items()[4].first, "f1");
  hash.SetExpiry("f20", kNoExpiry, TimedForm::kOrdered);
  EXPECT_EQ(hash.items()[39].first, "f20");
  for (int i = 0; i < 40; ++i) ASSERT_NE(hash.Find("f" + std::to_string(i)), nullptr) << i;
  const Hash copy = hash;
  EXPECT_TRUE(hash.Remove("f30"));
  EXPECT_EQ(copy.ExpiryOf("f30"), 100);
  EXPECT_EQ(hash.ttls().Earliest(), 200);
  EXPECT_TRUE(hash.compact());
  hash.SetExpiry("f1", 5, TimedForm::kHashTable);
  EXPECT_FALSE(hash.compact());
}

}  // namespace
}  // namespace interlock::sim::redis
