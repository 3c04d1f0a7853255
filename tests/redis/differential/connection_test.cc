// SPDX-License-Identifier: MIT
//
// Connections, configuration, INFO, pauses and the memory limit beside a real redis-server: each
// test runs one script on several connections of both.
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "sim/redis/config.h"
#include "sim/redis/server.h"
#include "tests/redis/differential/connection_fixture.h"
#include "tests/redis/differential/tested_server.h"

namespace interlock::testing {
namespace {

TEST_F(ConnectionComparison, EveryParameterHasTheRealOnesFreshValueAndLimits) {
  const std::set<std::string_view> machine = {
      "dir",         "logfile",   "port",       "bind",
      "save",        "pidfile",   "unixsocket", "enable-debug-command",
      "requirepass", "maxclients"};
  std::vector<sim::redis::Argv> commands;
  for (const auto& [name, parameter] : sim::redis::MatchParameters(TestedDialect(), "*")) {
    if (machine.count(name) != 0) continue;
    const std::string text(name);
    commands.push_back({"CONFIG", "GET", text});
    if (!IsActedUpon(*parameter)) continue;  // setting it is refused by name
    if (parameter->name == "appendonly" || parameter->name == "masterauth") continue;
    for (const char* value : {"zz~bad", "-1", "0", "1", "7", "999999999999", "1gx", "", "2kb",
                              "YES", "no", "9223372036854775808"}) {
      // Changing these changes what the test sees of everything else.
      if (parameter->name == "maxmemory" || parameter->name == "timeout") break;
      commands.push_back({"CONFIG", "SET", text, value});
      commands.push_back({"CONFIG", "GET", text});
    }
  }
  Compare(Alone(commands));
}

TEST_F(ConnectionComparison, ConfigGetShowsHiddenParametersByNameAndNamesAsTheyAreWritten) {
  std::vector<sim::redis::Argv> commands;
  for (const char* name :
       {"key-load-delay", "rdb-key-save-delay", "watchdog-period", "use-exit-on-panic",
        "loading-process-events-interval-bytes", "KEY-load-delay", "key-load-dela?", "MaxMemory",
        "maxmemory\\", "SLAVE-priority", "Maxmemory-pol*", ""}) {
    commands.push_back({"CONFIG", "GET", name});
    commands.push_back({"CONFIG", "SET", name, "x"});
  }
  Compare(Alone(commands));
}

TEST_F(ConnectionComparison, ConfigSetIsAllOrNothing) {
  Compare(Alone({{"CONFIG", "GET", "hz", "HZ", "nosuch"},
                 {"CONFIG", "SET", "hz", "20", "timeout", "x"},
                 {"CONFIG", "SET", "hz", "20", "HZ", "30"},
                 {"CONFIG", "SET", "hz", "20", "databases", "1", "nosuch", "1"},
                 {"CONFIG", "SET", "nosuch", "1", "databases", "1"},
                 {"CONFIG", "SET", "hz", "20", "timeout"},
                 {"CONFIG", "SET", "min-replicas-to-write", "1", "min-slaves-to-write", "0"},
                 {"CONFIG", "SET", "save", "10 1 20"},
                 {"CONFIG", "SET", "save", " 10 1"},
                 {"CONFIG", "SET", "save", "10 1 "},
                 {"CONFIG", "SET", "save", "900 1 300 10"},
                 {"CONFIG", "GET", "save"},
                 {"CONFIG", "SET", "notify-keyspace-events", "KEA"},
                 {"CONFIG", "GET", "notify-keyspace-events"},
                 {"CONFIG", "REWRITE"},
                 {"CONFIG", "RESETSTAT"},
                 {"CONFIG", "GET"},
                 {"CONFIG", "NOSUCH"},
                 {"HELLO", "3"},
                 {"CONFIG", "GET", "hz"}}));
}

TEST_F(ConnectionComparison, ClientsSeeAndKillEachOther) {
  Compare({{1, {"BLPOP", "nokey", "0"}},
           {2, {"SUBSCRIBE", "a"}},
           {3, {"MULTI"}},
           {3, {"GET", "x"}},
           {0, {"CLIENT", "LIST", "ID", "$ID0", "$ID1", "$ID2", "$ID3", "999"}},
           {0, {"CLIENT", "LIST", "TYPE", "pubsub"}},
           {0, {"CLIENT", "LIST", "TYPE", "x"}},
           {0, {"CLIENT", "LIST", "TYPE"}},
           {0, {"CLIENT", "LIST", "ID", "x"}},
           {0, {"CLIENT", "LIST", "TYPE", "replica"}},
           {0, {"CLIENT", "LIST", "TYPE", "primary"}},
           {0, {"CLIENT", "KILL", "1.2.3.4:5"}},
           {0, {"CLIENT", "KILL", "ID", "x"}},
           {0, {"CLIENT", "KILL", "ID", "0"}},
           {0, {"CLIENT", "KILL", "ID", "$ID0"}},
           {0, {"CLIENT", "KILL", "ID", "1", "ADDR"}},
           {0, {"CLIENT", "KILL", "TYPE", "x"}},
           {0, {"CLIENT", "KILL", "USER", "x"}},
           {0, {"CLIENT", "KILL", "SKIPME", "x"}},
           {0, {"CLIENT", "KILL", "ADDR", "$ADDR1", "TYPE", "pubsub"}},
           {0, {"CLIENT", "KILL", "$ADDR1"}},
           {0, {"CLIENT", "KILL", "TYPE", "pubsub"}},
           {0, {"CLIENT", "KILL", "ID", "$ID3"}},
           {0, {"HELLO", "3"}},
           {0, {"CLIENT", "INFO"}},
           {0, {"CLIENT", "KILL", "USER", "default", "SKIPME", "no"}}});
}

TEST_F(ConnectionComparison, ClientsSayWhatTheyAre) {
  Compare(Alone({{"CLIENT", "SETNAME", "a b"},
                 {"CLIENT", "SETNAME", "ok"},
                 {"CLIENT", "GETNAME"},
                 {"CLIENT", "INFO"},
                 {"CLIENT", "NO-EVICT", "x"},
                 {"CLIENT", "NO-EVICT", "on"},
                 {"CLIENT", "INFO"},
                 {"CLIENT", "GETREDIR"},
                 {"CLIENT", "TRACKINGINFO"},
                 {"CLIENT", "UNBLOCK", "x"},
                 {"CLIENT", "UNBLOCK", "$ID1"},
                 {"CLIENT", "UNBLOCK", "$ID1", "x"},
                 {"CLIENT", "REPLY", "x"},
                 {"CLIENT", "REPLY", "SKIP"},
                 {"ECHO", "unheard"},
                 {"ECHO", "heard"},
                 {"CLIENT", "REPLY", "OFF"},
                 {"ECHO", "unheard"},
                 {"RESET"},
                 {"CLIENT", "GETNAME"},
                 {"CLIENT", "INFO"},
                 {"CLIENT", "PAUSE", "x"},
                 {"CLIENT", "PAUSE", "-1"},
                 {"CLIENT", "PAUSE", "1", "x"},
                 {"CLIENT", "PAUSE", "1", "WRITE", "x"},
                 {"CLIENT", "NOSUCH"},
                 {"CLIENT", "SETINFO", "a", "b"},
                 {"ACL", "WHOAMI"},
                 {"ACL", "USERS"},
                 {"ACL", "NOSUCH"},
                 {"HELLO", "3"},
                 {"CLIENT", "TRACKINGINFO"},
                 {"CLIENT", "GETNAME"}}));
}

// Servers without a subcommand say so, and the rest is the same.
TEST_F(ConnectionComparison, ClientsSayWhatTheyCanDo) {
  Compare({{0, {"CLIENT", "SETINFO", "lib-name", "interlock"}},
           {0, {"CLIENT", "SETINFO", "LIB-VER", "1.0"}},
           {0, {"CLIENT", "SETINFO", "LIB-NAME", "a b"}},
           {0, {"CLIENT", "SETINFO", "other", "a b"}},
           {0, {"CLIENT", "NO-TOUCH", "on"}},
           {0, {"CLIENT", "NO-TOUCH", "x"}},
           {0, {"CLIENT", "CAPA", "other"}},
           {0, {"CLIENT", "CAPA", "other", "REDIRECT"}},
           {0, {"CLIENT", "INFO"}},
           {0, {"WATCH", "a", "b", "a"}},
           {0, {"CLIENT", "INFO"}},
           {0, {"MULTI"}},
           {0, {"GET", "a"}},
           {1, {"CLIENT", "LIST", "ID", "$ID0"}},
           {0, {"NOSUCH"}},
           {1, {"CLIENT", "LIST", "ID", "$ID0"}},
           {0, {"EXEC"}},
           {0, {"MULTI"}},
           {0, {"GET", "a"}},
           {0, {"GET", "a"}},
           {0, {"EXEC"}},
           {0, {"EVAL", "return redis.call('get', 'a')", "0"}},
           {1, {"CLIENT", "LIST", "ID", "$ID0"}},
           {0, {"BLPOP", "list", "0"}},
           {1, {"CLIENT", "LIST", "ID", "$ID0"}},
           {1, {"RPUSH", "list", "a"}},
           {1, {"CLIENT", "LIST", "ID", "$ID0"}},
           {0, {"RESET"}},
           {0, {"CLIENT", "SETINFO", "lib-ver", ""}},
           {0, {"CLIENT", "INFO"}}});
}

TEST_F(ConnectionComparison, HelloAuthAndReset) {
  Compare({{0, {"HELLO"}},
           {0, {"HELLO", "x"}},
           {0, {"HELLO", "4"}},
           {0, {"HELLO", "3", "AUTH", "a"}},
           {0, {"HELLO", "3", "AUTH", "a", "x"}},
           {0, {"HELLO", "3", "SETNAME", "a b"}},
           {0, {"HELLO", "2", "SETNAME", "ab", "FOO"}},
           {0, {"CLIENT", "GETNAME"}},
           {0, {"AUTH", "x"}},
           {0, {"AUTH", "default", "x"}},
           {0, {"AUTH", "a", "b", "c"}},
           {0, {"CONFIG", "SET", "requirepass", "secret"}},
           {0, {"PING"}},
           {0, {"RESET"}},
           {0, {"GET", "k"}},
           {0, {"GET"}},
           {0, {"HELLO", "3"}},
           {0, {"AUTH", "wrong"}},
           {0, {"AUTH", "a", "secret"}},
           {0, {"HELLO", "3", "AUTH", "default", "secret", "SETNAME", "me"}},
           {0, {"CLIENT", "GETNAME"}},
           {0, {"SELECT", "16"}},
           {0, {"SELECT", "x"}},
           {0, {"SELECT", "99999999999"}},
           {0, {"SELECT", "3"}},
           {0, {"MULTI"}},
           {0, {"RESET"}},
           {0, {"AUTH", "secret"}},
           {0, {"CLIENT", "INFO"}},
           {1, {"SUBSCRIBE", "a"}},
           {1, {"GET", "k"}},
           {1, {"HELLO", "3"}},
           {1, {"RESET"}},
           {1, {"AUTH", "secret"}},
           {1, {"QUIT", "x"}}});
}

TEST_F(ConnectionComparison, PauseOfWritesHoldsWhatMayReplicate) {
  Compare({{3, {"MULTI"}},
           {3, {"GET", "l"}},
           {3, {"EVAL", "#!lua flags=no-writes\nreturn 1", "0"}},
           {0, {"CLIENT", "PAUSE", "100000", "WRITE"}},
           {0, {"CLIENT", "PAUSE", "1", "WRITE"}},
           {1, {"RPUSH", "l", "b"}},
           {2, {"PUBLISH", "c", "m"}},
           {3, {"EXEC"}},
           {0, {"LLEN", "l"}},
           {0, {"CLIENT", "LIST", "ID", "$ID1"}},
           {3, {"EVAL_RO", "return 1", "0"}},
           {3, {"EVAL", "return 1", "0"}},
           {1, {"LRANGE", "l", "0", "-1"}},
           {0, {"CLIENT", "UNPAUSE"}},
           {0, {"LLEN", "l"}}});
}

TEST_F(ConnectionComparison, NothingMayGrowWithoutMemory) {
  Compare({{0, {"SET", "k", "v"}},
           {0, {"RPUSH", "l", "v"}},
           {1, {"MULTI"}},
           {1, {"SET", "k", "w"}},
           {2, {"MULTI"}},
           {2, {"GET", "k"}},
           {0, {"CONFIG", "SET", "maxmemory", "1"}},
           {1, {"EXEC"}},
           {2, {"AUTH", "a"}},
           {2, {"EXEC"}},
           {0, {"SET", "k", "v"}},
           {0, {"BRPOPLPUSH", "l", "m", "0"}},
           {0, {"GET", "k"}},
           {0, {"EXPIRE", "k", "100"}},
           {0, {"PUBLISH", "c", "m"}},
           {0, {"EVAL", "return redis.call('get', 'k')", "0"}},
           {0, {"EVAL", "return redis.call('set', 'k', 'v')", "0"}},
           {0, {"EVAL", "redis.call('del', 'x') return redis.call('set', 'k', 'v')", "0"}},
           {0, {"EVAL", "#!lua\nreturn 1", "0"}},
           {0, {"EVAL", "#!lua flags=no-writes\nreturn 1", "0"}},
           {0, {"EVAL", "#!lua flags=allow-oom\nreturn redis.call('set', 'k', 'v')", "0"}},
           {0, {"BLPOP", "l", "0"}},
           {0, {"DEL", "k"}},
           {0, {"MULTI"}},
           {0, {"DISCARD"}},
           {3, {"CONFIG", "SET", "notify-keyspace-events", "Ee"}},
           {3, {"SUBSCRIBE", "__keyevent@0__:evicted"}},
           {0, {"CONFIG", "SET", "maxmemory", "0"}},
           {0, {"SET", "lock", "token", "EX", "600"}},
           {0, {"SET", "data", "x"}},
           {0, {"CONFIG", "SET", "maxmemory-policy", "volatile-lru", "maxmemory", "1"}},
           {0, {"SET", "k", "v"}},
           {0, {"GET", "lock"}},
           {0, {"GET", "data"}}});
}

TEST_F(ConnectionComparison, MemoryUsageTakesSamples) {
  Compare(Alone({{"MEMORY", "USAGE", "nokey"},
                 {"MEMORY", "USAGE", "nokey", "SAMPLES"},
                 {"MEMORY", "USAGE", "nokey", "SAMPLES", "x"},
                 {"MEMORY", "USAGE", "nokey", "SAMPLES", "-1"},
                 {"MEMORY", "USAGE", "nokey", "OTHER", "1"},
                 {"MEMORY", "USAGE", "nokey", "SAMPLES", "5"}}));
}

TEST_F(ConnectionComparison, DebugSleepsAndKnowsItsForms) {
  Compare({{0, {"DEBUG"}},
           {0, {"DEBUG", "SLEEP"}},
           {0, {"DEBUG", "SLEEP", "x"}},
           {0, {"DEBUG", "SLEEP", "-1"}},
           {0, {"DEBUG", "NOSUCH"}},
           {0, {"DEBUG", "SET-ACTIVE-EXPIRE", "0"}},
           {0, {"DEBUG", "ERROR", "boom"}},
           {0, {"MODULE", "LOAD", "x"}}});
}

TEST_F(ConnectionComparison, InfoHasTheNamesOfARealServer) {
  for (const char* section : {"server", "clients", "memory", "persistence", "stats", "replication",
                              "cpu", "modules", "cluster", "keyspace", "nosuch", "default", "tls",
                              "threads", "cluster_info", "scriptingengines", "keysizes"}) {
    Compare(Alone({{"INFO", section}}));
  }
  Compare(Alone({{"GET"},
                 {"SET", "k", "v"},
                 {"CONFIG", "RESETSTAT"},
                 {"LPUSH", "k", "v"},
                 {"NOSUCH"},
                 {"INFO", "errorstats", "keyspace"},
                 {"HELLO", "3"},
                 {"INFO", "CLUSTER", "cpu"}}));
}

}  // namespace
}  // namespace interlock::testing
