// SPDX-License-Identifier: MIT
//
// Requests that ended a served Redis, slowed it down or showed what is not so; each beside what
// redis-server 7.0.15 does.
#include <unistd.h>

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/redis/differential/wire_client.h"
#include "tests/scenarios/child_process.h"
#include "tests/sim/serve/served_redis.h"

namespace interlock::scenarios {
namespace {

using interlock::testing::WireClient;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::RunChild;
using testing::ServedRedis;

std::string Asked(WireClient& client, const sim::redis::Argv& argv) {
  return sim::redis::ToText(client.Call(argv));
}

// A script that runs for long lets others be served inside it, a thousand times and more here.
TEST(HostileRequestsTest, PipelinedScriptsDoNotEndTheServer) {
  const ServedRedis served;
  WireClient client(served.port());
  constexpr int kScripts = 2000;
  for (int i = 0; i < kScripts; ++i) {
    client.Queue({"EVAL", "for i=1,1000 do redis.call('incr',KEYS[1]) end", "1", "x"});
  }
  client.Flush();
  for (int i = 0; i < kScripts; ++i) client.Await();
  EXPECT_EQ(Asked(client, {"GET", "x"}), "\"" + std::to_string(kScripts * 1000) + "\"");
}

// Every instruction of a script is looked at once it has been ended; not those of the next one.
TEST(HostileRequestsTest, AScriptThatWasEndedDoesNotSlowDownTheNext) {
  const ServedRedis served({"--config", "busy-reply-threshold=5"});
  WireClient client(served.port());
  WireClient other(served.port());
  client.Call({"EVAL", "return gcinfo()", "0"});
  client.Send({"EVAL", "local n=0 for i=1,2e7 do n=n+1 end return n", "0"});
  EXPECT_EQ(sim::redis::ToText(client.Await()), "(integer) 20000000");
  EXPECT_EQ(Asked(other, {"PING"}), "PONG");
}

TEST(HostileRequestsTest, OnlyShutdownNosaveEndsAServerWithABusyScript) {
  ServedRedis served({"--config", "busy-reply-threshold=20"});
  WireClient busy(served.port());
  WireClient other(served.port());
  busy.Send({"EVAL", "while true do end", "0"});
  while (!Asked(other, {"PING"}).starts_with("(error) BUSY")) {
  }
  EXPECT_THAT(Asked(other, {"SHUTDOWN"}), HasSubstr("BUSY"));
  for (const char* option : {"NOW", "FORCE", "SAVE"}) {
    EXPECT_THAT(Asked(other, {"SHUTDOWN", option}), HasSubstr("BUSY"));
  }
  EXPECT_THAT(Asked(other, {"SHUTDOWN", "ABORT"}), HasSubstr("No shutdown in progress"));
  other.Send({"SHUTDOWN", "NOSAVE"});
  EXPECT_EQ(served.AwaitExit(), 0);
}

TEST(HostileRequestsTest, AParameterOnWhichNothingActsIsRefusedByName) {
  for (const char* parameter :
       {"cluster-enabled=yes", "databases=1", "timeout=1", "proto-max-bulk-len=1mb",
        "unixsocketperm=700", "bind=127.0.0.1", "dir=/tmp"}) {
    const auto child = RunChild({INTERLOCK_PROGRAM, "serve", "--port", "0", "--config", parameter});
    EXPECT_EQ(child.exit_code, 64) << parameter;
  }
  const ServedRedis served({"--config", "databases=16"});
  EXPECT_GT(served.port(), 0);
}

TEST(HostileRequestsTest, WhereItListensIsShown) {
  const std::string path = ::testing::TempDir() + "hostile-" + std::to_string(getpid()) + ".sock";
  const ServedRedis served({"--unixsocket", path});
  WireClient client(path);
  EXPECT_EQ(Asked(client, {"CONFIG", "GET", "unixsocket"}), "[\"unixsocket\", \"" + path + "\"]");
  EXPECT_EQ(Asked(client, {"CONFIG", "GET", "bind"}), "[\"bind\", \"127.0.0.1\"]");
  const std::string line = Asked(client, {"CLIENT", "LIST"});
  EXPECT_THAT(line, HasSubstr(" laddr=" + path + ":0 "));
  EXPECT_THAT(line, HasSubstr(" flags=U "));
}

TEST(HostileRequestsTest, OutputThatNobodyReadsIsShown) {
  const ServedRedis served;
  WireClient slow(served.port());
  WireClient other(served.port());
  other.Call({"SETRANGE", "large", "20000000", "x"});
  EXPECT_THAT(Asked(other, {"CLIENT", "LIST"}), Not(HasSubstr("events=rw")));
  slow.Send({"GET", "large"});
  std::string lines;
  do {
    lines = Asked(other, {"CLIENT", "LIST"});
  } while (lines.find("events=rw") == std::string::npos);
  EXPECT_THAT(lines, HasSubstr(" obl=16384 "));
  EXPECT_THAT(lines, Not(HasSubstr("omem=0 tot-mem=0")));
}

TEST(HostileRequestsTest, OthersMaySteerOnlyWithThePassword) {
  const ServedRedis open({"--requirepass", "secret"});
  WireClient local(open.port());
  EXPECT_THAT(Asked(local, {"INTERLOCK.CLOCK", "NOW"}), HasSubstr("(integer)"));
  const ServedRedis guarded({"--requirepass", "secret", "--allow-remote"});
  WireClient client(guarded.port());
  EXPECT_THAT(Asked(client, {"INTERLOCK.CLOCK", "NOW"}), HasSubstr("NOAUTH"));
  EXPECT_EQ(Asked(client, {"AUTH", "secret"}), "OK");
  EXPECT_EQ(Asked(client, {"INTERLOCK.FAULT", "CRASH"}), "OK");
  WireClient later(guarded.port());
  EXPECT_THAT(Asked(later, {"INTERLOCK.FAULT", "RESTART"}), HasSubstr("NOAUTH"));
  EXPECT_THAT(Asked(later, {"AUTH", "wrong"}), HasSubstr("WRONGPASS"));
  EXPECT_EQ(Asked(later, {"AUTH", "secret"}), "OK");
  EXPECT_EQ(Asked(later, {"INTERLOCK.FAULT", "RESTART"}), "OK");
}

}  // namespace
}  // namespace interlock::scenarios
