// SPDX-License-Identifier: MIT
//
// A lock over a Redis Cluster: what its keys must be, and what a lock sees that is a cluster client
// itself. Each runs in the scenario "cluster", or in one of a cluster that changes.
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "scenarios/cases/generators.h"
#include "scenarios/cases/strategies.h"
#include "scenarios/judge/property.h"
#include "scenarios/locks/specimen.h"
#include "scenarios/locks/specimens/recipe.h"
#include "scenarios/run/run.h"
#include "sim/redis/cluster_view.h"

namespace interlock::scenarios {
namespace {

struct Seen {
  std::set<std::string> codes;    ///< of violations
  PerJudged<int> exercised = {};  ///< runs
};

constexpr std::string_view kReshard = "cluster-reshard";
constexpr std::string_view kShardFailover = "cluster-shard-failover";

Seen RunsOf(const harness::Subject& subject, std::uint64_t runs,
            std::string_view name = "cluster") {
  const Scenario& scenario = *FindScenario(name);
  const RunCase run_case{&subject, &scenario, scenario.classes.front()};
  const Generator generator(scenario, ExtrasOf(subject.traits()));
  sim::Universe universe;
  Seen seen;
  for (std::uint64_t seed = 0; seed < runs; ++seed) {
    sim::Choices choices = ChoicesOfRun(seed);
    const RunResult run = RunOnce(universe, run_case, generator.Draw(seed), choices);
    EXPECT_EQ(run.inconclusive.value_or(""), "") << seed;
    for (const Violation& violation : run.violations) {
      seen.codes.insert(std::string(Code(violation.property)) + " " + violation.what);
    }
    for (const Judged property : kAllJudged) {
      if (run.exercised[property]) ++seen.exercised[property];
    }
  }
  return seen;
}

// Whatever they do with several keys is done by one node.
TEST(ClusterTest, OurLocksPromiseItAndHoldIt) {
  int judged = 0;
  for (const auto& subject : SoundSubjects()) {
    if (!subject->traits().cluster) continue;
    SCOPED_TRACE(subject->name());
    const Seen seen = RunsOf(*subject, 60);
    EXPECT_TRUE(seen.codes.empty()) << *seen.codes.begin();
    EXPECT_GT(seen.exercised[Judged::kSpuriousRefusal], 0);
    ++judged;
  }
  EXPECT_GE(judged, 10);
}

/// Asks the node, over a connection of its own.
Result<Reply> AskNode(specimens::RedisClient& redis, std::size_t node,
                      std::span<const std::string_view> argv, MonotonicTime deadline) {
  auto connection = redis.environment().nodes[node]->Connect(deadline);
  if (!connection.ok()) return connection.status();
  return (*connection)->Call(argv, deadline);
}

/// Asks the first node, and then the one that a MOVED names.
Result<Reply> Follow(specimens::RedisClient& redis, std::span<const std::string_view> argv,
                     std::atomic<int>& moved) {
  const MonotonicTime deadline = AddSaturating(redis.runtime().Now(), redis.socket_timeout());
  const Result<Reply> first = AskNode(redis, 0, argv, deadline);
  if (!first.ok() || !first->IsError() || !first->text.starts_with("MOVED ")) return first;
  ++moved;
  const std::string address = first->text.substr(first->text.rfind(' ') + 1);
  for (const NodeAddress& node : redis.environment().cluster) {
    if (node.ToString() != address) continue;
    auto connection = redis.environment().connect(node, deadline);
    if (!connection.ok()) return connection.status();
    return (*connection)->Call(argv, deadline);
  }
  return Status(StatusCode::kUnavailable, "nobody is at " + address);
}

constexpr std::string_view kDeleteIfItsOwn =
    "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0";

/// Whom a lock of somebody else asks, which is a cluster client of its own.
enum class Asks : std::uint8_t {
  kFollowsMoves,  ///< the first node, and then the one that a MOVED names
  kFirst,         ///< the first node
  kConfigured,    ///< the node that had the slot when the lock was configured
};

std::shared_ptr<const harness::Subject> OwnClient(Asks asks, std::atomic<int>& moved) {
  const auto call = [asks, &moved](specimens::RedisClient& redis, std::string_view key,
                                   std::initializer_list<std::string_view> words) {
    const std::span argv(words.begin(), words.size());
    const auto& nodes = redis.environment().nodes;
    if (redis.environment().cluster.empty()) return redis.Call(argv);
    if (asks == Asks::kFollowsMoves) return Follow(redis, argv, moved);
    const std::size_t had = sim::redis::KeySlot(key) * nodes.size() / sim::redis::kSlots;
    return AskNode(redis, asks == Asks::kFirst ? 0 : had, argv,
                   AddSaturating(redis.runtime().Now(), redis.socket_timeout()));
  };
  const auto lock = [call](specimens::RedisClient& redis, specimens::Attempt& attempt) {
    const Result<Reply> set =
        call(redis, attempt.key,
             {"SET", attempt.key, attempt.token, "NX", "PX", specimens::Ms(attempt.lease)});
    if (!set.ok()) return set.status();
    if (set->IsError()) return Status(StatusCode::kProtocolError, set->text);
    return set->IsStatus("OK") ? Status() : Status(StatusCode::kNotAcquired, "taken");
  };
  const auto unlock = [call](specimens::RedisClient& redis, specimens::Attempt& attempt) {
    return specimens::ExpectInteger(
        call(redis, attempt.key, {"EVAL", kDeleteIfItsOwn, "1", attempt.key, attempt.token}), 1,
        StatusCode::kNotOwner);
  };
  return specimens::MakeLock({.name = "test/own-cluster-client",
                              .summary = "asks one node, and then another one",
                              .traits = {.cluster = true},
                              .lock = lock,
                              .unlock = unlock});
}

TEST(ClusterTest, AForeignLockThatFollowsMovedIsAcquitted) {
  std::atomic<int> moved = 0;
  const Seen seen = RunsOf(*OwnClient(Asks::kFollowsMoves, moved), 200);
  EXPECT_TRUE(seen.codes.empty()) << *seen.codes.begin();
  EXPECT_GT(seen.exercised[Judged::kServerExclusion], 0);
  EXPECT_GT(moved, 0) << "the key is the first node's";
}

TEST(ClusterTest, ALockThatIgnoresMovedIsConvicted) {
  std::atomic<int> moved = 0;
  const Seen seen = RunsOf(*OwnClient(Asks::kFirst, moved), 20);
  ASSERT_FALSE(seen.codes.empty());
  EXPECT_TRUE(seen.codes.begin()->starts_with("LK010")) << *seen.codes.begin();
}

TEST(ClusterTest, ALockThatDoesNotLearnThatItsSlotHasMovedIsConvictedOnlyIfItDoes) {
  std::atomic<int> moved = 0;
  const auto lock = OwnClient(Asks::kConfigured, moved);
  EXPECT_TRUE(RunsOf(*lock, 100).codes.empty());
  const Seen seen = RunsOf(*lock, 100, kReshard);
  ASSERT_FALSE(seen.codes.empty());
  EXPECT_TRUE(seen.codes.begin()->starts_with("LK011"))
      << "it cannot give back what it holds: " << *seen.codes.begin();
}

TEST(ClusterTest, AGrantThatItsReplicaHasNotHeardOfIsGivenAgainAfterAFailover) {
  for (const auto& subject : SoundSubjects()) {
    if (subject->name() != "mutex") continue;
    const Seen seen = RunsOf(*subject, 600, kShardFailover);
    ASSERT_FALSE(seen.codes.empty());
    EXPECT_TRUE(seen.codes.begin()->starts_with("LK001")) << *seen.codes.begin();
  }
}

TEST(ClusterTest, SlotsThatMoveAtOnceExistOnValkeyAlone) {
  const harness::Traits traits{.cluster = true};
  EXPECT_FALSE(Applies(*FindScenario("cluster-slot-migration"), traits));
  EXPECT_TRUE(Applies(*FindScenario("cluster-slot-migration@valkey-9.1"), traits));
  EXPECT_FALSE(Applies(*FindScenario("cluster-late-claim@valkey-8.1"), traits));
}

TEST(ClusterTest, OurLocksExcludeWhileSlotsMoveAtOnceUnlessTheClaimComesTooLate) {
  for (const auto& subject : SoundSubjects()) {
    if (!subject->traits().cluster) continue;
    SCOPED_TRACE(subject->name());
    const Seen seen = RunsOf(*subject, 60, "cluster-slot-migration@valkey-9.1");
    EXPECT_TRUE(seen.codes.empty()) << *seen.codes.begin();
    if (subject->name() != "mutex") continue;
    const Seen late = RunsOf(*subject, 600, "cluster-late-claim@valkey-9.1");
    ASSERT_FALSE(late.codes.empty());
    EXPECT_TRUE(late.codes.begin()->starts_with("LK001")) << *late.codes.begin();
  }
}

TEST(ClusterTest, ALockOfTwoKeysWithoutAHashTagIsConvicted) {
  for (const Specimen& specimen : Specimens()) {
    if (specimen.subject->name() != "broken/no-hash-tag") continue;
    const Seen seen = RunsOf(*specimen.subject, 20);
    ASSERT_FALSE(seen.codes.empty());
    EXPECT_TRUE(seen.codes.begin()->starts_with("LK010")) << *seen.codes.begin();
    return;
  }
  FAIL() << "there is no such specimen";
}

TEST(ClusterTest, WhoPromisesNothingOfClustersIsNotJudgedThere) {
  const Scenario& scenario = *FindScenario("cluster");
  EXPECT_FALSE(Applies(scenario, {}));
  EXPECT_TRUE(Applies(scenario, {.cluster = true}));
  EXPECT_FALSE(Applies(scenario, {.quorum = true, .cluster = true}));
}

}  // namespace
}  // namespace interlock::scenarios
