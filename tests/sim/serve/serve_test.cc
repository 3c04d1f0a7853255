// SPDX-License-Identifier: MIT
//
// `interlock serve` over real sockets: how it starts and stops, what it serves and refuses, and
// that no client can bring it down.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/redis/differential/wire_client.h"
#include "tests/scenarios/child_process.h"
#include "tests/sim/serve/served_client.h"
#include "tests/sim/serve/served_redis.h"

namespace interlock::scenarios {
namespace {

using interlock::testing::WireClient;
using testing::Ask;
using testing::HasEnded;
using ::testing::HasSubstr;
using testing::RunChild;
using testing::ServedRedis;
using ::testing::StartsWith;

// No client library would send such bytes.
int SocketThatHasSent(int port, const std::string& bytes) {
  const int socket_fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  EXPECT_EQ(connect(socket_fd, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  EXPECT_EQ(send(socket_fd, bytes.data(), bytes.size(), MSG_NOSIGNAL),
            static_cast<ssize_t>(bytes.size()));
  return socket_fd;
}

TEST(ServeTest, PrintsWhereItListensAndServesThere) {
  const ServedRedis served;
  ASSERT_GT(served.port(), 0);
  EXPECT_EQ(served.first_line(), "listening on 127.0.0.1:" + std::to_string(served.port()));
  WireClient client(served.port());
  EXPECT_EQ(Ask(client, {"SET", "k", "v"}), "OK");
  EXPECT_EQ(Ask(client, {"GET", "k"}), "\"v\"");
}

// As rueidis connects and a lock of it waits: for the message that the lock's key has changed.
TEST(ServeTest, TellsTrackedClientsOfChangedKeysOnceForEachTurn) {
  const ServedRedis served;
  WireClient waiter(served.port());
  WireClient holder(served.port());
  waiter.Call({"HELLO", "3"});
  EXPECT_EQ(Ask(waiter, {"CLIENT", "TRACKING", "ON", "BCAST", "PREFIX", "lock:"}), "OK");
  for (const char* key : {"lock:b", "other", "lock:a"}) {
    holder.Queue({"SET", key, "token", "NX", "PX", "60"});
  }
  holder.Flush();
  EXPECT_EQ(ToText(waiter.Await()), "(push) [\"invalidate\", [\"lock:a\", \"lock:b\"]]");
  EXPECT_EQ(ToText(waiter.Await()), "(push) [\"invalidate\", [\"lock:a\", \"lock:b\"]]");
  waiter.Send({"SET", "lock:a", "mine", "NX", "PX", "10000"});
  EXPECT_EQ(ToText(waiter.Await()), "OK");
  EXPECT_EQ(ToText(waiter.Await()), "(push) [\"invalidate\", [\"lock:a\"]]");
}

TEST(ServeTest, StopsCleanlyOnSignalsAndOnShutdown) {
  for (const int signal : {SIGTERM, SIGINT}) {
    ServedRedis served;
    WireClient client(served.port());
    EXPECT_EQ(Ask(client, {"PING"}), "PONG");
    kill(served.pid(), signal);
    EXPECT_EQ(served.AwaitExit(), 0);
    EXPECT_TRUE(HasEnded(client));
  }
  ServedRedis served;
  WireClient client(served.port());
  client.Send({"SHUTDOWN", "NOSAVE"});
  EXPECT_EQ(served.AwaitExit(), 0);
}

TEST(ServeTest, BadUsageAndATakenPortHaveTheirExitCodes) {
  const ServedRedis served;
  const auto serve = [](std::vector<std::string> words) {
    words.insert(words.begin(), {INTERLOCK_PROGRAM, "serve"});
    return RunChild(words);
  };
  EXPECT_EQ(serve({"--port", "70000"}).exit_code, 64);
  EXPECT_EQ(serve({"--no-such-option"}).exit_code, 64);
  EXPECT_EQ(serve({"--bind", "nowhere"}).exit_code, 64);
  for (const char* bad : {"no-such-parameter=1", "maxmemory"}) {
    const auto refused = serve({"--port", "0", "--config", bad});
    EXPECT_EQ(refused.exit_code, 64);
    EXPECT_THAT(refused.err, HasSubstr("--config"));
    EXPECT_THAT(refused.err, HasSubstr(bad));
  }
  const auto remote = serve({"--port", "0", "--bind", "0.0.0.0"});
  EXPECT_EQ(remote.exit_code, 64);
  EXPECT_THAT(remote.err, HasSubstr("--allow-remote"));
  const auto taken = serve({"--port", std::to_string(served.port())});
  EXPECT_EQ(taken.exit_code, 69);
  EXPECT_THAT(taken.err, HasSubstr("in use"));
}

TEST(ServeTest, AUnixSocketServesTheSameData) {
  const testing::ScratchFolder folder;
  const std::string path = folder.path() + "/redis.sock";
  ServedRedis served({"--unixsocket", path});
  WireClient over_tcp(served.port());
  WireClient over_unix(path);
  EXPECT_EQ(Ask(over_tcp, {"SET", "k", "v"}), "OK");
  EXPECT_EQ(Ask(over_unix, {"GET", "k"}), "\"v\"");
  kill(served.pid(), SIGTERM);
  EXPECT_EQ(served.AwaitExit(), 0);
  EXPECT_NE(access(path.c_str(), F_OK), 0);
}

TEST(ServeTest, APasswordIsAskedForAndSurvivesARestart) {
  const ServedRedis served({"--requirepass", "secret"});
  for (int i = 0; i < 2; ++i) {
    WireClient client(served.port());
    EXPECT_THAT(Ask(client, {"GET", "k"}), HasSubstr("NOAUTH"));
    EXPECT_EQ(Ask(client, {"AUTH", "secret"}), "OK");
    EXPECT_EQ(Ask(client, {"INTERLOCK.FAULT", "RESTART"}), "OK");
    EXPECT_TRUE(HasEnded(client));
  }
}

TEST(ServeTest, MalformedRequestsEndTheirConnectionAlone) {
  const ServedRedis served;
  WireClient witness(served.port());
  for (const std::string& bad : {std::string("*1\r\n:5\r\n"), std::string("*-5x\r\n"),
                                 std::string("\"unbalanced\r\n"), std::string(70000, 'a')}) {
    const int socket_fd = SocketThatHasSent(served.port(), bad);
    std::string reply(4096, '\0');
    const ssize_t count = recv(socket_fd, reply.data(), reply.size(), 0);
    if (count > 0) {
      EXPECT_THAT(reply, StartsWith("-ERR Protocol error"));
    }
    close(socket_fd);
    EXPECT_EQ(Ask(witness, {"PING"}), "PONG");
  }
}

TEST(ServeTest, WhatIsNotModelledIsAnErrorAndServiceGoesOn) {
  const ServedRedis served;
  WireClient client(served.port());
  EXPECT_THAT(Ask(client, {"XADD", "s", "*", "a", "b"}), HasSubstr("Interlock"));
  EXPECT_EQ(Ask(client, {"PING"}), "PONG");
}

// Nothing carries what a master would send, so nobody is told that it will.
TEST(ServeTest, ItFollowsNobodyAndSaysSo) {
  const ServedRedis served;
  WireClient client(served.port());
  for (const char* name : {"REPLICAOF", "SLAVEOF"}) {
    EXPECT_EQ(
        Ask(client, {name, "127.0.0.1", "6379"}),
        "(error) ERR Interlock does not model '" + std::string(name) + "', which Redis 7.0.15 has");
    EXPECT_EQ(Ask(client, {name, "NO", "ONE"}), "OK");
  }
  EXPECT_THAT(Ask(client, {"ROLE"}), StartsWith("[\"master\""));
  const auto bad =
      RunChild({INTERLOCK_PROGRAM, "serve", "--port", "0", "--config", "replicaof=127.0.0.1 6379"});
  EXPECT_EQ(bad.exit_code, 64);
  EXPECT_THAT(bad.err, HasSubstr("nothing acts upon this parameter here"));
}

TEST(ServeTest, ClientListCountsWhatHasArrivedTooEarly) {
  const ServedRedis served;
  WireClient client(served.port());
  const int other = SocketThatHasSent(served.port(), "*2\r\n$4\r\nECHO\r\n$5\r\nab");
  // The bytes may be under way for a while.
  for (int i = 0; i < 100'000 && Ask(client, {"CLIENT", "LIST"}).find(" qbuf=2 ") > 1'000; ++i) {
  }
  EXPECT_THAT(Ask(client, {"CLIENT", "LIST"}), HasSubstr(" qbuf=2 "));
  close(other);
  client.Queue({"CLIENT", "INFO"});
  client.Queue({"PING"});
  client.Flush();
  EXPECT_THAT(sim::redis::ToText(client.Await()), HasSubstr(" qbuf=40 "));
}

TEST(ServeTest, TheConfigurationShowsItsOwnPortAndLimit) {
  const ServedRedis served({"--maxclients", "123"});
  WireClient client(served.port());
  EXPECT_EQ(client.Call({"CONFIG", "GET", "port"}).elements.back().text,
            std::to_string(served.port()));
  EXPECT_EQ(client.Call({"CONFIG", "GET", "maxclients"}).elements.back().text, "123");
}

TEST(ServeTest, ABusyScriptLetsOthersKnowAndCanBeKilled) {
  const ServedRedis served({"--config", "busy-reply-threshold=50"});
  WireClient script(served.port());
  WireClient other(served.port());
  script.Send({"EVAL", "while true do end", "0"});
  EXPECT_THAT(Ask(other, {"GET", "k"}), HasSubstr("BUSY"));
  EXPECT_EQ(Ask(other, {"SCRIPT", "KILL"}), "OK");
  EXPECT_THAT(sim::redis::ToText(script.Await()), HasSubstr("killed by user"));
  EXPECT_EQ(Ask(other, {"GET", "k"}), "(nil)");
}

TEST(ServeTest, ThousandsOfClientsAreServedAndOneTooManyIsTold) {
  constexpr int kClients = 2000;
  const ServedRedis served({"--maxclients", std::to_string(kClients)});
  std::vector<std::unique_ptr<WireClient>> clients;
  for (int i = 0; i < kClients; ++i) {
    clients.push_back(std::make_unique<WireClient>(served.port()));
    clients.back()->Send({"INCR", "count"});
  }
  std::int64_t highest = 0;
  for (const auto& client : clients) highest = std::max(highest, client->Await().integer);
  EXPECT_EQ(highest, kClients);
  WireClient extra(served.port());
  const auto refusal = extra.Read();
  ASSERT_TRUE(refusal.has_value());
  EXPECT_EQ(refusal->text, "ERR max number of clients reached");
  EXPECT_TRUE(HasEnded(extra));
  clients.resize(1);
  EXPECT_EQ(Ask(*clients[0], {"PING"}), "PONG");
}

TEST(ServeTest, ASlowReaderHoldsNobodyUpAndGetsEverything) {
  const ServedRedis served;
  WireClient slow(served.port());
  WireClient quick(served.port());
  const std::string value(1 << 20, 'x');
  EXPECT_EQ(Ask(quick, {"SET", "big", value}), "OK");
  for (int i = 0; i < 64; ++i) slow.Queue({"GET", "big"});
  slow.Flush();
  for (int i = 0; i < 100; ++i) EXPECT_EQ(Ask(quick, {"PING"}), "PONG");
  for (int i = 0; i < 64; ++i) EXPECT_EQ(slow.Await().text.size(), value.size());
}

}  // namespace
}  // namespace interlock::scenarios
