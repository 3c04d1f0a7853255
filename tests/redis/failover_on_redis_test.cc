// SPDX-License-Identifier: MIT
//
// Failovers that real servers decide upon by themselves: three Sentinels lose their master, which
// later comes back and still thinks that it is one; a Cluster is told to switch, and loses a node.
// All waiting is polling with far deadlines, so that a slow machine makes no failure.
#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <thread>

#include <interlock/client.h>
#include <interlock/mutex.h>
#include <interlock/observer.h>

#include "src/key_slot.h"
#include "tests/redis/topology_test.h"

namespace interlock::testing {
namespace {

using Kind = TopologyEvent::Kind;

/// For what the servers have to agree upon first.
constexpr seconds kAgreed(50);

class SentinelFailoverTest : public TopologyTest {
 protected:
  void SetUp() override { StartTopology({.replicas = 1, .sentinels = 3}); }

  sim::machine::RedisServer& master() { return topology_->master(); }
  sim::machine::RedisServer& replica() { return topology_->replica(); }

  std::unique_ptr<SentinelConnector> MakeConnector() {
    return MakeSentinelConnector(ToTopologyObserver(counts_));
  }

  /// What the replica has when it returns.
  Result<Lease> HeldBefore(Client& client) {
    Mutex held = Make<Mutex>(client, "before", MutexOptions{.lease = seconds(300)});
    Result<Lease> lease = held.TryAcquire();
    EXPECT_TRUE(lease.ok()) << lease.status().ToString();
    EXPECT_TRUE(replica().Comes({"EXISTS", "interlock:{before}"}, "1"));
    return lease;
  }

  /// Grants that the replica has before its master is gone, and those of the time after.
  void ExpectLocksFollow(Mutex& mutex, Lease& before, const char* role) {
    Result<Lease> after = mutex.AcquireFor(kAgreed);
    ASSERT_TRUE(after.ok()) << after.status().ToString();
    EXPECT_TRUE(replica().Comes({"INFO", "replication"}, role));
    EXPECT_EQ(*replica().Command({"GET", "interlock:{after}"}), after->token());
    EXPECT_TRUE(after->Release().ok());
    EXPECT_TRUE(before.Extend().ok());
    EXPECT_TRUE(before.valid());
    EXPECT_EQ(counts_->count(Kind::kMasterFound), 1U);
    EXPECT_EQ(counts_->count(Kind::kSwitched), 1U);
  }

  /// The old master is back, and a master in its own eyes for seconds still.
  void ExpectOldMasterUnused(Mutex& mutex) {
    ASSERT_TRUE(master().Comes({"INFO", "replication"}, "role:"));
    ASSERT_EQ(*master().Command({"CONFIG", "RESETSTAT"}), "OK");
    const auto fresh = MakeConnector();
    Client other(runtime_, *fresh);
    Mutex theirs = Make<Mutex>(other, "after");
    for (int i = 0; i < 20; ++i) {
      Result<Lease> lease = (i % 2 == 0 ? mutex : theirs).AcquireFor(kAgreed);
      ASSERT_TRUE(lease.ok()) << lease.status().ToString();
      EXPECT_EQ(*replica().Command({"GET", "interlock:{after}"}), lease->token());
      EXPECT_TRUE(lease->Release().ok());
      SleepFor(milliseconds(25));
    }
    EXPECT_EQ(master().Calls("evalsha") + master().Calls("eval"), 0);
    EXPECT_EQ(counts_->count(Kind::kSwitched), 1U);
  }

  std::shared_ptr<CountingObserver> counts_ = std::make_shared<CountingObserver>();
};

TEST_F(SentinelFailoverTest, LocksFollowWhenTheMasterIsKilledAndDoNotGoBack) {
  const auto connector = MakeConnector();
  Client client(runtime_, *connector, {.observer = counts_});
  Mutex mutex = Make<Mutex>(client, "after");
  Result<Lease> before = HeldBefore(client);
  ASSERT_TRUE(before.ok() && !HasFailure());

  master().Kill();
  ExpectLocksFollow(mutex, *before, "role:master");
  EXPECT_GE(counts_->count(Observation::Kind::kReconnected), 1U);
  ASSERT_TRUE(master().Restart().ok());
  ExpectOldMasterUnused(mutex);
  EXPECT_EQ(*replica().Command({"GET", "interlock:{before}"}), before->token());
}

// What is left open to a server that stands still, answers again when it goes on.
TEST_F(SentinelFailoverTest, AMasterThatStoodStillIsNotTalkedToOnOldConnections) {
  const auto connector = MakeConnector();
  Client client(runtime_, *connector, {.observer = counts_});
  Mutex mutex = Make<Mutex>(client, "after");
  Result<Lease> before = HeldBefore(client);
  ASSERT_TRUE(before.ok() && !HasFailure());
  auto old = connector->Connect(In(seconds(5)));
  ASSERT_TRUE(old.ok()) << old.status().ToString();

  master().Pause();
  ExpectLocksFollow(mutex, *before, "role:master");
  master().Resume();
  EXPECT_EQ(Call(**old, {"SET", "stray", "1"}).code(), StatusCode::kUnavailable);
  ExpectOldMasterUnused(mutex);
  EXPECT_EQ(*master().Command({"EXISTS", "stray"}), "0");
}

/// Three masters with a replica each.
class ClusterFailoverTest : public TopologyTest {
 protected:
  void SetUp() override {
    StartTopology(sim::machine::ClusterOfThree());
    if (!HasFatalFailure()) owner_ = topology_->owner(internal::SlotOf("res"));
  }

  sim::machine::RedisServer& master() { return topology_->master(owner_); }
  sim::machine::RedisServer& replica() { return topology_->replica(owner_); }

  std::unique_ptr<ClusterConnector> MakeConnector() {
    return MakeClusterConnector(ToTopologyObserver(counts_));
  }

  std::size_t owner_ = 0;
  std::shared_ptr<CountingObserver> counts_ = std::make_shared<CountingObserver>();
};

TEST_F(ClusterFailoverTest, ASwitchLosesNothingAndWaitersGoAlong) {
  const auto connector = MakeConnector();
  Client client(runtime_, *connector);
  Mutex mutex = Make<Mutex>(client, "res", MutexOptions{.lease = seconds(300)});
  Result<Lease> held = mutex.TryAcquire();
  ASSERT_TRUE(held.ok()) << held.status().ToString();
  Result<Lease> waited = Status(StatusCode::kCancelled);
  std::thread waiter([&] { waited = mutex.AcquireFor(kAgreed); });
  EXPECT_TRUE(master().AwaitBlockedClients(1));

  EXPECT_TRUE(replica().Comes({"CLUSTER", "FAILOVER"}, "OK", kAgreed));
  EXPECT_TRUE(replica().Comes({"INFO", "replication"}, "role:master", kAgreed));
  EXPECT_TRUE(master().Comes({"INFO", "replication"}, "role:slave", kAgreed));
  EXPECT_EQ(mutex.TryAcquire().code(), StatusCode::kNotAcquired);
  EXPECT_TRUE(held->Extend().ok());
  EXPECT_TRUE(held->Release().ok());
  waiter.join();
  ASSERT_TRUE(waited.ok()) << waited.status().ToString();
  EXPECT_GT(waited->fencing_token(), held->fencing_token());
  EXPECT_EQ(*replica().Command({"GET", "interlock:{res}"}), waited->token());
  EXPECT_GE(counts_->count(Kind::kMoved), 1U);
}

TEST_F(ClusterFailoverTest, LocksFollowWhenTheirMasterIsKilledAndDoNotGoBack) {
  const auto connector = MakeConnector();
  Client client(runtime_, *connector, {.observer = counts_});
  Mutex mutex = Make<Mutex>(client, "res", MutexOptions{.lease = seconds(300)});
  Result<Lease> held = mutex.TryAcquire();
  ASSERT_TRUE(held.ok()) << held.status().ToString();
  ASSERT_TRUE(replica().Comes({"INFO", "keyspace"}, "db0:keys=2"));  // or the grant may be lost

  master().Kill();
  const MonotonicTime limit = In(kAgreed);
  Status extended = held->Extend();
  while (!extended.ok() && runtime_.Now() < limit) {
    SleepFor(milliseconds(50));
    extended = held->Extend();
  }
  ASSERT_TRUE(extended.ok()) << extended.ToString();
  EXPECT_TRUE(replica().Comes({"INFO", "replication"}, "role:master"));
  ASSERT_TRUE(master().Restart().ok());
  EXPECT_TRUE(held->Release().ok());
  for (int i = 0; i < 10; ++i) {
    Result<Lease> lease = mutex.AcquireFor(kAgreed);
    ASSERT_TRUE(lease.ok()) << lease.status().ToString();
    EXPECT_GT(lease->fencing_token(), held->fencing_token());
    EXPECT_EQ(*replica().Command({"GET", "interlock:{res}"}), lease->token());
  }
}

}  // namespace
}  // namespace interlock::testing
