// SPDX-License-Identifier: MIT
//
// Which shard of a campaign this process runs, from the option or from the variables that CI
// systems set. It is never guessed: half of a pair, a number beyond the total, or two sources that
// disagree are errors, because a shard that silently ran everything would be green everywhere and
// prove nothing about the split.
//
// In order of trust: --shard i/n (from 1) · INTERLOCK_SHARD_INDEX/_TOTAL (from 0) ·
// TEST_SHARD_INDEX, TEST_TOTAL_SHARDS (Bazel, 0) · GTEST_SHARD_INDEX, GTEST_TOTAL_SHARDS (0) ·
// CI_NODE_INDEX/_TOTAL (GitLab from 1, Knapsack from 0) · CIRCLE_NODE_INDEX/_TOTAL (0) ·
// BUILDKITE_PARALLEL_JOB/_JOB_COUNT (0) · BITBUCKET_PARALLEL_STEP/_STEP_COUNT (0) ·
// SEMAPHORE_JOB_INDEX/_COUNT (1) · JOB_COMPLETION_INDEX (Kubernetes, 0; it has no total, so
// INTERLOCK_SHARD_TOTAL is required).
#pragma once

#include <functional>
#include <string>

#include <interlock/result.h>

#include "scenarios/search/campaign.h"

namespace interlock::scenarios::cli {

struct ShardChoice {
  Shard shard;
  std::string source;  ///< "CI_NODE_INDEX and CI_NODE_TOTAL"; empty: nothing asks for shards
};

/// Null: not set.
using Variables = std::function<const char*(const char*)>;

/// `option` is the value of --shard, "" if not given. kInvalidArgument says what is wrong.
Result<ShardChoice> ChooseShard(const std::string& option, const Variables& variables);

}  // namespace interlock::scenarios::cli
