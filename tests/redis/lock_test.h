// SPDX-License-Identifier: MIT
//
// A redis-server and any number of "processes": clients that share nothing but the server.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <interlock/client.h>
#include <interlock/lease_source.h>

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

  /// One more server; fails the test, and is null, if there is none.
  static std::unique_ptr<RedisServer> Start(RedisServerOptions options) {
    auto server = RedisServer::Start(std::move(options));
    EXPECT_TRUE(server.ok()) << server.status().ToString();
    return server.ok() ? std::move(server).value() : nullptr;
  }
};

/// `with_lock(work)` makes a lock of a "process" of its own and calls `work(lock)`, once in each
/// thread. The increments are no atomic operations, so two holders at a time would lose some of
/// them.
template <typename WithLock>
void ExpectNoUpdateIsLost(int threads, int rounds, const WithLock& with_lock) {
  std::atomic<int> counter = 0;
  std::atomic<int> inside = 0;
  std::atomic<int> overlaps = 0;
  std::atomic<std::uint64_t> last_fence = 0;
  const auto work = [&](LeaseSource& lock) {
    for (int round = 0; round < rounds; ++round) {
      Result<Lease> lease = lock.AcquireFor(std::chrono::seconds(60));
      ASSERT_TRUE(lease.ok()) << lease.status().ToString();
      if (inside.fetch_add(1) != 0) ++overlaps;
      EXPECT_GT(lease->fencing_token(), last_fence.load());
      last_fence = lease->fencing_token();
      counter.store(counter.load() + 1);
      inside.fetch_sub(1);
      EXPECT_TRUE(lease->Release().ok());
    }
  };
  std::vector<std::thread> all;
  for (int i = 0; i < threads; ++i) all.emplace_back([&] { with_lock(work); });
  for (std::thread& thread : all) thread.join();
  EXPECT_EQ(counter, threads * rounds);
  EXPECT_EQ(overlaps, 0);
}

/// Fails the test where the lock cannot be made.
template <typename Lock, typename... Arguments>
Lock Make(Arguments&&... arguments) {
  Result<Lock> lock = Lock::Create(std::forward<Arguments>(arguments)...);
  EXPECT_TRUE(lock.ok()) << lock.status().ToString();
  return std::move(lock).value();
}

}  // namespace interlock::testing
