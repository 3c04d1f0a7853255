// SPDX-License-Identifier: MIT
//
// What the tests on real connections share. A missing redis-server fails them: a green run must
// mean that they ran.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <interlock/connection.h>
#include <interlock/hiredis_connector.h>
#include <interlock/thread_runtime.h>

#include "tests/support/redis_server.h"

namespace interlock::testing {

using std::chrono::milliseconds;
using std::chrono::seconds;

inline Status SendWords(Connection& connection, std::initializer_list<std::string_view> words) {
  const std::vector<std::string_view> argv(words);
  return connection.Send(argv, kNever);
}

/// Everything here lives on the real clock; deadlines are far off unless a test is about them.
class ConnectionTest : public ::testing::Test {
 protected:
  MonotonicTime In(Duration delay) { return AddSaturating(runtime_.Now(), delay); }
  void SleepFor(Duration time) { runtime_.NewEvent()->WaitUntil(In(time)); }

  Result<std::unique_ptr<Connection>> Connect(const std::string& url,
                                              Duration within = seconds(5)) {
    Result<std::unique_ptr<Connector>> connector = MakeHiredisConnector(runtime_, url);
    if (!connector.ok()) return connector.status();
    return (*connector)->Connect(In(within));
  }

  /// Fails the test, and returns null, if there is no connection.
  std::unique_ptr<Connection> MustConnect(const std::string& url) {
    Result<std::unique_ptr<Connection>> connection = Connect(url);
    EXPECT_TRUE(connection.ok()) << connection.status().ToString();
    return connection.ok() ? std::move(connection).value() : nullptr;
  }

  Result<Reply> Call(Connection& connection, std::initializer_list<std::string_view> words,
                     Duration within = seconds(5)) {
    const std::vector<std::string_view> argv(words);
    return connection.Call(argv, In(within));
  }

  /// An idle connection notices its end within moments; false after five seconds.
  bool BecomesBroken(const Connection& connection) {
    const MonotonicTime limit = In(seconds(5));
    while (!connection.broken() && runtime_.Now() < limit) {
      SleepFor(milliseconds(1));
    }
    return connection.broken();
  }

  ThreadRuntime runtime_;
};

/// The same with a redis-server of its own.
class RedisTest : public ConnectionTest {
 protected:
  void SetUp() override { StartServer({}); }

  void StartServer(sim::machine::RedisServerOptions options) {
    server_.reset();
    Result<std::unique_ptr<sim::machine::RedisServer>> server =
        sim::machine::RedisServer::Start(std::move(options));
    ASSERT_TRUE(server.ok()) << server.status().ToString();
    server_ = std::move(server).value();
  }

  std::unique_ptr<sim::machine::RedisServer> server_;
};

}  // namespace interlock::testing
