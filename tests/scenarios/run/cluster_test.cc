// SPDX-License-Identifier: MIT
//
// A lock over a Redis Cluster: what its keys must be, and what a lock sees that is a cluster client
// itself. Each runs in the scenario "cluster".
#include <atomic>
#include <initializer_list>
#include <memory>
#include <set>
#include <span>
#include <string>

#include <gtest/gtest.h>

#include "scenarios/cases/generators.h"
#include "scenarios/cases/strategies.h"
#include "scenarios/judge/property.h"
#include "scenarios/locks/specimen.h"
#include "scenarios/locks/specimens/recipe.h"
#include "scenarios/run/run.h"

namespace interlock::scenarios {
namespace {

struct Seen {
  std::set<std::string> codes;    ///< of violations
  PerJudged<int> exercised = {};  ///< runs
};

Seen RunsOf(const harness::Subject& subject, std::uint64_t runs) {
  const Scenario& scenario = *FindScenario("cluster");
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

/// Asks the first node, over a connection of its own.
Result<Reply> AskFirstNode(specimens::RedisClient& redis, std::span<const std::string_view> argv,
                           MonotonicTime deadline) {
  auto connection = redis.environment().nodes.front()->Connect(deadline);
  if (!connection.ok()) return connection.status();
  return (*connection)->Call(argv, deadline);
}

/// Asks the first node, and then the one that a MOVED names.
Result<Reply> Follow(specimens::RedisClient& redis, std::span<const std::string_view> argv,
                     std::atomic<int>& moved) {
  const MonotonicTime deadline = AddSaturating(redis.runtime().Now(), redis.socket_timeout());
  const Result<Reply> first = AskFirstNode(redis, argv, deadline);
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

/// A lock of somebody else, which is a cluster client of its own; one without ears for MOVED, too.
std::shared_ptr<const harness::Subject> OwnClient(bool follows, std::atomic<int>& moved) {
  const auto call = [follows, &moved](specimens::RedisClient& redis,
                                      std::initializer_list<std::string_view> words) {
    const std::span argv(words.begin(), words.size());
    if (redis.environment().cluster.empty()) return redis.Call(argv);
    if (follows) return Follow(redis, argv, moved);
    return AskFirstNode(redis, argv, AddSaturating(redis.runtime().Now(), redis.socket_timeout()));
  };
  const auto lock = [call](specimens::RedisClient& redis, specimens::Attempt& attempt) {
    const Result<Reply> set =
        call(redis, {"SET", attempt.key, attempt.token, "NX", "PX", specimens::Ms(attempt.lease)});
    if (!set.ok()) return set.status();
    if (set->IsError()) return Status(StatusCode::kProtocolError, set->text);
    return set->IsStatus("OK") ? Status() : Status(StatusCode::kNotAcquired, "taken");
  };
  const auto unlock = [call](specimens::RedisClient& redis, specimens::Attempt& attempt) {
    return specimens::ExpectInteger(
        call(redis, {"EVAL", kDeleteIfItsOwn, "1", attempt.key, attempt.token}), 1,
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
  const Seen seen = RunsOf(*OwnClient(true, moved), 200);
  EXPECT_TRUE(seen.codes.empty()) << *seen.codes.begin();
  EXPECT_GT(seen.exercised[Judged::kServerExclusion], 0);
  EXPECT_GT(moved, 0) << "the key is the first node's";
}

TEST(ClusterTest, ALockThatIgnoresMovedIsConvicted) {
  std::atomic<int> moved = 0;
  const Seen seen = RunsOf(*OwnClient(false, moved), 20);
  ASSERT_FALSE(seen.codes.empty());
  EXPECT_TRUE(seen.codes.begin()->starts_with("LK010")) << *seen.codes.begin();
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
