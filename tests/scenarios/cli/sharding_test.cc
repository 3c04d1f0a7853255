// SPDX-License-Identifier: MIT
//
// Which shard a process takes itself for: every convention that is understood, and every
// contradiction that is refused.
#include "scenarios/cli/sharding.h"

#include <map>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace interlock::scenarios::cli {
namespace {

using ::testing::HasSubstr;
using Environment = std::map<std::string, std::string>;

Result<ShardChoice> Choose(const std::string& option, const Environment& environment) {
  return ChooseShard(option, [&](const char* name) -> const char* {
    const auto found = environment.find(name);
    return found == environment.end() ? nullptr : found->second.c_str();
  });
}

void ExpectShard(const std::string& option, const Environment& environment, Shard expected,
                 const std::string& source) {
  const auto chosen = Choose(option, environment);
  ASSERT_TRUE(chosen.ok()) << chosen.status().message();
  EXPECT_EQ(chosen->shard.index, expected.index) << source;
  EXPECT_EQ(chosen->shard.total, expected.total) << source;
  EXPECT_THAT(chosen->source, HasSubstr(source));
}

void ExpectRefusal(const std::string& option, const Environment& environment,
                   const std::string& reason) {
  const auto chosen = Choose(option, environment);
  ASSERT_FALSE(chosen.ok()) << chosen->source;
  EXPECT_EQ(chosen.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(chosen.status().message(), HasSubstr(reason));
}

TEST(ShardingTest, NothingSetIsNoShard) {
  ExpectShard("", {}, {0, 1}, "");
  EXPECT_TRUE(Choose("", {})->source.empty());
}

TEST(ShardingTest, TheOptionCountsFromOne) {
  ExpectShard("1/4", {}, {0, 4}, "--shard");
  ExpectShard("4/4", {}, {3, 4}, "--shard");
  for (const char* bad : {"0/4", "5/4", "1/0", "1", "/", "1/", "a/2", "1/2/3", "-1/2", "1/ 2"}) {
    ExpectRefusal(bad, {}, "--shard");
  }
}

TEST(ShardingTest, EachConventionHasItsBase) {
  ExpectShard("", {{"INTERLOCK_SHARD_INDEX", "2"}, {"INTERLOCK_SHARD_TOTAL", "4"}}, {2, 4},
              "INTERLOCK_SHARD_INDEX");
  ExpectShard("", {{"TEST_SHARD_INDEX", "0"}, {"TEST_TOTAL_SHARDS", "4"}}, {0, 4},
              "TEST_TOTAL_SHARDS");
  ExpectShard("", {{"GTEST_SHARD_INDEX", "3"}, {"GTEST_TOTAL_SHARDS", "4"}}, {3, 4}, "GTEST");
  ExpectShard("", {{"GITLAB_CI", "true"}, {"CI_NODE_INDEX", "1"}, {"CI_NODE_TOTAL", "3"}}, {0, 3},
              "CI_NODE_INDEX");
  ExpectShard("", {{"CI_NODE_INDEX", "1"}, {"CI_NODE_TOTAL", "3"}}, {1, 3}, "CI_NODE_INDEX");
  ExpectShard("", {{"CIRCLE_NODE_INDEX", "1"}, {"CIRCLE_NODE_TOTAL", "2"}}, {1, 2}, "CIRCLE");
  ExpectShard("", {{"BUILDKITE_PARALLEL_JOB", "1"}, {"BUILDKITE_PARALLEL_JOB_COUNT", "2"}}, {1, 2},
              "BUILDKITE");
  ExpectShard("", {{"BITBUCKET_PARALLEL_STEP", "1"}, {"BITBUCKET_PARALLEL_STEP_COUNT", "2"}},
              {1, 2}, "BITBUCKET");
  ExpectShard("", {{"SEMAPHORE_JOB_INDEX", "1"}, {"SEMAPHORE_JOB_COUNT", "2"}}, {0, 2},
              "SEMAPHORE");
  ExpectShard("", {{"JOB_COMPLETION_INDEX", "1"}, {"INTERLOCK_SHARD_TOTAL", "5"}}, {1, 5},
              "JOB_COMPLETION_INDEX");
}

TEST(ShardingTest, AJobOfGitLabThatIsNotParallelIsNoShard) {
  ExpectShard("", {{"GITLAB_CI", "true"}, {"CI_NODE_TOTAL", "1"}}, {0, 1}, "");
  ExpectRefusal("", {{"GITLAB_CI", "true"}, {"CI_NODE_TOTAL", "2"}}, "CI_NODE_INDEX is not");
}

TEST(ShardingTest, HalfOfAPairIsRefused) {
  ExpectRefusal("", {{"INTERLOCK_SHARD_INDEX", "1"}}, "INTERLOCK_SHARD_TOTAL is not");
  ExpectRefusal("", {{"INTERLOCK_SHARD_TOTAL", "3"}}, "INTERLOCK_SHARD_INDEX is not");
  ExpectRefusal("", {{"TEST_SHARD_INDEX", "1"}}, "TEST_TOTAL_SHARDS is not");
  ExpectRefusal("", {{"JOB_COMPLETION_INDEX", "0"}}, "INTERLOCK_SHARD_TOTAL is not");
}

TEST(ShardingTest, AnIndexBeyondTheTotalIsRefused) {
  ExpectRefusal("", {{"TEST_SHARD_INDEX", "4"}, {"TEST_TOTAL_SHARDS", "4"}}, "is not a shard");
  ExpectRefusal("", {{"GITLAB_CI", "1"}, {"CI_NODE_INDEX", "0"}, {"CI_NODE_TOTAL", "4"}},
                "numbered from 1");
}

TEST(ShardingTest, SourcesMustAgree) {
  const Environment bazel = {{"TEST_SHARD_INDEX", "1"}, {"TEST_TOTAL_SHARDS", "4"}};
  ExpectShard("2/4", bazel, {1, 4}, "--shard");
  ExpectRefusal("1/4", bazel, "--shard and TEST_SHARD_INDEX and TEST_TOTAL_SHARDS disagree");
  Environment both = bazel;
  both["CI_NODE_INDEX"] = "2";
  both["CI_NODE_TOTAL"] = "4";
  ExpectRefusal("", both, "disagree");
  ExpectRefusal("",
                {{"JOB_COMPLETION_INDEX", "1"},
                 {"INTERLOCK_SHARD_INDEX", "0"},
                 {"INTERLOCK_SHARD_TOTAL", "2"}},
                "disagree");
}

}  // namespace
}  // namespace interlock::scenarios::cli
