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

#include "tests/redis/topology_test.h"

namespace interlock::testing {
namespace {

// Sentinel names the new master only when the other replica follows it, or after failover-timeout
// (5 s) has passed in each of its stages; on a busy machine that takes longer than usual waits.
constexpr seconds kFailover(30);

// A master with two replicas, which want a password, and the Sentinels that watch them.
class SentinelOnRedisTest : public TopologyTest {
 protected:
  void SetUp() override {
    sim::machine::RedisTopologyOptions options = sim::machine::UnderSentinels();
    options.of.password = "secret";
    StartTopology(options);
  }

  std::unique_ptr<SentinelConnector> MakeConnector() {
    return MakeSentinelConnector(
        [this](const TopologyEvent& event) {
          if (event.kind == TopologyEvent::Kind::kSwitched) ++switches_;
        },
        "secret");
  }

  sim::machine::RedisServer& master() { return topology_->master(); }
  sim::machine::RedisServer& sentinel() { return topology_->sentinel(); }

  /// The replica that became the master.
  sim::machine::RedisServer* Promoted() {
    const MonotonicTime limit = In(kFailover);
    while (runtime_.Now() < limit) {
      for (std::size_t i = 0; i < topology_->replicas(); ++i) {
        sim::machine::RedisServer& one = topology_->replica(i);
        if (one.Comes({"INFO", "replication"}, "role:master", milliseconds(1))) return &one;
      }
    }
    return nullptr;
  }

  std::atomic<int> switches_ = 0;
};

TEST_F(SentinelOnRedisTest, LocksFollowAFailover) {
  const auto connector = MakeConnector();
  Client client(runtime_, *connector);
  Mutex mutex = Make<Mutex>(client, "res", MutexOptions{.lease = seconds(60)});
  Result<Lease> before = mutex.TryAcquire();
  ASSERT_TRUE(before.ok()) << before.status().ToString();
  EXPECT_EQ(*master().Command({"EXISTS", "interlock:{res}"}), "1");
  for (std::size_t i = 0; i < topology_->replicas(); ++i) {
    ASSERT_TRUE(topology_->replica(i).Comes({"EXISTS", "interlock:{res}"}, "1"));
  }

  // Refused until the Sentinel has heard enough of the replicas.
  ASSERT_TRUE(sentinel().Comes({"SENTINEL", "FAILOVER", "main"}, "OK"));
  sim::machine::RedisServer* const promoted = Promoted();
  ASSERT_NE(promoted, nullptr);
  // A Semaphore waits over the switch without help.
  Semaphore semaphore = Make<Semaphore>(client, "sem", SemaphoreOptions{.limit = 2});
  Result<Lease> during = semaphore.AcquireFor(seconds(10));
  ASSERT_TRUE(during.ok()) << during.status().ToString();
  const std::string port = std::to_string(promoted->port());
  ASSERT_TRUE(sentinel().Comes({"INFO", "sentinel"}, port, kFailover));
  SleepFor(milliseconds(150));

  EXPECT_EQ(mutex.TryAcquire().code(), StatusCode::kNotAcquired);
  EXPECT_TRUE(before->Extend(seconds(30)).ok());
  EXPECT_TRUE(before->Release().ok());
  EXPECT_EQ(*promoted->Command({"EXISTS", "interlock:{res}"}), "0");
  Result<Lease> after = mutex.TryAcquire();
  ASSERT_TRUE(after.ok()) << after.status().ToString();
  EXPECT_EQ(*promoted->Command({"EXISTS", "interlock:{res}"}), "1");
  EXPECT_GE(switches_, 1);
}

TEST_F(SentinelOnRedisTest, AnUnknownMasterIsAMistake) {
  auto nodes = MakeHiredisNodes(runtime_, {});
  ASSERT_TRUE(nodes.ok());
  auto connector = SentinelConnector::Create(
      runtime_, *nodes, *nodes,
      {.sentinels = {{"127.0.0.1", sentinel().port()}}, .master_name = "nobody"});
  ASSERT_TRUE(connector.ok());
  EXPECT_EQ((*connector)->Connect(In(seconds(5))).code(), StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace interlock::testing
