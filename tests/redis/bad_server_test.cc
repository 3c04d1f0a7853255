// SPDX-License-Identifier: MIT
//
// The production connection against servers that misbehave at a chosen byte.
#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <thread>

#include "tests/redis/redis_test.h"
#include "tests/redis/stub_server.h"

namespace interlock::testing {
namespace {

class BadServerTest : public ConnectionTest {};

// Answers the PING with which a connection begins, then goes on with `rest`.
auto AfterGreeting(std::function<void(int)> rest) {
  return [rest = std::move(rest)](int fd) {
    ReadUntil(fd, "PING\r\n");
    SendAll(fd, "+PONG\r\n");
    rest(fd);
  };
}

TEST_F(BadServerTest, AReplyCutInTheMiddleIsAnUnknownOutcome) {
  StubServer stub(AfterGreeting([](int fd) {
    ReadUntil(fd, "GET");
    SendAll(fd, "$10\r\nhalf");
  }));
  const auto connection = MustConnect(stub.url());
  ASSERT_NE(connection, nullptr);
  EXPECT_EQ(Call(*connection, {"GET", "k"}).code(), StatusCode::kUnknownOutcome);
  EXPECT_TRUE(connection->broken());
  EXPECT_EQ(Call(*connection, {"GET", "k"}).code(), StatusCode::kUnavailable);
}

TEST_F(BadServerTest, AReplyInSmallPiecesIsPutTogether) {
  StubServer stub(AfterGreeting([](int fd) {
    ReadUntil(fd, "GET");
    for (const char byte : std::string_view("*2\r\n$3\r\na\r\n\r\n:42\r\n")) {
      SendAll(fd, std::string_view(&byte, 1));
      std::this_thread::sleep_for(milliseconds(1));
    }
    DrainUntilClosed(fd);
  }));
  const auto connection = MustConnect(stub.url());
  ASSERT_NE(connection, nullptr);
  const Result<Reply> reply = Call(*connection, {"GET", "k"});
  ASSERT_TRUE(reply.ok()) << reply.status().ToString();
  EXPECT_EQ(reply->elements[0].text, "a\r\n");
  EXPECT_EQ(reply->elements[1].integer, 42);
}

// The heart of "broken for good": the late reply must not answer the next command.
TEST_F(BadServerTest, ALateReplyNeverAnswersALaterCommand) {
  StubServer stub(AfterGreeting([](int fd) {
    ReadUntil(fd, "first");
    std::this_thread::sleep_for(milliseconds(100));
    SendAll(fd, "$4\r\nlate\r\n");
    DrainUntilClosed(fd);
  }));
  const auto connection = MustConnect(stub.url());
  ASSERT_NE(connection, nullptr);
  EXPECT_EQ(Call(*connection, {"GET", "first"}, milliseconds(20)).code(),
            StatusCode::kUnknownOutcome);
  std::this_thread::sleep_for(milliseconds(150));
  EXPECT_EQ(Call(*connection, {"GET", "second"}).code(), StatusCode::kUnavailable);
}

TEST_F(BadServerTest, BytesThatNobodyAskedForBreakTheConnection) {
  StubServer stub(AfterGreeting([](int fd) {
    ReadUntil(fd, "GET");
    SendAll(fd, "+one\r\n+stray\r\n");
    DrainUntilClosed(fd);
  }));
  const auto connection = MustConnect(stub.url());
  ASSERT_NE(connection, nullptr);
  EXPECT_TRUE(Call(*connection, {"GET", "k"})->IsStatus("one"));
  EXPECT_TRUE(connection->broken());
  EXPECT_EQ(SendWords(*connection, {"GET", "k"}).code(), StatusCode::kUnavailable);
}

TEST_F(BadServerTest, AnIdleCloseIsSeenBeforeTheNextUse) {
  StubServer stub(AfterGreeting([](int) {}));
  const auto connection = MustConnect(stub.url());
  ASSERT_NE(connection, nullptr);
  EXPECT_TRUE(BecomesBroken(*connection));
  EXPECT_EQ(SendWords(*connection, {"PING"}).code(), StatusCode::kUnavailable);
}

TEST_F(BadServerTest, AnythingButRedisIsAProtocolError) {
  StubServer stub(AfterGreeting([](int fd) {
    ReadUntil(fd, "GET");
    SendAll(fd, "HTTP/1.1 400 Bad Request\r\n\r\n");
    DrainUntilClosed(fd);
  }));
  const auto connection = MustConnect(stub.url());
  ASSERT_NE(connection, nullptr);
  EXPECT_EQ(Call(*connection, {"GET", "k"}).code(), StatusCode::kProtocolError);
  EXPECT_TRUE(connection->broken());
}

// The deadline bounds the reads too: with something to read at any moment, nothing ever waits for
// it, and a peer that sends without end would hold the caller for as long as it likes.
TEST_F(BadServerTest, ReadingOnEndsAtTheDeadline) {
  StubServer stub(AfterGreeting([](int fd) {
    ReadUntil(fd, "GET");
    SendAll(fd, "$65536\r\n" + std::string(65536, 'x') + "\r\n");
    DrainUntilClosed(fd);
  }));
  const auto connection = MustConnect(stub.url());
  ASSERT_NE(connection, nullptr);
  ASSERT_TRUE(SendWords(*connection, {"GET", "k"}).ok());
  std::this_thread::sleep_for(milliseconds(50));  // more than one read's worth lies ready
  EXPECT_EQ(connection->Receive(runtime_.Now()).code(), StatusCode::kUnknownOutcome);
  EXPECT_TRUE(connection->broken());
}

// SIGPIPE would end this process, which has no handler for it.
TEST_F(BadServerTest, SendingToADeadPeerRaisesNoSignal) {
  ASSERT_NE(::signal(SIGPIPE, SIG_DFL), SIG_ERR);
  StubServer stub(AfterGreeting([](int) {}));
  const auto connection = MustConnect(stub.url());
  ASSERT_NE(connection, nullptr);
  Status status;
  for (int i = 0; i < 100 && status.ok(); ++i) {
    status = SendWords(*connection, {"SET", "k", "v"});
    std::this_thread::sleep_for(milliseconds(1));
  }
  EXPECT_EQ(status.code(), StatusCode::kUnavailable);
  EXPECT_TRUE(connection->broken());
}

TEST_F(BadServerTest, APeerThatReadsNothingCostsTheSendTimeOut) {
  std::atomic<bool> done = false;
  StubServer stub(AfterGreeting([&](int) {
    while (!done) std::this_thread::sleep_for(milliseconds(5));
  }));
  const auto connector = MakeHiredisConnector(
      runtime_, HiredisOptions{.port = stub.port(), .send_timeout = milliseconds(100)});
  ASSERT_TRUE(connector.ok());
  Result<std::unique_ptr<Connection>> connection = (*connector)->Connect(In(seconds(5)));
  ASSERT_TRUE(connection.ok());
  const std::string value(64 * 1024 * 1024, 'x');
  const MonotonicTime start = runtime_.Now();
  EXPECT_EQ(SendWords(**connection, {"SET", "k", value}).code(), StatusCode::kUnknownOutcome);
  EXPECT_GE(runtime_.Now() - start, milliseconds(100));
  EXPECT_TRUE((*connection)->broken());
  done = true;
}

TEST_F(BadServerTest, AServerThatNeverGreetsCostsNoMoreThanTheDeadline) {
  StubServer stub(DrainUntilClosed);
  const std::string host = "127.0.0.1:" + std::to_string(stub.port());
  for (const std::string& url : {"redis://:pw@" + host, "redis://" + host + "/3", stub.url()}) {
    const MonotonicTime start = runtime_.Now();
    EXPECT_EQ(Connect(url, milliseconds(100)).code(), StatusCode::kUnavailable);
    EXPECT_GE(runtime_.Now() - start, milliseconds(100));
    EXPECT_LT(runtime_.Now() - start, seconds(2));
  }
}

TEST_F(BadServerTest, ConnectTimeOutBoundsAnEndlessDeadline) {
  StubServer stub(DrainUntilClosed);
  const auto connector = MakeHiredisConnector(
      runtime_, HiredisOptions{.port = stub.port(), .connect_timeout = milliseconds(100)});
  ASSERT_TRUE(connector.ok());
  EXPECT_EQ((*connector)->Connect(kNever).code(), StatusCode::kUnavailable);
}

TEST_F(BadServerTest, ALoadingServerIsUnavailableRatherThanWrong) {
  StubServer stub([](int fd) {
    ReadUntil(fd, "SELECT");
    SendAll(fd, "-LOADING Redis is loading the dataset in memory\r\n");
    DrainUntilClosed(fd);
  });
  EXPECT_EQ(Connect(stub.url() + "/3").code(), StatusCode::kUnavailable);
}

// Old or locked-down servers quote the arguments of a command that they do not know.
TEST_F(BadServerTest, AnErrorThatQuotesThePasswordIsNotPassedOn) {
  StubServer stub([](int fd) {
    ReadUntil(fd, "hunter2");
    SendAll(fd, "-ERR unknown command 'AUTH', with args beginning with: 'hunter2' \r\n");
    DrainUntilClosed(fd);
  });
  const Status status =
      Connect("redis://:hunter2@127.0.0.1:" + std::to_string(stub.port())).status();
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(status.message().find("hunter2"), std::string::npos) << status.message();
}

void IgnoreSignal(int) {}

// Signals without SA_RESTART interrupt every system call of the waiting thread.
TEST_F(BadServerTest, SignalsDoNotDisturbAWait) {
  struct sigaction action {};
  action.sa_handler = IgnoreSignal;
  ASSERT_EQ(::sigaction(SIGUSR1, &action, nullptr), 0);
  StubServer stub(AfterGreeting([](int fd) {
    ReadUntil(fd, "GET");
    std::this_thread::sleep_for(milliseconds(250));
    SendAll(fd, "+done\r\n");
    DrainUntilClosed(fd);
  }));
  const auto connection = MustConnect(stub.url());
  ASSERT_NE(connection, nullptr);
  std::atomic<bool> done = false;
  std::thread disturber([&done, target = ::pthread_self()] {
    while (!done) {
      ::pthread_kill(target, SIGUSR1);
      std::this_thread::sleep_for(milliseconds(2));
    }
  });
  const Result<Reply> reply = Call(*connection, {"GET", "k"});
  done = true;
  disturber.join();
  ASSERT_TRUE(reply.ok()) << reply.status().ToString();
  EXPECT_TRUE(reply->IsStatus("done"));
}

}  // namespace
}  // namespace interlock::testing
