// SPDX-License-Identifier: MIT
//
// Locks whose grants a real replica has to acknowledge.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include <interlock/fair_mutex.h>
#include <interlock/mutex.h>

#include "tests/redis/lock_test.h"

namespace interlock::testing {
namespace {

class ReplicaAcknowledgementOnRedisTest : public LockTest {
 protected:
  void SetUp() override {
    StartServer({.arguments = {"--repl-diskless-sync-delay", "0"}});
    auto replica = RedisServer::Start();
    ASSERT_TRUE(server_ != nullptr && replica.ok()) << replica.status().ToString();
    replica_ = std::move(replica).value();
    const std::string port = std::to_string(server_->port());
    ASSERT_EQ(*replica_->Command({"REPLICAOF", "127.0.0.1", port}), "OK");
    const MonotonicTime limit = In(seconds(10));
    while (replica_->Command({"INFO", "replication"})->find("master_link_status:up") ==
           std::string::npos) {
      ASSERT_LT(runtime_.Now(), limit) << "no replication";
      SleepFor(milliseconds(10));
    }
    // One that has just connected does not acknowledge at once.
    const auto connection = MustConnect(server_->url());
    ASSERT_NE(connection, nullptr);
    ASSERT_TRUE(Call(*connection, {"SET", "k", "v"}).ok());
    ASSERT_EQ(Call(*connection, {"WAIT", "1", "10000"}, seconds(20))->integer, 1);
    process_ = NewProcess(server_->url(),
                          {.acknowledged_by = {.replicas = 1, .timeout = milliseconds(300)}});
  }

  std::unique_ptr<RedisServer> replica_;
  Process process_;
};

TEST_F(ReplicaAcknowledgementOnRedisTest, AGrantStandsOnlyIfTheReplicaHasIt) {
  Mutex mutex = Make<Mutex>(*process_.client, "res");
  Result<Lease> lease = mutex.TryAcquire();
  ASSERT_TRUE(lease.ok()) << lease.status().ToString();
  EXPECT_EQ(*replica_->Command({"EXISTS", "interlock:{res}"}), "1");
  replica_->Pause();
  EXPECT_EQ(lease->Extend(seconds(20)).code(), StatusCode::kUnknownOutcome);
  EXPECT_TRUE(lease->valid());
  EXPECT_TRUE(lease->Release().ok());
  EXPECT_EQ(mutex.TryAcquire().code(), StatusCode::kUnavailable);
  EXPECT_EQ(*server_->Command({"EXISTS", "interlock:{res}"}), "0");
  replica_->Resume();
  lease = mutex.AcquireFor(seconds(5));
  ASSERT_TRUE(lease.ok()) << lease.status().ToString();
  EXPECT_EQ(*replica_->Command({"EXISTS", "interlock:{res}"}), "1");
}

TEST_F(ReplicaAcknowledgementOnRedisTest, AFairMutexHandsOverOnlyWhatTheReplicaHas) {
  FairMutex mutex = Make<FairMutex>(*process_.client, "res");
  Result<Lease> first = mutex.TryAcquire();
  ASSERT_TRUE(first.ok()) << first.status().ToString();
  std::unique_ptr<Task> releasing = runtime_.Spawn("releasing", [&] {
    EXPECT_TRUE(server_->AwaitBlockedClients(1));
    EXPECT_TRUE(first->Release().ok());
  });
  const std::int64_t before = server_->Calls("wait");
  Result<Lease> second = mutex.AcquireFor(seconds(5));
  releasing->Join();
  ASSERT_TRUE(second.ok()) << second.status().ToString();
  EXPECT_EQ(server_->Calls("wait"), before + 1);
  EXPECT_GT(second->fencing_token(), first->fencing_token());
}

}  // namespace
}  // namespace interlock::testing
