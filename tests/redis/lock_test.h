// SPDX-License-Identifier: MIT
//
// A redis-server and any number of "processes": clients that share nothing but the server.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <interlock/client.h>

#include "tests/redis/redis_test.h"

namespace interlock::testing {

struct Process {
  std::unique_ptr<Connector> connector;
  std::unique_ptr<Client> client;
};

class LockTest : public RedisTest {
 protected:
  Process NewProcess(const std::string& url, ClientOptions options = {}) {
    Process process;
    Result<std::unique_ptr<Connector>> connector = MakeHiredisConnector(runtime_, url);
    EXPECT_TRUE(connector.ok()) << connector.status().ToString();
    process.connector = std::move(connector).value();
    process.client = std::make_unique<Client>(runtime_, *process.connector, options);
    return process;
  }
  Process NewProcess() { return NewProcess(server_->url()); }

  void SleepFor(Duration time) { runtime_.NewEvent()->WaitUntil(In(time)); }
};

/// Fails the test where the lock cannot be made.
template <typename Lock, typename... Arguments>
Lock Make(Arguments&&... arguments) {
  Result<Lock> lock = Lock::Create(std::forward<Arguments>(arguments)...);
  EXPECT_TRUE(lock.ok()) << lock.status().ToString();
  return std::move(lock).value();
}

}  // namespace interlock::testing
