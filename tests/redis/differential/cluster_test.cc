// SPDX-License-Identifier: MIT
//
// Slots that move between three real nodes of a Cluster, by keys or at once, beside the cluster of
// a simulated world: what clients of the slot see, blocked ones and writers among them, and what
// the nodes say of a migration. Key b is in slot 3300, which the first node has at first and the
// second one gets.
//
// The real target is kept from claiming the slot until it may (DEBUG SLOTMIGRATION), so that writes
// have to wait in the meantime. No reply is awaited without a deadline.
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <regex>
#include <string>
#include <utility>
#include <vector>

#include "sim/redis/server.h"
#include "sim/shards.h"
#include "tests/redis/differential/tested_server.h"
#include "tests/redis/differential/topology_pair.h"
#include "tests/support/redis_server.h"

namespace interlock::testing {
namespace {

using sim::redis::Argv;

constexpr std::size_t kSource = 0;
constexpr std::size_t kTarget = 1;
constexpr std::size_t kOther = 2;
constexpr const char* kSlot = "3300";
constexpr const char* kSilence = "silence";
const Argv kListMigrations = {"CLUSTER", "GETSLOTMIGRATIONS"};

/// Without what is different whenever it is asked for.
std::string WithoutVolatileFields(const std::string& migrations) {
  static const std::regex volatile_fields(
      "\"name\", \"[0-9a-z]*\", |\"(create|last_update|last_ack)_time\", [0-9]+, ");
  return std::regex_replace(migrations, volatile_fields, "");
}

class ClusterDifferentialTest : public ::testing::Test {
 protected:
  void SetUp() override {
    // The nodes that stand still have not failed.
    auto started = RedisTopology::Start({.masters = 3,
                                         .cluster = true,
                                         .of = {.arguments = {"--cluster-node-timeout", "60000",
                                                              "--enable-debug-command", "yes"}}});
    ASSERT_TRUE(started.ok()) << started.status().ToString();
    const std::shared_ptr<RedisTopology> nodes = std::move(started).value();
    TopologyPair::RealServers real;
    for (std::size_t i = 0; i < nodes->masters(); ++i) real.emplace_back(nodes, &nodes->master(i));
    pair_ = std::make_unique<TopologyPair>(
        real, sim::redis::Server::ConfigurationFile{{"enable-debug-command", "yes"}});
    shards_ = std::make_unique<sim::Shards>(pair_->fake(), real.size());
    shards_->TellAll();
    for (std::size_t i = 0; i < real.size(); ++i) {
      const auto [of_real, of_fake] = pair_->Ask(i, {"CLUSTER", "MYID"});
      ids_.push_back(of_fake.substr(1, of_fake.size() - 2));
      pair_->SetAlike(of_real.substr(1, of_real.size() - 2), ids_.back());
    }
  }

  /// For every command: both answered the same.
  void Agree(std::size_t node, const std::vector<Argv>& commands) {
    for (const Argv& argv : commands) {
      const std::string reply = pair_->Call(node, argv);
      EXPECT_FALSE(reply.starts_with("real: ")) << sim::redis::ToText(argv) << "\n" << reply;
    }
  }
  /// Another client of the source, whose command is not answered now.
  std::size_t Waits(const Argv& argv) {
    const std::size_t client = pair_->Connect(kSource);
    EXPECT_EQ(pair_->CallBlocking(kSource, argv, client), kSilence) << sim::redis::ToText(argv);
    return client;
  }
  std::string Moved() const {
    return "(error) MOVED " + std::string(kSlot) +
           " 127.0.0.1:" + std::to_string(pair_->port(kTarget));
  }
  void AgreeOnMigrations() {
    for (const std::size_t node : {kSource, kTarget, kOther}) {
      const auto [real, fake] = pair_->Ask(node, kListMigrations);
      EXPECT_EQ(WithoutVolatileFields(real), WithoutVolatileFields(fake)) << "of node " << node;
    }
  }
  sim::Shards::Execute AsOperator() {
    return [this](int node, const Argv& argv) {
      sim::redis::Server& server = pair_->fake().server(static_cast<std::size_t>(node));
      const sim::redis::ClientId client = server.Connect();
      server.Execute(client, argv);
      server.Disconnect(client);
    };
  }

  std::unique_ptr<TopologyPair> pair_;
  std::unique_ptr<sim::Shards> shards_;
  std::vector<std::string> ids_;
};

class SlotMigrationDifferentialTest : public ClusterDifferentialTest {
 protected:
  void SetUp() override {
    if (!TestedDialect().IsIn(sim::redis::kValkeyFrom90)) {
      GTEST_SKIP() << TestedDialect().title << " does not move slots at once";
    }
    ClusterDifferentialTest::SetUp();
    if (HasFatalFailure()) return;
    Agree(kSource, {{"SET", "b", "old", "PXAT", "4102444800000"}, {"SET", "{b}2", "v"}});
  }

  void LetRealClaim(bool may) {
    pair_->TellReal(kTarget, {"DEBUG", "SLOTMIGRATION", "PREVENT-FAILOVER", may ? "0" : "1"});
  }
  /// Until the target may claim the slot.
  void Migrate(bool late = false) {
    LetRealClaim(false);
    pair_->TellReal(kSource,
                    {"CLUSTER", "MIGRATESLOTS", "SLOTSRANGE", kSlot, kSlot, "NODE", ids_[kTarget]});
    for (const std::size_t node : {kSource, kTarget}) {
      ASSERT_TRUE(pair_->AwaitReal(node, kListMigrations, "\"failover-granted\"")) << node;
    }
    shards_->BeginMigration(AsOperator(), late);
  }
};

TEST_F(SlotMigrationDifferentialTest, WritesWaitAndAreThenSentAfterTheirSlotAsBlockedClientsAre) {
  const Argv reads = {"EVAL_RO", "return redis.call('MGET', KEYS[1], KEYS[2])", "2", "b", "{b}2"};
  const Argv writes = {"EVAL", "return redis.call('SET', KEYS[1], KEYS[2])", "2", "b", "{b}2"};
  const std::size_t blocked = Waits({"BLPOP", "{b}list", "0"});
  Migrate();
  AgreeOnMigrations();
  Agree(kSource, {{"GET", "b"},
                  reads,
                  {"GET", "{x}"},
                  {"CLUSTER", "MIGRATESLOTS", "SLOTSRANGE", kSlot, kSlot, "NODE", ids_[kTarget]}});
  Agree(kTarget, {{"GET", "b"},
                  {"CLUSTER", "COUNTKEYSINSLOT", kSlot},
                  {"DBSIZE"},
                  {"CLUSTER", "SETSLOT", "7", "IMPORTING", ids_[kSource]}});
  EXPECT_EQ(pair_->CallBlocking(kSource, {"PING"}, blocked), kSilence);
  const std::vector<std::size_t> waiting = {
      Waits({"SET", "b", "late"}),      Waits(writes),
      Waits({"LPUSH", "{b}list", "x"}), Waits({"EVAL", "return 1", "0"}),
      Waits({"SET", "bar", "v"}),       Waits({"CLUSTER", "SETSLOT", "7", "STABLE"})};
  LetRealClaim(true);
  ASSERT_TRUE(pair_->AwaitReal(kSource, kListMigrations, "\"success\""));
  EXPECT_FALSE(shards_->EndMigration());
  AgreeOnMigrations();
  EXPECT_EQ(pair_->Read(kSource, blocked), Moved());
  EXPECT_EQ(pair_->Read(kSource, blocked), "PONG");
  EXPECT_EQ(pair_->Read(kSource, waiting[0]), Moved());
  EXPECT_EQ(pair_->Read(kSource, waiting[1]), Moved());
  EXPECT_EQ(pair_->Read(kSource, waiting[2]), Moved());
  EXPECT_EQ(pair_->Read(kSource, waiting[3]), "(integer) 1");
  EXPECT_EQ(pair_->Read(kSource, waiting[4]), "OK") << "its slot stays";
  EXPECT_EQ(pair_->Read(kSource, waiting[5]), "OK");
  Agree(kSource, {{"GET", "b"},
                  {"SET", "b", "late"},
                  reads,
                  writes,
                  {"DBSIZE"},
                  {"CLUSTER", "COUNTKEYSINSLOT", kSlot},
                  {"CLUSTER", "CANCELSLOTMIGRATIONS"}});
  Agree(kTarget, {{"GET", "b"}, {"EXPIRETIME", "b"}, {"PTTL", "{b}2"}, {"DBSIZE"}, reads, writes});
  EXPECT_EQ(pair_->Await(kOther, {"GET", "b"}, Moved()), Moved());
}

TEST_F(SlotMigrationDifferentialTest, AClaimThatComesTooLateTakesBackWhatWasAcknowledged) {
  pair_->TellReal(kSource, {"CONFIG", "SET", "cluster-manual-failover-timeout", "1000"});
  Migrate(true);
  // The real source sleeps from before the claim until its pause of 2 s is over; then it meets the
  // write first. The fake one has let its pause run out.
  const std::size_t writer = pair_->Connect(kSource);
  const std::size_t watcher = pair_->Connect(kSource);
  ASSERT_TRUE(pair_->real(kSource).Post({"DEBUG", "SLEEP", "2.4"}).ok());
  const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(2);
  while (pair_->CallBlocking(kSource, {"PING"}, watcher) == "PONG") {
    ASSERT_LT(std::chrono::steady_clock::now(), limit) << "it does not sleep";
  }
  pair_->Send(kSource, {"SET", "b", "acknowledged"}, writer);
  LetRealClaim(true);
  ASSERT_TRUE(pair_->AwaitReal(kTarget, kListMigrations, "\"success\""));
  EXPECT_EQ(pair_->Read(kSource, writer), "OK");
  EXPECT_TRUE(shards_->EndMigration());
  EXPECT_EQ(pair_->Await(kSource, {"GET", "b"}, Moved()), Moved());
  EXPECT_EQ(pair_->Call(kTarget, {"GET", "b"}), "\"old\"");
  Agree(kSource, {{"DBSIZE"}, {"CLUSTER", "COUNTKEYSINSLOT", kSlot}});
  AgreeOnMigrations();
}

TEST_F(SlotMigrationDifferentialTest, AMigrationThatIsCancelledLeavesTheSlotWhereItIs) {
  const std::size_t blocked = Waits({"BLPOP", "{b}list", "0"});
  Migrate();
  const std::size_t writer = Waits({"SET", "b", "new"});
  EXPECT_EQ(pair_->Call(kSource, {"CLUSTER", "CANCELSLOTMIGRATIONS"}), "OK");
  EXPECT_EQ(pair_->Read(kSource, writer), "OK");
  ASSERT_TRUE(pair_->AwaitReal(kTarget, kListMigrations, "\"failed\""));
  EXPECT_FALSE(shards_->EndMigration());
  AgreeOnMigrations();
  Agree(kSource, {{"GET", "b"}, {"DBSIZE"}, {"RPUSH", "{b}list", "x"}});
  EXPECT_FALSE(pair_->Read(kSource, blocked).starts_with("real: "));
  Agree(kTarget, {{"GET", "b"}, {"DBSIZE"}});
}

class ReshardDifferentialTest : public ClusterDifferentialTest {
 protected:
  /// Two keys of the slot, one of which moves.
  void BeginMove() {
    Agree(kSource, {{"SET", "b", "v"}, {"SET", "{b}2", "w"}});
    SetSlot(kTarget, "IMPORTING", kSource);
    SetSlot(kSource, "MIGRATING", kTarget);
    shards_->BeginMove(AsOperator());
    const bool first = shards_->OwnerOf("b") == static_cast<int>(kTarget);
    gone_ = first ? "b" : "{b}2";
    left_ = first ? "{b}2" : "b";
    MoveKey(gone_);
    script_ = {"EVAL", "return redis.call('GET', KEYS[1])", "2", gone_, left_};
  }
  void EndMove() {
    MoveKey(left_);
    SetSlot(kTarget, "NODE", kTarget);
    SetSlot(kSource, "NODE", kTarget);
    EXPECT_TRUE(shards_->EndMove(AsOperator()));
  }

  std::string gone_;
  std::string left_;
  Argv script_;  // Reads the one, and names both.

 private:
  void SetSlot(std::size_t node, const std::string& action, std::size_t other) {
    pair_->TellReal(node, {"CLUSTER", "SETSLOT", kSlot, action, ids_[other]});
  }
  void MoveKey(const std::string& key) {
    pair_->TellReal(
        kSource, {"MIGRATE", "127.0.0.1", std::to_string(pair_->port(kTarget)), key, "0", "5000"});
  }
};

TEST_F(ReshardDifferentialTest, TheSourceAsksForKeysThatHaveMoved) {
  BeginMove();
  Agree(kSource, {{"GET", gone_},
                  {"GET", left_},
                  {"MGET", gone_, left_},
                  {"SET", gone_, "x"},
                  {"SET", "{b}new", "x"},
                  {"BLPOP", "{b}list", "0"},
                  {"BLPOP", left_, "{b}list", "0"},
                  script_,
                  {"EVAL", "return redis.call('GET', KEYS[1])", "1", left_},
                  {"EVAL", "return redis.call('GET', ARGV[1])", "1", left_, gone_},
                  {"EVAL", "return redis.call('GET', ARGV[1])", "0", left_},
                  {"MULTI"},
                  {"GET", left_},
                  {"GET", gone_},
                  {"EXEC"},
                  {"MULTI"},
                  {"GET", gone_},
                  {"EXEC"},
                  {"MULTI"},
                  {"MGET", left_, gone_},
                  {"EXEC"},
                  {"MULTI"},
                  {"GET", "x"},
                  {"EXEC"},
                  {"GET", "{b}new"}});
}

TEST_F(ReshardDifferentialTest, TheTargetServesWhoeverIsAsking) {
  BeginMove();
  Agree(kTarget, {{"GET", gone_},
                  {"ASKING"},
                  {"GET", gone_},
                  {"GET", gone_},
                  {"ASKING"},
                  {"GET", left_},
                  {"ASKING"},
                  {"MGET", gone_, left_},
                  {"ASKING"},
                  script_,
                  {"ASKING"},
                  {"SET", gone_, "y"},
                  {"ASKING"},
                  {"MULTI"},
                  {"GET", gone_},
                  {"EXEC"},
                  {"ASKING"},
                  {"MULTI"},
                  {"GET", left_},
                  {"MGET", gone_, left_},
                  {"EXEC"},
                  {"MULTI"},
                  {"ASKING"},
                  {"GET", gone_},
                  {"EXEC"},
                  {"DBSIZE"},
                  {"CLUSTER", "COUNTKEYSINSLOT", kSlot}});
  Agree(kOther, {{"GET", gone_}, {"ASKING"}, {"GET", gone_}, {"MGET", gone_, "x"}});
}

TEST_F(ReshardDifferentialTest, ABlockedClientWaitsUntilTheSlotHasMoved) {
  const std::size_t blocked = Waits({"BLPOP", "{b}list", "0"});
  BeginMove();
  EXPECT_EQ(pair_->CallBlocking(kSource, {"PING"}, blocked), kSilence);
  EndMove();
  EXPECT_EQ(pair_->Read(kSource, blocked), Moved());
  Agree(kSource, {{"GET", gone_}, {"MGET", gone_, left_}, script_, {"DBSIZE"}});
  Agree(kTarget, {{"MGET", gone_, left_}, script_, {"DBSIZE"}});
  EXPECT_EQ(pair_->Await(kOther, {"GET", "b"}, Moved()), Moved());
}

}  // namespace
}  // namespace interlock::testing
