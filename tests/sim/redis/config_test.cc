// SPDX-License-Identifier: MIT
//
// CONFIG: names, values, refusals, and that a refused CONFIG SET changes nothing.
#include "sim/redis/config.h"

#include <gmock/gmock.h>

#include "sim/redis/surroundings.h"

#include "tests/sim/redis/fake_fixture.h"

namespace interlock::sim::redis {
namespace {

class ConfigTest : public FakeTest {
 protected:
  std::string Refusal(const std::string& name, const std::string& value) {
    const std::string reply = Run({"CONFIG", "SET", name, value});
    const std::string head =
        "(error) ERR CONFIG SET failed (possibly related to argument '" + name + "') - ";
    return reply.starts_with(head) ? reply.substr(head.size()) : reply;
  }
  std::string Value(const std::string& name, const std::string& value) {
    EXPECT_EQ(Run({"CONFIG", "SET", name, value}), "OK") << name;
    return Run({"CONFIG", "GET", name});
  }
};

TEST_F(ConfigTest, GetTakesSeveralPatternsAndOldNames) {
  EXPECT_EQ(Run({"CONFIG", "GET", "hz", "HZ", "maxmemory-p*", "nosuch"}),
            "[\"hz\", \"10\", \"maxmemory-policy\", \"noeviction\"]");
  EXPECT_EQ(Run({"CONFIG", "GET", "nosuch"}), "[]");
  EXPECT_EQ(Run({"CONFIG", "GET", "slave-p*"}), "[\"slave-priority\", \"100\"]");
  EXPECT_EQ(Run({"CONFIG", "GET", "H?"}), "[\"hz\", \"10\"]");
}

TEST_F(ConfigTest, GetShowsANameAsItIsAskedFor) {
  EXPECT_EQ(Run({"CONFIG", "GET", "hZ", "hz"}), "[\"hZ\", \"10\"]");
  EXPECT_EQ(Run({"CONFIG", "GET", "slave-PRIORITY"}), "[\"slave-PRIORITY\", \"100\"]");
  EXPECT_EQ(Run({"CONFIG", "GET", "h\\z"}), "[]") << "which is no glob";
}

TEST_F(ConfigTest, HiddenParametersAreShownToThoseWhoKnowThemAndRefusedByName) {
  server_.SetUnmodelledIsError(true);
  EXPECT_EQ(Run({"CONFIG", "GET", "*-delay", "key-load-d*"}).find("key"), std::string::npos);
  for (const char* name : {"key-load-delay", "rdb-key-save-delay", "watchdog-period"}) {
    EXPECT_EQ(Run({"CONFIG", "GET", name}), "[\"" + std::string(name) + "\", \"0\"]");
    EXPECT_EQ(Run({"CONFIG", "SET", name, "0"}), "OK");
    EXPECT_EQ(Run({"CONFIG", "SET", name, "5"}),
              "(error) ERR Interlock does not model 'CONFIG SET " + std::string(name) +
                  "', which Redis 7.0.15 has");
  }
}

TEST_F(ConfigTest, EveryFreshValueIsOneThatSetTakes) {
  for (const auto& [name, parameter] : MatchParameters(*FindDialect("valkey-9.1"), "*")) {
    Config config = FreshConfig();
    std::string reason;
    EXPECT_TRUE(SetParameter(*parameter, parameter->fresh, &config, &reason)) << name << reason;
    EXPECT_EQ(FormatParameter(config, *parameter), parameter->fresh) << name;
  }
}

TEST_F(ConfigTest, RefusalsSayWhy) {
  EXPECT_EQ(Refusal("maxmemory", "1.5gb"), "argument must be a memory value");
  EXPECT_EQ(Refusal("proto-max-bulk-len", "1kb"),
            "argument must be between 1048576 and 9223372036854775807 inclusive");
  EXPECT_EQ(Refusal("hz", "0x10"), "argument couldn't be parsed into an integer");
  EXPECT_EQ(Refusal("timeout", "-1"), "argument must be between 0 and 2147483647 inclusive");
  EXPECT_EQ(Refusal("appendonly", "1"), "argument must be 'yes' or 'no'");
  EXPECT_EQ(Refusal("appendfsync", "never"),
            "argument(s) must be one of the following: everysec, always, no");
  EXPECT_EQ(Refusal("databases", "4"), "can't set immutable config");
  EXPECT_EQ(Refusal("dir", "/tmp"), "can't set protected config");
  EXPECT_EQ(Refusal("save", "10"), "Invalid save parameters");
  EXPECT_EQ(Refusal("notify-keyspace-events", "KEq"),
            "Invalid event class character. Use 'Ag$lshzxeKEtmdn'.");
  EXPECT_EQ(Refusal("nosuch", "1"),
            "(error) ERR Unknown option or number of arguments for CONFIG SET - 'nosuch'");
  EXPECT_EQ(Run({"CONFIG", "SET", "hz", "10", "timeout"}), "(error) ERR syntax error");
  EXPECT_EQ(Run({"CONFIG", "REWRITE"}), "(error) ERR The server is running without a config file");
}

TEST_F(ConfigTest, SetIsAllOrNothing) {
  EXPECT_EQ(Run({"CONFIG", "SET", "hz", "20", "timeout", "x"}),
            "(error) ERR CONFIG SET failed (possibly related to argument 'timeout') - argument "
            "couldn't be parsed into an integer");
  EXPECT_EQ(Run({"CONFIG", "SET", "hz", "20", "HZ", "30"}),
            "(error) ERR CONFIG SET failed (possibly related to argument 'HZ') - duplicate "
            "parameter");
  EXPECT_EQ(Run({"CONFIG", "GET", "hz"}), "[\"hz\", \"10\"]");
}

TEST_F(ConfigTest, ValuesAreReadBackAsRedisPrintsThem) {
  EXPECT_EQ(Value("maxmemory", "1kb"), "[\"maxmemory\", \"1024\"]");
  EXPECT_EQ(Value("maxmemory", "18446744073709551616"),
            "[\"maxmemory\", \"18446744073709551615\"]");
  EXPECT_EQ(Value("hz", "9999"), "[\"hz\", \"500\"]");
  EXPECT_EQ(Value("repl-backlog-size", "1"), "[\"repl-backlog-size\", \"16384\"]");
  EXPECT_EQ(Value("appendfsync", "ALWAYS"), "[\"appendfsync\", \"always\"]");
  EXPECT_EQ(Value("save", "900 0"), "[\"save\", \"900 0\"]");
  EXPECT_EQ(Value("save", ""), "[\"save\", \"\"]");
  EXPECT_EQ(Value("notify-keyspace-events", "KEA"), "[\"notify-keyspace-events\", \"AKE\"]");
}

TEST_F(ConfigTest, AnEffectThatIsNotModelledIsNotPretended) {
  EXPECT_EQ(Sent(client_, {"CONFIG", "SET", "tls-port", "1"}), "");
  EXPECT_EQ(server_.unmodelled(), "CONFIG SET tls-port");
}

// A server that shows a value which is not in force would make its tests believe in it.
TEST_F(ConfigTest, AParameterOnWhichNothingActsKeepsItsValue) {
  server_.SetUnmodelledIsError(true);
  for (const char* name : {"timeout", "shutdown-on-sigterm", "proto-max-bulk-len"}) {
    const std::string shown = Run({"CONFIG", "GET", name});
    const std::string value = std::string(name) == "shutdown-on-sigterm" ? "force" : "2000000";
    EXPECT_THAT(Run({"CONFIG", "SET", name, value}),
                ::testing::HasSubstr("does not model 'CONFIG SET " + std::string(name)));
    EXPECT_EQ(Run({"CONFIG", "GET", name}), shown);
  }
  EXPECT_EQ(Run({"CONFIG", "SET", "timeout", "0"}), "OK");
  EXPECT_EQ(Run({"CONFIG", "SET", "tls-port", "0"}), "OK");
  EXPECT_EQ(server_.Configure("cluster-enabled", "yes"),
            "nothing acts upon this parameter here; it is 'no'");
  EXPECT_EQ(Run({"CONFIG", "GET", "cluster-enabled"}), "[\"cluster-enabled\", \"no\"]");
  ShowParameter(server_, "bind", "127.0.0.1");
  EXPECT_EQ(Run({"CONFIG", "GET", "bind"}), "[\"bind\", \"127.0.0.1\"]");
}

TEST_F(ConfigTest, EmbeddingMaySetWhatConfigSetMayNot) {
  EXPECT_EQ(server_.Configure("enable-debug-command", "yes"), "");
  EXPECT_EQ(Run({"CONFIG", "GET", "enable-debug-command"}), "[\"enable-debug-command\", \"yes\"]");
  EXPECT_EQ(server_.Configure("maxmemory", "x"), "argument must be a memory value");
  EXPECT_EQ(server_.Configure("nosuch", "x"), "unknown parameter 'nosuch'");
}

}  // namespace
}  // namespace interlock::sim::redis
