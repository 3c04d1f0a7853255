// SPDX-License-Identifier: MIT
//
// Locks whose grants a real replica has to acknowledge.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include <interlock/fair_mutex.h>
#include <interlock/mutex.h>

#include "tests/redis/topology_test.h"

namespace interlock::testing {
namespace {

class ReplicaAcknowledgementOnRedisTest : public TopologyTest {
 protected:
  void SetUp() override {
    StartTopology({.replicas = 1});
    ASSERT_NE(topology_, nullptr);
    // One that has just connected does not acknowledge at once.
    const auto connection = MustConnect(master().url());
    ASSERT_NE(connection, nullptr);
    ASSERT_TRUE(Call(*connection, {"SET", "k", "v"}).ok());
    ASSERT_EQ(Call(*connection, {"WAIT", "1", "10000"}, seconds(20))->integer, 1);
    process_ = NewProcess(master().url(),
                          {.acknowledged_by = {.replicas = 1, .timeout = milliseconds(300)}});
  }

  RedisServer& master() { return topology_->master(); }
  RedisServer& replica() { return topology_->replica(); }

  Process process_;
};

TEST_F(ReplicaAcknowledgementOnRedisTest, AGrantStandsOnlyIfTheReplicaHasIt) {
  Mutex mutex = Make<Mutex>(*process_.client, "res");
  Result<Lease> lease = mutex.TryAcquire();
  ASSERT_TRUE(lease.ok()) << lease.status().ToString();
  EXPECT_EQ(*replica().Command({"EXISTS", "interlock:{res}"}), "1");
  replica().Pause();
  EXPECT_EQ(lease->Extend(seconds(20)).code(), StatusCode::kUnknownOutcome);
  EXPECT_TRUE(lease->valid());
  EXPECT_TRUE(lease->Release().ok());
  EXPECT_EQ(mutex.TryAcquire().code(), StatusCode::kUnavailable);
  EXPECT_EQ(*master().Command({"EXISTS", "interlock:{res}"}), "0");
  replica().Resume();
  lease = mutex.AcquireFor(seconds(5));
  ASSERT_TRUE(lease.ok()) << lease.status().ToString();
  EXPECT_EQ(*replica().Command({"EXISTS", "interlock:{res}"}), "1");
}

TEST_F(ReplicaAcknowledgementOnRedisTest, AFairMutexHandsOverOnlyWhatTheReplicaHas) {
  FairMutex mutex = Make<FairMutex>(*process_.client, "res");
  Result<Lease> first = mutex.TryAcquire();
  ASSERT_TRUE(first.ok()) << first.status().ToString();
  std::unique_ptr<Task> releasing = runtime_.Spawn("releasing", [&] {
    EXPECT_TRUE(master().AwaitBlockedClients(1));
    EXPECT_TRUE(first->Release().ok());
  });
  const std::int64_t before = master().Calls("wait");
  Result<Lease> second = mutex.AcquireFor(seconds(5));
  releasing->Join();
  ASSERT_TRUE(second.ok()) << second.status().ToString();
  EXPECT_EQ(master().Calls("wait"), before + 1);
  EXPECT_GT(second->fencing_token(), first->fencing_token());
}

}  // namespace
}  // namespace interlock::testing
