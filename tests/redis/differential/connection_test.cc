// SPDX-License-Identifier: MIT
//
// Connections, configuration, INFO, pauses and the memory limit beside a real redis-server: each
// test runs one script on several connections of both, and compares every value that either sends.
// Ids, addresses and sizes differ, and are hidden.
#include <gtest/gtest.h>
#include <sys/time.h>

#include <array>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "sim/redis/config.h"
#include "sim/redis/server.h"
#include "tests/redis/differential/tested_server.h"
#include "tests/redis/differential/wire_client.h"
#include "tests/support/redis_server.h"

namespace interlock::testing {
namespace {

using sim::redis::Argv;
using sim::redis::ClientId;
using sim::redis::Server;
using sim::redis::ToText;
using sim::redis::Value;

constexpr std::size_t kConnections = 4;

// "id=3 addr=... name=x" with what differs between two servers left out.
std::string HideClientFields(const std::string& text) {
  const std::set<std::string> hidden = {
      "id",  "addr", "laddr",    "fd",        "age",     "idle",      "rbs",
      "rbp", "omem", "argv-mem", "multi-mem", "tot-mem", "qbuf-free", "tot-net-out"};
  std::string shown;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    const std::string name = word.substr(0, word.find('='));
    shown += (hidden.count(name) != 0 ? name : word) + " ";
  }
  return shown;
}

// "name:value" lines: the names.
std::string NamesOfInfo(const std::string& text) {
  std::string names;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) names += line.substr(0, line.find(':')) + "\n";
  return names;
}

void Hide(Value* value) {
  for (Value& element : value->elements) Hide(&element);
  if (value->text.find(" laddr=") != std::string::npos) value->text = HideClientFields(value->text);
  if (value->text.starts_with("# ")) value->text = NamesOfInfo(value->text);
  if (value->elements.size() == 14 && value->elements[0].text == "server") {
    value->elements[7].integer = 0;
  }
}

struct Step {
  std::size_t connection;
  Argv argv;  // "$ID1" and "$ADDR1" are those of connection 1.
};

class ConnectionComparison : public ::testing::Test, private sim::redis::Sink {
 protected:
  void SetUp() override {
    sim::machine::RedisServerOptions options;
    options.arguments = {"--enable-debug-command", "yes"};
    auto started = sim::machine::RedisServer::Start(options);
    ASSERT_TRUE(started.ok()) << started.status().message();
    real_ = std::move(*started);
    fake_.SetSink(this);
    fake_.SetDialect(TestedDialect());
    SetTime();
    EXPECT_EQ(fake_.Configure("enable-debug-command", "yes"), "");
    for (std::size_t i = 0; i < kConnections; ++i) {
      wires_[i] = std::make_unique<WireClient>(real_->port());
      ids_[i] = fake_.Connect(FakeAddress(i));
      const std::string info = wires_[i]->Call({"CLIENT", "INFO"}).text;
      real_ids_[i] = info.substr(3, info.find(' ') - 3);
      const std::size_t at = info.find("addr=") + 5;
      real_addresses_[i] = info.substr(at, info.find(' ', at) - at);
      fake_.Execute(ids_[i], {"CLIENT", "INFO"});
    }
    replies_.clear();
  }

  void OnReply(ClientId client, Value& value) override { replies_[client].push_back(value); }
  void OnClosed(ClientId client) override { closed_.insert(client); }

  static std::string FakeAddress(std::size_t i) { return "127.0.0.1:" + std::to_string(50000 + i); }

  void SetTime() {
    timeval now{};
    ::gettimeofday(&now, nullptr);
    fake_.SetTime(std::int64_t{now.tv_sec} * 1000000 + now.tv_usec);
  }

  Argv Filled(const Argv& argv, bool real) const {
    Argv filled = argv;
    for (std::string& word : filled) {
      for (std::size_t i = 0; i < kConnections; ++i) {
        const std::string number = std::to_string(i);
        if (word == "$ID" + number) word = real ? real_ids_[i] : std::to_string(ids_[i]);
        if (word == "$ADDR" + number) word = real ? real_addresses_[i] : FakeAddress(i);
      }
    }
    return filled;
  }

  void CompareReplies(const std::string& where) {
    for (std::size_t i = 0; i < kConnections; ++i) {
      for (Value& expected : replies_[ids_[i]]) {
        std::optional<Value> actual = wires_[i]->Read();
        ASSERT_TRUE(actual) << where << "\nredis sent nothing to " << i << ", the fake "
                            << ToText(expected);
        Hide(&expected);
        Hide(&*actual);
        EXPECT_EQ(ToText(expected), ToText(*actual)) << where << "\nto connection " << i;
      }
      replies_[ids_[i]].clear();
    }
  }

  // Both sides, step by step; then a PING shows that nothing more was on its way.
  void Compare(const std::vector<Step>& steps) {
    for (const Step& step : steps) {
      const std::string where = std::to_string(step.connection) + "> " + ToText(step.argv);
      wires_[step.connection]->Send(Filled(step.argv, true));
      SetTime();
      fake_.Execute(ids_[step.connection], Filled(step.argv, false));
      ASSERT_FALSE(fake_.unmodelled()) << where << ": " << *fake_.unmodelled();
      CompareReplies(where);
      if (HasFatalFailure()) return;
      // No answer tells that the real server has read what blocks.
      if (step.argv[0] == "BLPOP" && fake_.IsBlocked(ids_[step.connection])) {
        ASSERT_TRUE(real_->AwaitBlockedClients(1)) << where;
      }
    }
    for (std::size_t i = 0; i < kConnections; ++i) {
      const bool closed = closed_.count(ids_[i]) != 0;
      if (closed) {
        EXPECT_FALSE(wires_[i]->Read()) << "more for the closed connection " << i;
        EXPECT_TRUE(wires_[i]->closed()) << i;
      } else if (!fake_.IsBlocked(ids_[i])) {
        wires_[i]->Send({"PING"});
        fake_.Execute(ids_[i], {"PING"});
      }
    }
    CompareReplies("at the end");
  }

  std::unique_ptr<sim::machine::RedisServer> real_;
  Server fake_;
  std::array<std::unique_ptr<WireClient>, kConnections> wires_;
  std::array<ClientId, kConnections> ids_{};
  std::array<std::string, kConnections> real_ids_;
  std::array<std::string, kConnections> real_addresses_;
  std::map<ClientId, std::deque<Value>> replies_;
  std::set<ClientId> closed_;
};

// One connection says all of it.
std::vector<Step> Alone(const std::vector<Argv>& commands) {
  std::vector<Step> steps;
  for (const Argv& argv : commands) steps.push_back({0, argv});
  return steps;
}

TEST_F(ConnectionComparison, EveryParameterHasTheRealOnesFreshValueAndLimits) {
  const std::set<std::string_view> machine = {
      "dir",         "logfile",   "port",       "bind",
      "save",        "pidfile",   "unixsocket", "enable-debug-command",
      "requirepass", "maxclients"};
  std::vector<Argv> commands;
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
  std::vector<Argv> commands;
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
