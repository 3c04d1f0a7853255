// SPDX-License-Identifier: MIT
//
// The production connection against a real redis-server: what it answers, and how it breaks.
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "tests/redis/redis_test.h"

namespace interlock::testing {
namespace {

class HiredisConnectionTest : public RedisTest {};

// Every reply type of RESP2, as a client sees it.
TEST_F(HiredisConnectionTest, EachReplyTypeIsRead) {
  const auto connection = MustConnect(server_->url());
  ASSERT_NE(connection, nullptr);
  EXPECT_TRUE(Call(*connection, {"SET", "k", "v"})->IsStatus("OK"));
  EXPECT_EQ(Call(*connection, {"GET", "k"})->text, "v");
  EXPECT_TRUE(Call(*connection, {"GET", "none"})->IsNil());
  EXPECT_EQ(Call(*connection, {"DECRBY", "n", "7"})->integer, -7);
  const Result<Reply> error = Call(*connection, {"INCR", "k"});
  ASSERT_TRUE(error.ok());
  EXPECT_TRUE(error->IsError());
  EXPECT_EQ(error->text, "ERR value is not an integer or out of range");
  const Result<Reply> nested = Call(*connection, {"EVAL", "return {1, {'a', false}, {}}", "0"});
  ASSERT_TRUE(nested.ok() && nested->IsArray());
  ASSERT_EQ(nested->elements.size(), 3U);
  EXPECT_EQ(nested->elements[0].integer, 1);
  EXPECT_EQ(nested->elements[1].elements[0].text, "a");
  EXPECT_TRUE(nested->elements[1].elements[1].IsNil());
  EXPECT_TRUE(nested->elements[2].IsArray() && nested->elements[2].elements.empty());
  EXPECT_FALSE(connection->broken());
}

TEST_F(HiredisConnectionTest, KeysAndValuesAreBinarySafe) {
  const auto connection = MustConnect(server_->url());
  ASSERT_NE(connection, nullptr);
  std::string every_byte;
  for (int i = 0; i < 256; ++i) every_byte.push_back(static_cast<char>(i));
  const std::string key = "\r\n$3\r\n" + every_byte;
  EXPECT_TRUE(Call(*connection, {"SET", key, every_byte})->IsStatus("OK"));
  EXPECT_EQ(Call(*connection, {"GET", key})->text, every_byte);
  EXPECT_TRUE(Call(*connection, {"SET", "", ""})->IsStatus("OK"));
  const Result<Reply> empty = Call(*connection, {"GET", ""});
  EXPECT_TRUE(empty->IsString() && empty->text.empty());
}

// Larger than any buffer on the way, so that both directions are cut into many pieces.
TEST_F(HiredisConnectionTest, LargeValuesArriveWhole) {
  const auto connection = MustConnect(server_->url());
  ASSERT_NE(connection, nullptr);
  std::string value(8 * 1024 * 1024, 'x');
  for (std::size_t i = 0; i < value.size(); i += 1021) value[i] = static_cast<char>(i % 251);
  ASSERT_TRUE(Call(*connection, {"SET", "big", value})->IsStatus("OK"));
  EXPECT_TRUE(Call(*connection, {"GET", "big"})->text == value);
}

TEST_F(HiredisConnectionTest, PipelinedRepliesComeInTheOrderOfTheCommands) {
  const auto connection = MustConnect(server_->url());
  ASSERT_NE(connection, nullptr);
  constexpr int kCommands = 1000;
  for (int i = 0; i < kCommands; ++i) ASSERT_TRUE(SendWords(*connection, {"INCR", "n"}).ok());
  for (int i = 1; i <= kCommands; ++i) {
    const Result<Reply> reply = connection->Receive(In(seconds(5)));
    ASSERT_TRUE(reply.ok());
    ASSERT_EQ(reply->integer, i);
  }
  EXPECT_FALSE(connection->broken());
}

TEST_F(HiredisConnectionTest, ASubscriberReceivesPushes) {
  const auto connection = MustConnect(server_->url());
  ASSERT_NE(connection, nullptr);
  ASSERT_TRUE(SendWords(*connection, {"SUBSCRIBE", "a", "b"}).ok());
  EXPECT_EQ(connection->Receive(In(seconds(5)))->elements[1].text, "a");
  EXPECT_EQ(connection->Receive(In(seconds(5)))->elements[1].text, "b");
  ASSERT_TRUE(server_->Command({"PUBLISH", "b", "news"}).ok());
  const Result<Reply> push = connection->Receive(In(seconds(5)));
  ASSERT_TRUE(push.ok());
  EXPECT_EQ(push->elements[2].text, "news");
  EXPECT_FALSE(connection->broken());
  // Nothing is outstanding: silence is a time-out, not an unknown outcome.
  EXPECT_EQ(connection->Receive(In(milliseconds(30))).code(), StatusCode::kTimeout);
  EXPECT_TRUE(connection->broken());
}

TEST_F(HiredisConnectionTest, ABlockingCommandIsAnsweredWhenItsTimeComes) {
  const auto connection = MustConnect(server_->url());
  ASSERT_NE(connection, nullptr);
  ASSERT_TRUE(SendWords(*connection, {"BLPOP", "q", "0"}).ok());
  ASSERT_TRUE(server_->AwaitBlockedClients(1));
  // Longer than one read of the socket blocks.
  std::this_thread::sleep_for(milliseconds(150));
  ASSERT_TRUE(server_->Command({"RPUSH", "q", "x"}).ok());
  const Result<Reply> reply = connection->Receive(kNever);
  ASSERT_TRUE(reply.ok());
  EXPECT_EQ(reply->elements[1].text, "x");
}

TEST_F(HiredisConnectionTest, APassedDeadlineBreaksTheConnectionForGood) {
  const auto connection = MustConnect(server_->url());
  ASSERT_NE(connection, nullptr);
  const MonotonicTime start = runtime_.Now();
  const Result<Reply> late = Call(*connection, {"BLPOP", "q", "0"}, milliseconds(50));
  EXPECT_EQ(late.code(), StatusCode::kUnknownOutcome);
  EXPECT_GE(runtime_.Now() - start, milliseconds(50));
  EXPECT_TRUE(connection->broken());
  EXPECT_EQ(SendWords(*connection, {"PING"}).code(), StatusCode::kUnavailable);
  EXPECT_EQ(connection->Receive(In(seconds(1))).code(), StatusCode::kUnavailable);
  EXPECT_TRUE(connection->broken());
  // Nobody may wait in the server on behalf of a connection that will not be read again.
  EXPECT_TRUE(server_->AwaitBlockedClients(0));
}

TEST_F(HiredisConnectionTest, ADeadlineInThePastStillTakesAReplyThatIsThere) {
  const auto connection = MustConnect(server_->url());
  ASSERT_NE(connection, nullptr);
  ASSERT_TRUE(SendWords(*connection, {"PING"}).ok());
  std::this_thread::sleep_for(milliseconds(50));
  const Result<Reply> reply = connection->Receive(MonotonicTime::min());
  ASSERT_TRUE(reply.ok()) << reply.status().ToString();
  EXPECT_TRUE(reply->IsStatus("PONG"));
}

TEST_F(HiredisConnectionTest, AStoppedServerCostsNoMoreThanTheDeadline) {
  const auto connection = MustConnect(server_->url());
  ASSERT_NE(connection, nullptr);
  server_->Pause();
  const Result<Reply> reply = Call(*connection, {"SET", "k", "v"}, milliseconds(300));
  EXPECT_EQ(reply.code(), StatusCode::kUnknownOutcome);
  // The kernel accepts for the stopped server; the connection is still not ready for commands.
  const MonotonicTime start = runtime_.Now();
  EXPECT_EQ(Connect(server_->url(), milliseconds(100)).code(), StatusCode::kUnavailable);
  EXPECT_LT(runtime_.Now() - start, seconds(2));
  server_->Resume();
  // This is why the outcome was unknown: the command takes effect after all.
  const auto fresh = MustConnect(server_->url());
  ASSERT_NE(fresh, nullptr);
  EXPECT_EQ(Call(*fresh, {"GET", "k"})->text, "v");
}

TEST_F(HiredisConnectionTest, AStopEndsABlockingCommandAndTheServerForgetsIt) {
  const auto connection = MustConnect(server_->url());
  const auto other = MustConnect(server_->url());
  ASSERT_TRUE(SendWords(*connection, {"BLPOP", "q", "0"}).ok());
  std::stop_source source;
  const auto stopper = runtime_.Spawn("stopper", [&] {
    runtime_.NewEvent()->WaitUntil(In(milliseconds(20)));
    source.request_stop();
  });
  const Result<Reply> reply =
      connection->ReceiveUnlessStopped(kNever, source.get_token(), seconds(30));
  EXPECT_EQ(reply.code(), StatusCode::kUnknownOutcome);
  EXPECT_TRUE(connection->broken());
  EXPECT_EQ(Call(*other, {"RPUSH", "q", "x"})->integer, 1);
  EXPECT_EQ(Call(*other, {"LLEN", "q"})->integer, 1);
}

TEST_F(HiredisConnectionTest, WhatWasAnsweredBeforeTheStopIsTaken) {
  const auto connection = MustConnect(server_->url());
  const auto other = MustConnect(server_->url());
  ASSERT_TRUE(SendWords(*connection, {"BLPOP", "q", "0"}).ok());
  ASSERT_TRUE(Call(*other, {"RPUSH", "q", "x"}).ok());
  std::stop_source source;
  source.request_stop();
  // Whether it has arrived yet or not, the server sent it before it heard of the stop.
  const Result<Reply> reply =
      connection->ReceiveUnlessStopped(In(seconds(5)), source.get_token(), seconds(5));
  ASSERT_TRUE(reply.ok()) << reply.status().ToString();
  EXPECT_EQ(reply->elements.at(1).text, "x");
}

TEST_F(HiredisConnectionTest, ATokenThatIsNotStoppedLeavesTheConnectionWhole) {
  const auto connection = MustConnect(server_->url());
  const std::stop_source source;
  ASSERT_TRUE(SendWords(*connection, {"BLPOP", "q", "0.01"}).ok());
  const Result<Reply> reply =
      connection->ReceiveUnlessStopped(In(seconds(5)), source.get_token(), seconds(5));
  ASSERT_TRUE(reply.ok());
  EXPECT_TRUE(reply->IsNil());
  EXPECT_FALSE(connection->broken());
  EXPECT_TRUE(Call(*connection, {"PING"}).ok());
}

TEST_F(HiredisConnectionTest, AKilledServerIsSeenWhileIdle) {
  const auto connection = MustConnect(server_->url());
  ASSERT_NE(connection, nullptr);
  EXPECT_FALSE(connection->broken());
  server_->Kill();
  EXPECT_TRUE(BecomesBroken(*connection));
  EXPECT_EQ(Connect(server_->url()).code(), StatusCode::kUnavailable);
  ASSERT_TRUE(server_->Restart().ok());
  EXPECT_TRUE(connection->broken());
  const auto fresh = MustConnect(server_->url());
  ASSERT_NE(fresh, nullptr);
  EXPECT_TRUE(Call(*fresh, {"PING"})->IsStatus("PONG"));
}

TEST_F(HiredisConnectionTest, AServerKilledUnderACommandLeavesTheOutcomeUnknown) {
  const auto connection = MustConnect(server_->url());
  ASSERT_NE(connection, nullptr);
  ASSERT_TRUE(SendWords(*connection, {"BLPOP", "q", "0"}).ok());
  ASSERT_TRUE(server_->AwaitBlockedClients(1));
  server_->Kill();
  EXPECT_EQ(connection->Receive(In(seconds(5))).code(), StatusCode::kUnknownOutcome);
  EXPECT_EQ(connection->Receive(In(seconds(5))).code(), StatusCode::kUnavailable);
}

TEST_F(HiredisConnectionTest, AClientKilledByTheServerIsSeenBeforeItIsUsed) {
  const auto connection = MustConnect(server_->url());
  ASSERT_NE(connection, nullptr);
  ASSERT_TRUE(server_->Command({"CLIENT", "KILL", "TYPE", "normal"}).ok());
  EXPECT_TRUE(BecomesBroken(*connection));
}

class ConnectingTest : public RedisTest {
 protected:
  void SetUp() override {}
};

TEST_F(ConnectingTest, PasswordAndUserAreGiven) {
  StartServer(
      {.arguments = {"--requirepass", "top secret", "--user", "app", "on", ">pw", "~*", "+@all"},
       .password = "top secret"});
  ASSERT_NE(server_, nullptr);
  const std::string host = "127.0.0.1:" + std::to_string(server_->port());
  const auto by_password = MustConnect("redis://:top%20secret@" + host);
  ASSERT_NE(by_password, nullptr);
  EXPECT_EQ(Call(*by_password, {"ACL", "WHOAMI"})->text, "default");
  const auto by_user = MustConnect("redis://app:pw@" + host + "/2");
  ASSERT_NE(by_user, nullptr);
  EXPECT_EQ(Call(*by_user, {"ACL", "WHOAMI"})->text, "app");
}

TEST_F(ConnectingTest, RefusedCredentialsAreAnInvalidArgumentAndStaySecret) {
  StartServer({.arguments = {"--requirepass", "right"}, .password = "right"});
  ASSERT_NE(server_, nullptr);
  const std::string host = "127.0.0.1:" + std::to_string(server_->port());
  for (const std::string& url :
       {"redis://:hunter2@" + host, "redis://nobody:hunter2@" + host, "redis://" + host}) {
    const Status status = Connect(url).status();
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument) << status.ToString();
    EXPECT_EQ(status.message().find("hunter2"), std::string::npos) << status.message();
    EXPECT_NE(status.message().find(host), std::string::npos) << status.message();
  }
}

TEST_F(ConnectingTest, AServerWithoutPasswordsRefusesOne) {
  StartServer({});
  ASSERT_NE(server_, nullptr);
  const std::string host = "127.0.0.1:" + std::to_string(server_->port());
  EXPECT_EQ(Connect("redis://:pw@" + host).code(), StatusCode::kInvalidArgument);
}

TEST_F(ConnectingTest, TheDatabaseIsSelected) {
  StartServer({});
  ASSERT_NE(server_, nullptr);
  const auto connection = MustConnect(server_->url(15));
  ASSERT_NE(connection, nullptr);
  EXPECT_TRUE(Call(*connection, {"SET", "k", "v"})->IsStatus("OK"));
  EXPECT_EQ(*server_->Command({"EXISTS", "k"}), "0");
  const Result<std::string> keyspace = server_->Command({"INFO", "keyspace"});
  EXPECT_NE(keyspace->find("db15:keys=1"), std::string::npos);
  EXPECT_EQ(Connect(server_->url(16)).code(), StatusCode::kInvalidArgument);
}

TEST_F(ConnectingTest, UnixSocketsWork) {
  StartServer({.unix_socket = true});
  ASSERT_NE(server_, nullptr);
  const auto connection = MustConnect("redis+unix://" + server_->unix_path() + "?db=3");
  ASSERT_NE(connection, nullptr);
  EXPECT_TRUE(Call(*connection, {"SET", "k", "v"})->IsStatus("OK"));
  server_->Kill();
  EXPECT_TRUE(BecomesBroken(*connection));
  EXPECT_EQ(Connect("redis+unix:///nonexistent/redis.sock").code(), StatusCode::kUnavailable);
}

TEST_F(ConnectingTest, AFullServerIsUnavailable) {
  StartServer({.arguments = {"--maxclients", "2"}});
  ASSERT_NE(server_, nullptr);
  const auto first = MustConnect(server_->url());
  const auto second = MustConnect(server_->url());
  EXPECT_EQ(Connect(server_->url()).code(), StatusCode::kUnavailable);
}

TEST_F(ConnectingTest, TheEndpointNamesThePlaceWithoutCredentials) {
  const auto connector = MakeHiredisConnector(runtime_, "redis://app:hunter2@[::1]:7000/5");
  ASSERT_TRUE(connector.ok());
  EXPECT_EQ((*connector)->endpoint(), "redis://[::1]:7000/5");
  EXPECT_EQ(MakeHiredisConnector(runtime_, HiredisOptions{.port = 0}).code(),
            StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace interlock::testing
