// SPDX-License-Identifier: MIT
//
// Locks through a real Redis Cluster of two masters, while the slot of their keys moves from the
// one to the other.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <memory>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <interlock/client.h>
#include <interlock/cluster_connector.h>
#include <interlock/mutex.h>
#include <interlock/semaphore.h>

#include "src/key_slot.h"
#include "tests/redis/topology_test.h"

namespace interlock::testing {
namespace {

using Kind = TopologyEvent::Kind;

class ClusterOnRedisTest : public TopologyTest {
 protected:
  void SetUp() override {
    StartTopology({.masters = 2, .cluster = true});
    if (HasFatalFailure()) return;
    slot_ = std::to_string(internal::SlotOf("res"));
    from_ = topology_->owner(internal::SlotOf("res"));
    to_ = 1 - from_;
  }

  RedisServer& node(std::size_t index) { return topology_->master(index); }

  void MustAnswerOk(std::size_t index, const std::vector<std::string>& command) {
    EXPECT_EQ(*node(index).Command(command), "OK") << command[1];
  }

  std::unique_ptr<ClusterConnector> MakeConnector() {
    return MakeClusterConnector(
        [this](const TopologyEvent& event) { ++events_[static_cast<std::size_t>(event.kind)]; });
  }

  int Count(Kind kind) { return events_[static_cast<std::size_t>(kind)]; }

  bool Comes(Kind kind, int count) {
    const MonotonicTime limit = In(seconds(5));
    while (Count(kind) < count && runtime_.Now() < limit) SleepFor(milliseconds(1));
    return Count(kind) >= count;
  }

  void BeginToMove() {
    MustAnswerOk(
        to_, {"CLUSTER", "SETSLOT", slot_, "IMPORTING", *node(from_).Command({"CLUSTER", "MYID"})});
    MustAnswerOk(
        from_, {"CLUSTER", "SETSLOT", slot_, "MIGRATING", *node(to_).Command({"CLUSTER", "MYID"})});
  }

  void MoveKeys() {
    std::istringstream keys(
        *node(from_).Command({"EVAL", "return table.concat(redis.call('KEYS', '*'), ' ')", "0"}));
    for (std::string key; keys >> key;) {
      MustAnswerOk(from_,
                   {"MIGRATE", "127.0.0.1", std::to_string(node(to_).port()), key, "0", "5000"});
    }
  }

  void EndMove() {
    const std::string owner = *node(to_).Command({"CLUSTER", "MYID"});
    MustAnswerOk(to_, {"CLUSTER", "SETSLOT", slot_, "NODE", owner});
    MustAnswerOk(from_, {"CLUSTER", "SETSLOT", slot_, "NODE", owner});
  }

  std::array<std::atomic<int>, 7> events_{};
  std::string slot_;
  std::size_t from_ = 0;
  std::size_t to_ = 1;
};

TEST_F(ClusterOnRedisTest, EachKeyIsFoundAtItsNode) {
  const auto connector = MakeConnector();
  auto connection = connector->Connect(In(seconds(5)));
  ASSERT_TRUE(connection.ok()) << connection.status().ToString();
  for (int i = 0; i < 100; ++i) {
    const std::string key = "k" + std::to_string(i);
    EXPECT_TRUE(Call(**connection, {"SET", key, key})->IsStatus("OK"));
  }
  EXPECT_EQ(Count(Kind::kMoved), 0);
  EXPECT_GT(node(0).Calls("set"), 20);
  EXPECT_GT(node(1).Calls("set"), 20);
}

TEST_F(ClusterOnRedisTest, AKeyIsAskedForWhereItsSlotGoes) {
  const auto connector = MakeConnector();
  auto connection = connector->Connect(In(seconds(5)));
  ASSERT_TRUE(connection.ok());
  EXPECT_TRUE(Call(**connection, {"SET", "old{res}", "1"})->IsStatus("OK"));
  BeginToMove();
  EXPECT_TRUE(Call(**connection, {"SET", "new{res}", "2"})->IsStatus("OK"));
  EXPECT_EQ(Call(**connection, {"GET", "old{res}"})->text, "1");
  EXPECT_EQ(Count(Kind::kAsked), 1);
  MoveKeys();
  EXPECT_EQ(Call(**connection, {"GET", "old{res}"})->text, "1");
  EXPECT_EQ(Count(Kind::kAsked), 2);
  EndMove();
  EXPECT_EQ(Call(**connection, {"GET", "new{res}"})->text, "2");
  EXPECT_EQ(Call(**connection, {"GET", "old{res}"})->text, "1");
  EXPECT_EQ(Count(Kind::kMoved), 1);
}

TEST_F(ClusterOnRedisTest, LocksGoOnWhileTheirSlotMoves) {
  const auto connector = MakeConnector();
  Client client(runtime_, *connector);
  Mutex mutex = Make<Mutex>(client, "res", MutexOptions{.key_prefix = "m:"});
  Semaphore semaphore =
      Make<Semaphore>(client, "res", SemaphoreOptions{.key_prefix = "s:", .limit = 2});
  Result<Lease> held = mutex.TryAcquire();
  ASSERT_TRUE(held.ok()) << held.status().ToString();
  Result<Lease> permit = semaphore.TryAcquire();
  ASSERT_TRUE(permit.ok()) << permit.status().ToString();
  // One waits for the mutex, asleep in the node that will give up the slot.
  Result<Lease> waited = Status(StatusCode::kCancelled);
  std::thread waiter([&] { waited = mutex.AcquireFor(seconds(8)); });
  ASSERT_TRUE(node(from_).AwaitBlockedClients(1));

  BeginToMove();
  // Refused as long as some of the keys are here and others there, and granted afterwards.
  Result<Lease> second = Status(StatusCode::kCancelled);
  std::thread taker([&] { second = semaphore.AcquireFor(seconds(8)); });
  EXPECT_TRUE(Comes(Kind::kRetried, 2));
  MoveKeys();
  EXPECT_TRUE(Comes(Kind::kAsked, 1));
  EndMove();
  taker.join();
  EXPECT_TRUE(second.ok()) << second.status().ToString();
  EXPECT_GE(Count(Kind::kMoved), 1);

  EXPECT_EQ(semaphore.TryAcquire().code(), StatusCode::kNotAcquired);
  EXPECT_TRUE(held->Extend(seconds(20)).ok());
  EXPECT_TRUE(held->Release().ok());
  waiter.join();
  ASSERT_TRUE(waited.ok()) << waited.status().ToString();
  EXPECT_GT(waited->fencing_token(), held->fencing_token());
  EXPECT_EQ(*node(to_).Command({"EXISTS", "m:{res}"}), "1");
  EXPECT_TRUE(permit->Release().ok());
}

TEST_F(ClusterOnRedisTest, ANodeThatIsGoneLeavesTheOthersUsable) {
  const auto connector = MakeConnector();
  Client client(runtime_, *connector);
  Mutex gone = Make<Mutex>(client, "res");
  const std::string other =
      topology_->owner(internal::SlotOf("a")) == from_ ? std::string("b") : std::string("a");
  ASSERT_EQ(topology_->owner(internal::SlotOf(other)), to_);
  Mutex alive = Make<Mutex>(client, other);
  EXPECT_TRUE(gone.TryAcquire().ok());
  node(from_).Kill();
  MustAnswerOk(to_, {"CONFIG", "SET", "cluster-require-full-coverage", "no"});
  // Its connection may not have heard of the end yet, and takes the command.
  EXPECT_THAT(gone.TryAcquire().code(),
              ::testing::AnyOf(StatusCode::kUnavailable, StatusCode::kUnknownOutcome));
  const Result<Lease> lease = alive.AcquireFor(seconds(5));
  EXPECT_TRUE(lease.ok()) << lease.status().ToString();
}

}  // namespace
}  // namespace interlock::testing
