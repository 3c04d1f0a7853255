// SPDX-License-Identifier: MIT
//
// Locks through a real Sentinel, before, during and after a failover.
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <interlock/client.h>
#include <interlock/hiredis_connector.h>
#include <interlock/mutex.h>
#include <interlock/semaphore.h>
#include <interlock/sentinel_connector.h>

#include "tests/redis/lock_test.h"

namespace interlock::testing {
namespace {

// A master with a replica, which want a password, and a Sentinel that watches both.
class SentinelOnRedisTest : public LockTest {
 protected:
  void SetUp() override {
    const std::vector<std::string> secret = {
        "--requirepass", "secret", "--masterauth", "secret", "--repl-diskless-sync-delay", "0"};
    StartServer({.arguments = secret, .password = "secret"});
    ASSERT_NE(server_, nullptr);
    replica_ = Start({.arguments = secret, .password = "secret"});
    sentinel_ = Start({.sentinel = true});
    ASSERT_TRUE(replica_ != nullptr && sentinel_ != nullptr);
    const std::string port = std::to_string(server_->port());
    ASSERT_EQ(*replica_->Command({"REPLICAOF", "127.0.0.1", port}), "OK");
    ASSERT_TRUE(Comes(*replica_, {"INFO", "replication"}, "master_link_status:up"));
    ASSERT_EQ(*sentinel_->Command({"SENTINEL", "MONITOR", "main", "127.0.0.1", port, "1"}), "OK");
    ASSERT_EQ(*sentinel_->Command({"SENTINEL", "SET", "main", "auth-pass", "secret"}), "OK");
    ASSERT_TRUE(Comes(*sentinel_, {"INFO", "sentinel"}, "slaves=1"));
  }

  std::unique_ptr<SentinelConnector> MakeConnector() {
    auto sentinels = MakeHiredisNodes(runtime_, {});
    auto masters = MakeHiredisNodes(runtime_, {.password = "secret"});
    auto made = SentinelConnector::Create(runtime_, std::move(sentinels).value(),
                                          std::move(masters).value(),
                                          {.sentinels = {{"127.0.0.1", sentinel_->port()}},
                                           .master_name = "main",
                                           .recheck = milliseconds(100),
                                           .observer = [this](const TopologyEvent& event) {
                                             if (event.kind == TopologyEvent::Kind::kSwitched)
                                               ++switches_;
                                           }});
    EXPECT_TRUE(made.ok()) << made.status().ToString();
    return std::move(made).value();
  }

  std::unique_ptr<RedisServer> replica_;
  std::unique_ptr<RedisServer> sentinel_;
  std::atomic<int> switches_ = 0;
};

TEST_F(SentinelOnRedisTest, LocksFollowAFailover) {
  const auto connector = MakeConnector();
  Client client(runtime_, *connector);
  Mutex mutex = Make<Mutex>(client, "res", MutexOptions{.lease = seconds(60)});
  Result<Lease> before = mutex.TryAcquire();
  ASSERT_TRUE(before.ok()) << before.status().ToString();
  EXPECT_EQ(*server_->Command({"EXISTS", "interlock:{res}"}), "1");
  ASSERT_EQ(*server_->Command({"WAIT", "1", "5000"}), "1");
  ASSERT_TRUE(Comes(*replica_, {"EXISTS", "interlock:{res}"}, "1"));

  // Refused until the Sentinel has heard enough of the replica.
  ASSERT_TRUE(Comes(*sentinel_, {"SENTINEL", "FAILOVER", "main"}, "OK"));
  ASSERT_TRUE(Comes(*replica_, {"INFO", "replication"}, "role:master"));
  // A Semaphore waits over the switch without help.
  Semaphore semaphore = Make<Semaphore>(client, "sem", SemaphoreOptions{.limit = 2});
  Result<Lease> during = semaphore.AcquireFor(seconds(10));
  ASSERT_TRUE(during.ok()) << during.status().ToString();
  ASSERT_TRUE(Comes(*sentinel_, {"INFO", "sentinel"}, std::to_string(replica_->port())));
  SleepFor(milliseconds(150));

  EXPECT_EQ(mutex.TryAcquire().code(), StatusCode::kNotAcquired);
  EXPECT_TRUE(before->Extend(seconds(30)).ok());
  EXPECT_TRUE(before->Release().ok());
  EXPECT_EQ(*replica_->Command({"EXISTS", "interlock:{res}"}), "0");
  Result<Lease> after = mutex.TryAcquire();
  ASSERT_TRUE(after.ok()) << after.status().ToString();
  EXPECT_EQ(*replica_->Command({"EXISTS", "interlock:{res}"}), "1");
  EXPECT_GE(switches_, 1);
}

TEST_F(SentinelOnRedisTest, AnUnknownMasterIsAMistake) {
  auto nodes = MakeHiredisNodes(runtime_, {});
  ASSERT_TRUE(nodes.ok());
  auto connector = SentinelConnector::Create(
      runtime_, *nodes, *nodes,
      {.sentinels = {{"127.0.0.1", sentinel_->port()}}, .master_name = "nobody"});
  ASSERT_TRUE(connector.ok());
  EXPECT_EQ((*connector)->Connect(In(seconds(5))).code(), StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace interlock::testing
