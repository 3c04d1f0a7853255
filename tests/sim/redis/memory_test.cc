// SPDX-License-Identifier: MIT
//
// The memory limit: who is refused, who is evicted, and what INFO says about it.
#include "tests/sim/redis/fake_fixture.h"

namespace interlock::sim::redis {
namespace {

constexpr char kOom[] = "(error) OOM command not allowed when used memory > 'maxmemory'.";

class MemoryTest : public FakeTest {
 protected:
  std::string Field(const std::string& name) {
    server_.Execute(client_, {"INFO", "everything"});
    const std::string& text = log_.back();
    const std::size_t at = text.find("\\n" + name + ":");
    if (at == std::string::npos) return "no such field";
    const std::size_t begin = at + name.size() + 3;
    return text.substr(begin, text.find("\\r", begin) - begin);
  }
  /// How many calls of the command count as failed.
  std::int64_t Failed(const std::string& command) {
    const std::string counts = Field("cmdstat_" + command);
    const std::size_t at = counts.find("failed_calls=");
    return at == std::string::npos ? -1 : std::stoll(counts.substr(at + 13));
  }
  /// Room for so many bytes more.
  void Limit(std::int64_t bytes, const std::string& policy) {
    const std::int64_t used = std::stoll(Field("used_memory"));
    EXPECT_EQ(Run({"CONFIG", "SET", "maxmemory", std::to_string(used + bytes), "maxmemory-policy",
                   policy}),
              "OK");
  }
};

TEST_F(MemoryTest, WithoutEvictionWhatMayGrowIsRefused) {
  Run({"SET", "k", "v"});
  Limit(-1, "noeviction");
  EXPECT_EQ(Run({"SET", "k", "v"}), kOom);
  EXPECT_EQ(Run({"GET", "k"}), "\"v\"");
  EXPECT_EQ(Run({"EXPIRE", "k", "10"}), "(integer) 1");
  EXPECT_EQ(Run({"DEL", "k"}), "(integer) 1");
}

TEST_F(MemoryTest, InsideMultiEverythingIsRefused) {
  Run({"MULTI"});
  Run({"SET", "k", "v"});
  const ClientId other = server_.Connect();
  Sent(other, {"CONFIG", "SET", "maxmemory", "1"});
  EXPECT_EQ(Run({"EXEC"}),
            "(error) EXECABORT Transaction discarded because of: OOM command not allowed when used "
            "memory > 'maxmemory'.");
  Run({"MULTI"});
  EXPECT_EQ(Run({"GET", "k"}), kOom);
  EXPECT_EQ(Run({"EXEC"}), "(error) EXECABORT Transaction discarded because of previous errors.");
}

TEST_F(MemoryTest, ScriptsAreJudgedByTheirFirstLineOrByEachCommand) {
  Run({"CONFIG", "SET", "maxmemory", "1"});
  EXPECT_EQ(Eval("return redis.call('get', 'k')"), "(nil)");
  EXPECT_EQ(Eval("return redis.call('set', 'k', 'v')").find(kOom), 0U);
  EXPECT_EQ(Eval("redis.call('del', 'k') return redis.call('set', 'k', 'v')"), "OK");
  EXPECT_EQ(Eval("#!lua\nreturn 1"), kOom);
  EXPECT_EQ(Eval("#!lua flags=no-writes\nreturn 1"), "(integer) 1");
  EXPECT_EQ(Eval("#!lua flags=allow-oom\nreturn redis.call('set', 'k', 'v')"), "OK");
}

TEST_F(MemoryTest, LeastRecentlyUsedGoesFirst) {
  for (const char* key : {"a", "b", "c"}) {
    Run({"SET", key, std::string(1000, 'x')});
    Advance(10);
  }
  Run({"GET", "a"});
  Advance(10);
  Limit(500, "allkeys-lru");
  EXPECT_EQ(Run({"SET", "d", std::string(1000, 'x')}), "OK");
  EXPECT_EQ(Run({"EXISTS", "b"}), "(integer) 0");
  EXPECT_EQ(Run({"EXISTS", "a", "c", "d"}), "(integer) 3");
  EXPECT_EQ(Field("evicted_keys"), "1");
}

TEST_F(MemoryTest, VolatilePolicyEvictsOnlyKeysWithATtl) {
  Run({"SET", "data", std::string(1000, 'x')});
  Run({"SET", "lock", "token", "EX", "600"});
  Run({"CONFIG", "SET", "notify-keyspace-events", "Ee"});
  const ClientId listener = server_.Connect();
  Sent(listener, {"SUBSCRIBE", "__keyevent@0__:evicted"});
  const std::string used = Field("used_memory");
  EXPECT_EQ(Sent(client_, {"CONFIG", "SET", "maxmemory-policy", "volatile-lru", "maxmemory",
                           std::to_string(std::stoll(used) - 1)}),
            "1 OK; 2 [\"message\", \"__keyevent@0__:evicted\", \"lock\"]");
  EXPECT_EQ(Run({"EXISTS", "lock", "data"}), "(integer) 1");
  EXPECT_EQ(Run({"SET", "more", std::string(2000, 'x')}), "OK");
  EXPECT_EQ(Run({"SET", "more", "x"}), kOom);
}

TEST_F(MemoryTest, NearestDeadlineGoesFirstUnderVolatileTtl) {
  Run({"SET", "late", std::string(1000, 'x'), "EX", "600"});
  Run({"SET", "soon", std::string(1000, 'x'), "EX", "60"});
  Limit(-1, "volatile-ttl");
  EXPECT_EQ(Run({"EXISTS", "soon"}), "(integer) 0");
  EXPECT_EQ(Run({"EXISTS", "late"}), "(integer) 1");
}

TEST_F(MemoryTest, UsedMemoryReturnsToWhereItWas) {
  Run({"CONFIG", "SET", "maxmemory", "1gb"});
  const std::string before = Field("used_memory");
  Run({"SET", "s", "v"});
  Run({"RPUSH", "l", "a", "b"});
  Run({"HSET", "h", "f", "v"});
  Run({"ZADD", "z", "1", "m"});
  Run({"SADD", "t", "m"});
  Run({"SET", "s", std::string(100, 'x'), "PX", "10"});
  EXPECT_NE(Field("used_memory"), before);
  Run({"RENAME", "l", "h"});
  Run({"DEL", "h", "z", "t"});
  Advance(20);
  EXPECT_EQ(Run({"EXISTS", "s"}), "(integer) 0");
  EXPECT_EQ(Field("used_memory"), before);
}

TEST_F(MemoryTest, InfoCounts) {
  Run({"SET", "k", "v", "PX", "10"});
  Run({"GET", "k"});
  Run({"GET", "nokey"});
  Run({"LPUSH", "k", "v"});
  Run({"NOSUCH"});
  Run({"GET"});
  Eval("return redis.call('lpush', 'k', 'v')");
  Eval("return {err = 'nocode'}");
  EXPECT_EQ(Field("db0"), "keys=1,expires=1,avg_ttl=0");
  EXPECT_EQ(Field("keyspace_hits"), "1");
  EXPECT_EQ(Field("keyspace_misses"), "1");
  EXPECT_EQ(Field("errorstat_WRONGTYPE"), "count=2");
  EXPECT_EQ(Field("errorstat_ERR"), "count=3");
  EXPECT_EQ(Field("total_error_replies"), "5");
  EXPECT_EQ(Field("cmdstat_get"),
            "calls=2,usec=0,usec_per_call=0.00,rejected_calls=1,failed_calls=0");
  EXPECT_EQ(Field("cmdstat_lpush"),
            "calls=2,usec=0,usec_per_call=0.00,rejected_calls=0,failed_calls=2");
  Advance(20);
  Run({"GET", "k"});
  EXPECT_EQ(Field("expired_keys"), "1");
  Run({"CONFIG", "RESETSTAT"});
  EXPECT_EQ(Field("expired_keys"), "0");
  EXPECT_EQ(Field("connected_clients"), "1");
}

TEST_F(MemoryTest, InfoCountsTheErrorsOfWaitsThatOthersEnd) {
  const ClientId waiting = server_.Connect();
  Sent(waiting, {"BLPOP", "q", "0"});
  Sent(client_, {"CLIENT", "UNBLOCK", "2", "ERROR"});
  EXPECT_EQ(Field("errorstat_UNBLOCKED"), "count=1");
  EXPECT_EQ(Failed("blpop"), 1);
  EXPECT_EQ(Failed("client|unblock"), 1);
  Sent(waiting, {"BLPOP", "q", "0"});
  Sent(client_, {"CLIENT", "UNBLOCK", "2", "TIMEOUT"});
  EXPECT_EQ(Field("errorstat_UNBLOCKED"), "count=1");
  EXPECT_EQ(Failed("blpop"), 2);
  EXPECT_EQ(Failed("client|unblock"), 1);
  Run({"SET", "string", "v"});
  Sent(waiting, {"BLMOVE", "q", "string", "LEFT", "LEFT", "0"});
  Sent(client_, {"LPUSH", "q", "a"});
  EXPECT_EQ(Field("errorstat_WRONGTYPE"), "count=1");
  EXPECT_EQ(Failed("blmove"), 1);
  EXPECT_EQ(Failed("lpush"), 0);
  Sent(waiting, {"BLPOP", "p", "0"});
  Sent(client_, {"REPLICAOF", "127.0.0.1", "1"});
  EXPECT_EQ(Field("errorstat_UNBLOCKED"), "count=2");
  EXPECT_EQ(Field("total_error_replies"), "3");
  EXPECT_EQ(Failed("blpop"), 2);
  EXPECT_EQ(Failed("replicaof"), 1);
}

TEST_F(MemoryTest, AnErrorCountsForTheCommandThatMadeItAlone) {
  const ClientId waiting = server_.Connect();
  Sent(waiting, {"BLPOP", "q", "0"});
  Run({"MULTI"});
  Run({"CLIENT", "UNBLOCK", "2", "ERROR"});
  Sent(client_, {"EXEC"});
  EXPECT_EQ(Failed("client|unblock"), 1);
  EXPECT_EQ(Failed("exec"), 0);
  Eval("redis.pcall('nosuch'); redis.pcall('lpop'); return 1");
  EXPECT_EQ(Failed("eval"), 0);
}

// No command takes any time here, and one that takes none counts as the least that is measured.
TEST_F(MemoryTest, LatenciesAreThoseOfCommandsThatAreOver) {
  const ClientId waiting = server_.Connect();
  Run({"SET", "k", "v"});
  Run({"CLIENT", "ID"});
  Run({"GET"});
  Sent(waiting, {"BLPOP", "q", "0"});
  EXPECT_EQ(Field("latency_percentiles_usec_set"), "p50=0.001,p99=0.001,p99.9=0.001");
  EXPECT_EQ(Field("latency_percentiles_usec_client|id"), "p50=0.001,p99=0.001,p99.9=0.001");
  EXPECT_EQ(Field("latency_percentiles_usec_get"), "no such field");
  EXPECT_EQ(Field("latency_percentiles_usec_blpop"), "no such field");
  Sent(client_, {"LPUSH", "q", "a"});
  EXPECT_EQ(Field("latency_percentiles_usec_blpop"), "p50=0.001,p99=0.001,p99.9=0.001");
  Run({"CONFIG", "SET", "latency-tracking", "no"});
  EXPECT_EQ(Run({"INFO", "latencystats"}), "\"# Latencystats\\r\\n\"");
  Run({"GET", "k"});
  Run({"CONFIG", "SET", "latency-tracking", "yes"});
  EXPECT_EQ(Field("latency_percentiles_usec_get"), "no such field");
  Run({"CONFIG", "RESETSTAT"});
  EXPECT_EQ(Field("latency_percentiles_usec_set"), "no such field");
}

TEST_F(MemoryTest, SmallIntegersMayBeSharedByNobodyUnderSuchAPolicy) {
  server_.SetUnmodelledIsError(true);
  EXPECT_EQ(server_.Configure("enable-debug-command", "yes"), "");
  Run({"SET", "small", "5"});
  Run({"SET", "large", "10000"});
  EXPECT_EQ(Run({"CONFIG", "SET", "maxmemory-policy", "volatile-lru"}), "OK");
  EXPECT_EQ(Run({"OBJECT", "REFCOUNT", "small"}), "(integer) 2147483647");
  EXPECT_EQ(Run({"CONFIG", "SET", "maxmemory", "100mb"}), "OK");
  EXPECT_EQ(Run({"OBJECT", "REFCOUNT", "large"}), "(integer) 1");
  EXPECT_NE(Run({"OBJECT", "REFCOUNT", "small"}).find("does not model"), std::string::npos);
  EXPECT_NE(Run({"DEBUG", "OBJECT", "small"}).find("does not model"), std::string::npos);
  EXPECT_EQ(Run({"CONFIG", "SET", "maxmemory-policy", "volatile-ttl"}), "OK");
  EXPECT_EQ(Run({"OBJECT", "REFCOUNT", "small"}), "(integer) 2147483647");
}

TEST_F(MemoryTest, InfoHasTheSectionsAskedFor) {
  EXPECT_EQ(Run({"INFO", "cluster", "nosuch"}), "\"# Cluster\\r\\ncluster_enabled:0\\r\\n\"");
  EXPECT_EQ(Run({"INFO", "nosuch"}), "\"\"");
  EXPECT_EQ(Run({"INFO"}).find("Commandstats"), std::string::npos);
  EXPECT_NE(Run({"INFO", "all"}).find("# Commandstats"), std::string::npos);
}

TEST_F(MemoryTest, InfoOfNewerRedisCountsKeysBySize) {
  server_.SetDialect(*FindDialect("redis-8.0"));
  Run({"SET", "empty", ""});
  Run({"SET", "a", "123"});
  Run({"SET", "b", "12"});
  Run({"SET", "c", std::string(1500, 'x')});
  Run({"HSET", "h", "f", "v"});
  EXPECT_EQ(Run({"INFO", "keysizes"}),
            "\"# Keysizes\\r\\ndb0_distrib_strings_sizes:0=1,2=2,1K=1\\r\\n"
            "db0_distrib_hashes_items:1=1\\r\\n\"");
}

TEST_F(MemoryTest, EvictionThatIsNotModelledIsNamedAndTheServiceGoesOn) {
  server_.SetUnmodelledIsError(true);
  EXPECT_EQ(Run({"SET", "k", "v"}), "OK");
  EXPECT_EQ(Run({"CONFIG", "SET", "maxmemory-policy", "allkeys-lfu"}), "OK");
  EXPECT_EQ(Run({"CONFIG", "SET", "maxmemory", "1"}), "OK");
  EXPECT_EQ(
      Run({"SET", "k2", "v"}),
      "(error) ERR Interlock does not model 'maxmemory-policy with LFU', which Redis 7.0.15 has");
  EXPECT_EQ(Run({"CONFIG", "SET", "maxmemory-policy", "noeviction"}), "OK");
  EXPECT_EQ(Run({"SET", "k2", "v"}).substr(0, 11), "(error) OOM");
}

}  // namespace
}  // namespace interlock::sim::redis
