// SPDX-License-Identifier: MIT
//
// The commands by which a test controls `interlock serve`, INTERLOCK.CLOCK and INTERLOCK.FAULT:
// what they do to clients over real sockets.
#include <poll.h>

#include <algorithm>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/redis/differential/wire_client.h"
#include "tests/sim/serve/served_client.h"
#include "tests/sim/serve/served_redis.h"

namespace interlock::scenarios {
namespace {

using interlock::testing::WireClient;
using sim::redis::Argv;
using sim::redis::Value;
using testing::Ask;
using testing::AskNumber;
using testing::HasEnded;
using ::testing::HasSubstr;
using testing::ServedRedis;

TEST(ServeClockCommandTest, AControlledClockMovesByCommandAlone) {
  const ServedRedis served({"--clock", "controlled"});
  WireClient client(served.port());
  WireClient blocked(served.port());
  EXPECT_EQ(AskNumber(client, {"INTERLOCK.CLOCK", "SET", "1700000000000"}), 1700000000000);
  EXPECT_EQ(Ask(client, {"SET", "k", "v", "PX", "1000"}), "OK");
  blocked.Send({"BLPOP", "list", "5"});
  EXPECT_EQ(AskNumber(client, {"INTERLOCK.CLOCK", "ADVANCE", "1000"}), 1700000001000);
  EXPECT_EQ(AskNumber(client, {"PTTL", "k"}), 0);
  EXPECT_EQ(AskNumber(client, {"INTERLOCK.CLOCK", "ADVANCE", "1"}), 1700000001001);
  EXPECT_EQ(Ask(client, {"GET", "k"}), "(nil)");
  EXPECT_EQ(blocked.Read(0), std::nullopt);
  EXPECT_EQ(AskNumber(client, {"INTERLOCK.CLOCK", "ADVANCE", "5000"}), 1700000006001);
  EXPECT_EQ(blocked.Await().type, Value::Type::kNilArray);
  EXPECT_EQ(AskNumber(client, {"INTERLOCK.CLOCK", "NOW"}), 1700000006001);
}

TEST(ServeClockCommandTest, ARealClockTimesOutAndExpiresByItself) {
  const ServedRedis served;
  WireClient client(served.port());
  EXPECT_EQ(Ask(client, {"CONFIG", "SET", "notify-keyspace-events", "Ex"}), "OK");
  EXPECT_EQ(AskNumber(client, {"INTERLOCK.CLOCK", "RATE", "10"}) > 0, true);
  WireClient listener(served.port());
  listener.Call({"SUBSCRIBE", "__keyevent@0__:expired"});
  EXPECT_EQ(Ask(client, {"SET", "k", "v", "PX", "200"}), "OK");
  EXPECT_EQ(client.Call({"BLPOP", "list", "0.5"}).type, Value::Type::kNilArray);
  const auto event = listener.Read();
  ASSERT_TRUE(event.has_value());
  EXPECT_EQ(event->elements.back().text, "k");
}

TEST(ServeFaultTest, ALostReplyAndAResetLeaveTheCommandExecutedOrNot) {
  const ServedRedis served;
  WireClient control(served.port());
  struct Case {
    const char* fault;
    bool executed;
    bool ends;
  };
  for (const Case& c : {Case{"DROPREPLY", true, false}, Case{"RESETBEFORE", false, true},
                        Case{"RESETAFTER", true, true}}) {
    control.Call({"FLUSHALL"});
    EXPECT_EQ(control.Call({"INTERLOCK.FAULT", c.fault, "TO", "victim"}).type,
              Value::Type::kInteger);
    WireClient victim(served.port());
    EXPECT_EQ(Ask(victim, {"CLIENT", "SETNAME", "victim"}), "OK");
    victim.Send({"SET", "k", "v"});
    if (c.ends) {
      EXPECT_TRUE(HasEnded(victim)) << c.fault;
    } else {
      victim.Send({"PING"});
      EXPECT_EQ(victim.Read(100), std::nullopt);
      EXPECT_FALSE(victim.closed());
    }
    EXPECT_EQ(AskNumber(control, {"EXISTS", "k"}), c.executed ? 1 : 0) << c.fault;
    EXPECT_EQ(Ask(control, {"INTERLOCK.FAULT", "LIST"}), "[]");
  }
}

TEST(ServeFaultTest, ADelayAndAStallLastByTheServersClock) {
  const ServedRedis served({"--clock", "controlled"});
  WireClient control(served.port());
  WireClient client(served.port());
  control.Call({"INTERLOCK.FAULT", "DELAY", "100", "CMD", "set"});
  client.Queue({"SET", "k", "v"});
  client.Queue({"GET", "k"});
  client.Flush();
  EXPECT_EQ(client.Read(50), std::nullopt);
  EXPECT_EQ(AskNumber(control, {"EXISTS", "k"}), 0);
  control.Call({"INTERLOCK.CLOCK", "ADVANCE", "100"});
  EXPECT_EQ(sim::redis::ToText(client.Await()), "OK");
  EXPECT_EQ(sim::redis::ToText(client.Await()), "\"v\"");

  EXPECT_EQ(Ask(control, {"INTERLOCK.FAULT", "STALL", "1000"}), "OK");
  client.Send({"PING"});
  EXPECT_EQ(client.Read(50), std::nullopt);
  control.Call({"INTERLOCK.CLOCK", "ADVANCE", "999"});
  EXPECT_EQ(client.Read(50), std::nullopt);
  control.Call({"INTERLOCK.CLOCK", "ADVANCE", "1"});
  EXPECT_EQ(sim::redis::ToText(client.Await()), "PONG");
  EXPECT_EQ(Ask(control, {"INTERLOCK.FAULT", "STALL", "1000"}), "OK");
  client.Send({"PING"});
  EXPECT_EQ(Ask(control, {"INTERLOCK.FAULT", "CLEAR"}), "OK");
  EXPECT_EQ(sim::redis::ToText(client.Await()), "PONG");
}

TEST(ServeFaultTest, WhatHadArrivedIsExecutedThoughItsClientHasHungUp) {
  const ServedRedis served({"--clock", "controlled"});
  WireClient control(served.port());
  for (const Argv& fault : {Argv{"INTERLOCK.FAULT", "DELAY", "100", "CMD", "SET"},
                            Argv{"INTERLOCK.FAULT", "STALL", "100"}}) {
    control.Call({"FLUSHALL"});
    {
      WireClient client(served.port());
      EXPECT_EQ(Ask(client, {"PING"}), "PONG");
      control.Call(fault);
      client.Queue({"SET", "lock", "token", "NX"});
      client.Queue({"INCR", "behind"});
      client.Flush();
      EXPECT_EQ(client.Read(50), std::nullopt);
    }
    poll(nullptr, 0, 50);  // There is nothing to ask: it shows no sign of the end until later.
    control.Call({"INTERLOCK.CLOCK", "ADVANCE", "100"});
    EXPECT_EQ(Ask(control, {"GET", "lock"}), "\"token\"");
    EXPECT_EQ(Ask(control, {"GET", "behind"}), "\"1\"");
    const std::string clients = control.Call({"CLIENT", "LIST"}).text;
    EXPECT_EQ(std::count(clients.begin(), clients.end(), '\n'), 1) << clients;
  }
}

TEST(ServeFaultTest, WhatIsPipelinedBehindALostReplyIsExecuted) {
  const ServedRedis served;
  WireClient control(served.port());
  WireClient client(served.port());
  control.Call({"INTERLOCK.FAULT", "DROPREPLY", "CMD", "SET"});
  client.Queue({"SET", "k", "v"});
  client.Queue({"INCR", "behind"});
  client.Flush();
  EXPECT_EQ(client.Read(100), std::nullopt);
  EXPECT_EQ(Ask(control, {"GET", "behind"}), "\"1\"");
}

TEST(ServeFaultTest, AnErrorInsideATransactionAbortsIt) {
  const ServedRedis served;
  WireClient client(served.port());
  for (const char* struck : {"SET", "EXEC"}) {
    client.Call({"INTERLOCK.FAULT", "ERROR", "LOADING wait", "CMD", struck});
    EXPECT_EQ(Ask(client, {"MULTI"}), "OK");
    EXPECT_EQ(Ask(client, {"INCR", "n"}), "QUEUED");
    client.Call({"SET", "k", "v"});
    EXPECT_THAT(Ask(client, {"EXEC"}), HasSubstr("EXECABORT"));
    EXPECT_EQ(Ask(client, {"GET", "n"}), "(nil)");
  }
}

TEST(ServeFaultTest, AServerThatIsDownSaysSoAndCanBeShutDown) {
  ServedRedis served({"--clock", "controlled"});
  for (const Argv& crash :
       {Argv{"INTERLOCK.FAULT", "CRASH", "500"}, Argv{"INTERLOCK.FAULT", "CRASH"}}) {
    WireClient client(served.port());
    EXPECT_EQ(Ask(client, crash), "OK");
    WireClient other(served.port());
    EXPECT_EQ(Ask(other, {"INTERLOCK.FAULT", "LIST"}),
              crash.size() == 3 ? "[\"DOWN 500 ms left\"]" : "[\"DOWN until RESTART\"]");
    if (crash.size() == 3) other.Call({"INTERLOCK.FAULT", "RESTART"});
  }
  WireClient client(served.port());
  client.Send({"SHUTDOWN"});
  EXPECT_EQ(served.AwaitExit(), 0);
}

TEST(ServeFaultTest, AHalfOpenClientStillTakesWhatIsPushed) {
  const ServedRedis served;
  WireClient control(served.port());
  WireClient dead(served.port());
  const std::string id = std::to_string(AskNumber(dead, {"CLIENT", "ID"}));
  // Both are executed in one go: once the mark is seen, the client is blocked.
  dead.Queue({"SET", "mark", "1"});
  dead.Queue({"BLPOP", "list", "0"});
  dead.Flush();
  dead.Await();
  while (AskNumber(control, {"EXISTS", "mark"}) == 0) {
  }
  EXPECT_EQ(Ask(control, {"INTERLOCK.FAULT", "HALFOPEN", id}), "OK");
  EXPECT_EQ(AskNumber(control, {"RPUSH", "list", "a", "b"}), 2);
  EXPECT_EQ(AskNumber(control, {"LLEN", "list"}), 1);
  EXPECT_EQ(dead.Read(50), std::nullopt);
  EXPECT_THAT(Ask(control, {"INTERLOCK.FAULT", "HALFOPEN", "999"}), HasSubstr("No such client"));
}

TEST(ServeFaultTest, ACrashLosesDataAndRefusesServiceUntilTheRestart) {
  const ServedRedis served;
  WireClient control(served.port());
  WireClient client(served.port());
  EXPECT_EQ(Ask(client, {"SET", "k", "v"}), "OK");
  EXPECT_EQ(Ask(control, {"INTERLOCK.FAULT", "CRASH"}), "OK");
  EXPECT_TRUE(HasEnded(client));
  EXPECT_TRUE(HasEnded(control));
  WireClient refused(served.port());
  refused.Send({"PING"});
  EXPECT_TRUE(HasEnded(refused));
  WireClient again(served.port());
  EXPECT_EQ(Ask(again, {"INTERLOCK.FAULT", "RESTART"}), "OK");
  EXPECT_EQ(Ask(again, {"GET", "k"}), "(nil)");
}

TEST(ServeFaultTest, WhatIsOnDiskSurvivesACrash) {
  const ServedRedis served({"--config", "appendonly=yes", "--config", "appendfsync=no"});
  for (const std::string fault : {"CRASH", "POWERLOSS"}) {
    WireClient client(served.port());
    EXPECT_EQ(Ask(client, {"SET", fault, "v"}), "OK");
    EXPECT_EQ(Ask(client, {"INTERLOCK.FAULT", fault}), "OK");
    EXPECT_TRUE(HasEnded(client));
    WireClient again(served.port());
    EXPECT_EQ(Ask(again, {"INTERLOCK.FAULT", "RESTART"}), "OK");
    EXPECT_EQ(Ask(again, {"GET", fault}), fault == "CRASH" ? "\"v\"" : "(nil)");
  }
}

TEST(ServeFaultTest, BadControlCommandsAreErrorsThatNameTheHelp) {
  const ServedRedis served;
  WireClient client(served.port());
  for (const Argv& bad :
       {Argv{"INTERLOCK.NOPE"}, Argv{"INTERLOCK.CLOCK"}, Argv{"INTERLOCK.CLOCK", "RATE", "0"},
        Argv{"INTERLOCK.CLOCK", "ADVANCE", "-1"}, Argv{"INTERLOCK.FAULT"},
        Argv{"INTERLOCK.FAULT", "NOPE"}, Argv{"interlock.fault", "STALL"}}) {
    const Value reply = client.Call(bad);
    EXPECT_EQ(reply.type, Value::Type::kError);
    EXPECT_THAT(reply.text, HasSubstr("INTERLOCK.HELP"));
  }
  EXPECT_GT(client.Call({"INTERLOCK.HELP"}).elements.size(), 10U);
}

}  // namespace
}  // namespace interlock::scenarios
