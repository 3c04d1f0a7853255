// SPDX-License-Identifier: MIT
//
// Failovers that real servers decide upon by themselves: three Sentinels lose their master, which
// later comes back and still thinks that it is one; a Cluster is told to switch, and loses a node.
// All waiting is polling with far deadlines, so that a slow machine makes no failure.
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <interlock/client.h>
#include <interlock/cluster_connector.h>
#include <interlock/hiredis_connector.h>
#include <interlock/mutex.h>
#include <interlock/observer.h>
#include <interlock/sentinel_connector.h>

#include "src/key_slot.h"
#include "tests/redis/lock_test.h"

namespace interlock::testing {
namespace {

using Kind = TopologyEvent::Kind;

/// For what the servers have to agree upon first.
constexpr Duration kAgreed = seconds(50);

class SentinelFailoverTest : public LockTest {
 protected:
  void SetUp() override {
    const std::vector<std::string> at_once = {"--repl-diskless-sync-delay", "0"};
    StartServer({.arguments = at_once});
    ASSERT_NE(server_, nullptr);
    replica_ = Start({.arguments = at_once});
    ASSERT_NE(replica_, nullptr);
    const std::string port = std::to_string(server_->port());
    ASSERT_EQ(*replica_->Command({"REPLICAOF", "127.0.0.1", port}), "OK");
    ASSERT_TRUE(Comes(*replica_, {"INFO", "replication"}, "master_link_status:up", kAgreed));
    for (auto& sentinel : sentinels_) ASSERT_NO_FATAL_FAILURE(StartSentinel(sentinel, port));
    for (auto& sentinel : sentinels_) {
      ASSERT_TRUE(Comes(*sentinel, {"INFO", "sentinel"}, "slaves=1,sentinels=3", kAgreed));
    }
  }

  static void StartSentinel(std::unique_ptr<RedisServer>& sentinel, const std::string& port) {
    sentinel = Start({.sentinel = true});
    ASSERT_NE(sentinel, nullptr);
    ASSERT_EQ(*sentinel->Command({"SENTINEL", "MONITOR", "main", "127.0.0.1", port, "2"}), "OK");
    ASSERT_EQ(*sentinel->Command({"SENTINEL", "SET", "main", "down-after-milliseconds", "500",
                                  "failover-timeout", "2000"}),
              "OK");
  }

  std::unique_ptr<SentinelConnector> MakeConnector() {
    auto nodes = MakeHiredisNodes(runtime_, {});
    SentinelOptions options = {.master_name = "main",
                               .recheck = milliseconds(100),
                               .observer = ToTopologyObserver(counts_)};
    for (const auto& sentinel : sentinels_) {
      options.sentinels.push_back({"127.0.0.1", sentinel->port()});
    }
    auto made = SentinelConnector::Create(runtime_, *nodes, *nodes, std::move(options));
    EXPECT_TRUE(made.ok()) << made.status().ToString();
    return std::move(made).value();
  }

  /// What the replica has when it returns.
  Result<Lease> HeldBefore(Client& client) {
    Mutex held = Make<Mutex>(client, "before", MutexOptions{.lease = seconds(300)});
    Result<Lease> lease = held.TryAcquire();
    EXPECT_TRUE(lease.ok()) << lease.status().ToString();
    EXPECT_TRUE(Comes(*replica_, {"EXISTS", "interlock:{before}"}, "1"));
    return lease;
  }

  /// Grants that the replica has before its master is gone, and those of the time after.
  void ExpectLocksFollow(Mutex& mutex, Lease& before, const char* role) {
    Result<Lease> after = mutex.AcquireFor(kAgreed);
    ASSERT_TRUE(after.ok()) << after.status().ToString();
    EXPECT_TRUE(Comes(*replica_, {"INFO", "replication"}, role));
    EXPECT_EQ(*replica_->Command({"GET", "interlock:{after}"}), after->token());
    EXPECT_TRUE(after->Release().ok());
    EXPECT_TRUE(before.Extend().ok());
    EXPECT_TRUE(before.valid());
    EXPECT_EQ(counts_->count(Kind::kMasterFound), 1U);
    EXPECT_EQ(counts_->count(Kind::kSwitched), 1U);
  }

  /// The old master is back, and a master in its own eyes for seconds still.
  void ExpectOldMasterUnused(Mutex& mutex) {
    ASSERT_TRUE(Comes(*server_, {"INFO", "replication"}, "role:"));
    ASSERT_EQ(*server_->Command({"CONFIG", "RESETSTAT"}), "OK");
    const auto fresh = MakeConnector();
    Client other(runtime_, *fresh);
    Mutex theirs = Make<Mutex>(other, "after");
    for (int i = 0; i < 20; ++i) {
      Result<Lease> lease = (i % 2 == 0 ? mutex : theirs).AcquireFor(kAgreed);
      ASSERT_TRUE(lease.ok()) << lease.status().ToString();
      EXPECT_EQ(*replica_->Command({"GET", "interlock:{after}"}), lease->token());
      EXPECT_TRUE(lease->Release().ok());
      SleepFor(milliseconds(25));
    }
    EXPECT_EQ(server_->Calls("evalsha") + server_->Calls("eval"), 0);
    EXPECT_EQ(counts_->count(Kind::kSwitched), 1U);
  }

  std::unique_ptr<RedisServer> replica_;
  std::array<std::unique_ptr<RedisServer>, 3> sentinels_;
  std::shared_ptr<CountingObserver> counts_ = std::make_shared<CountingObserver>();
};

TEST_F(SentinelFailoverTest, LocksFollowWhenTheMasterIsKilledAndDoNotGoBack) {
  const auto connector = MakeConnector();
  Client client(runtime_, *connector, {.observer = counts_});
  Mutex mutex = Make<Mutex>(client, "after");
  Result<Lease> before = HeldBefore(client);
  ASSERT_TRUE(before.ok() && !HasFailure());

  server_->Kill();
  ExpectLocksFollow(mutex, *before, "role:master");
  EXPECT_GE(counts_->count(Observation::Kind::kReconnected), 1U);
  ASSERT_TRUE(server_->Restart().ok());
  ExpectOldMasterUnused(mutex);
  EXPECT_EQ(*replica_->Command({"GET", "interlock:{before}"}), before->token());
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

  server_->Pause();
  ExpectLocksFollow(mutex, *before, "role:master");
  server_->Resume();
  EXPECT_EQ(Call(**old, {"SET", "stray", "1"}).code(), StatusCode::kUnavailable);
  ExpectOldMasterUnused(mutex);
  EXPECT_EQ(*server_->Command({"EXISTS", "stray"}), "0");
}

/// Three masters, and a replica of the one that has the slot of "res".
class ClusterFailoverTest : public LockTest {
 protected:
  static constexpr std::size_t kMasters = 3;
  static constexpr int kSlots = 16384;

  void SetUp() override {
    for (auto& node : nodes_) {
      node = Start({.arguments = {"--repl-diskless-sync-delay", "0"}, .cluster = true});
      ASSERT_NE(node, nullptr);
    }
    for (std::size_t i = 0; i < kMasters; ++i) AddSlots(i);
    for (std::size_t i = 1; i < nodes_.size(); ++i) {
      ASSERT_EQ(
          *nodes_[0]->Command({"CLUSTER", "MEET", "127.0.0.1", std::to_string(nodes_[i]->port()),
                               std::to_string(nodes_[i]->bus_port())}),
          "OK");
    }
    for (auto& node : nodes_) {
      ASSERT_TRUE(Comes(*node, {"CLUSTER", "INFO"}, "cluster_known_nodes:4", kAgreed));
      ASSERT_TRUE(Comes(*node, {"CLUSTER", "INFO"}, "cluster_state:ok", kAgreed));
    }
    owner_ = static_cast<std::size_t>(internal::SlotOf("res")) * kMasters / kSlots;
    const std::string id = *master().Command({"CLUSTER", "MYID"});
    ASSERT_TRUE(Comes(replica(), {"CLUSTER", "REPLICATE", id}, "OK", kAgreed));
    ASSERT_TRUE(Comes(replica(), {"INFO", "replication"}, "master_link_status:up", kAgreed));
    for (auto& node : nodes_) {  // whoever votes has to know it as a replica
      ASSERT_TRUE(Comes(*node, {"CLUSTER", "NODES"}, "slave " + id, kAgreed));
    }
  }

  void AddSlots(std::size_t node) {
    const auto first = [](std::size_t i) { return (i * kSlots + kMasters - 1) / kMasters; };
    ASSERT_EQ(*nodes_[node]->Command({"CLUSTER", "ADDSLOTSRANGE", std::to_string(first(node)),
                                      std::to_string(first(node + 1) - 1)}),
              "OK");
  }

  RedisServer& master() { return *nodes_[owner_]; }
  RedisServer& replica() { return *nodes_[kMasters]; }

  std::unique_ptr<ClusterConnector> MakeConnector() {
    auto nodes = MakeHiredisNodes(runtime_, {});
    ClusterOptions options = {.observer = ToTopologyObserver(counts_)};
    for (const auto& node : nodes_) options.seeds.push_back({"127.0.0.1", node->port()});
    auto made = ClusterConnector::Create(runtime_, std::move(nodes).value(), std::move(options));
    EXPECT_TRUE(made.ok()) << made.status().ToString();
    return std::move(made).value();
  }

  std::array<std::unique_ptr<RedisServer>, kMasters + 1> nodes_;
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

  EXPECT_TRUE(Comes(replica(), {"CLUSTER", "FAILOVER"}, "OK", kAgreed));
  EXPECT_TRUE(Comes(replica(), {"INFO", "replication"}, "role:master", kAgreed));
  EXPECT_TRUE(Comes(master(), {"INFO", "replication"}, "role:slave", kAgreed));
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
  ASSERT_TRUE(Comes(replica(), {"INFO", "keyspace"}, "db0:keys=2"));  // or the grant may be lost

  master().Kill();
  const MonotonicTime limit = In(kAgreed);
  Status extended = held->Extend();
  while (!extended.ok() && runtime_.Now() < limit) {
    SleepFor(milliseconds(50));
    extended = held->Extend();
  }
  ASSERT_TRUE(extended.ok()) << extended.ToString();
  EXPECT_TRUE(Comes(replica(), {"INFO", "replication"}, "role:master"));
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
