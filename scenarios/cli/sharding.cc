// SPDX-License-Identifier: MIT
#include "scenarios/cli/sharding.h"
#include "scenarios/cli/values.h"

#include <optional>
#include <string_view>
#include <vector>

#include <fmt/format.h>

namespace interlock::scenarios::cli {
namespace {

constexpr std::uint64_t kMostShards = 1'000'000;

struct Pair {
  const char* index;
  const char* total;
  std::uint64_t base;
};

Result<Shard> MakeShard(std::string_view index, std::string_view total, std::uint64_t base,
                        const std::string& source) {
  const auto number = ParseNumber(index);
  const auto count = ParseNumber(total);
  if (!number || !count || *number < base || *number - base >= *count || *count > kMostShards) {
    return Invalid(fmt::format("{}: \"{}\" of \"{}\" is not a shard; they are numbered from {}",
                               source, index, total, base));
  }
  return Shard{*number - base, *count};
}

Result<ShardChoice> FromOption(const std::string& option) {
  const std::size_t slash = option.find('/');
  if (slash == std::string::npos) {
    return Invalid(fmt::format("--shard {}: use i/n, such as 2/4", option));
  }
  const auto shard = MakeShard(option.substr(0, slash), option.substr(slash + 1), 1, "--shard");
  if (!shard.ok()) return shard.status();
  return ShardChoice{*shard, "--shard"};
}

/// nullopt if neither is set.
Result<std::optional<ShardChoice>> FromPair(const Pair& pair, const Variables& variables) {
  const char* index = variables(pair.index);
  const char* total = variables(pair.total);
  if (index == nullptr && total == nullptr) return std::optional<ShardChoice>();
  const std::string source = fmt::format("{} and {}", pair.index, pair.total);
  if (index == nullptr || total == nullptr) {
    // GitLab sets the total, to 1, even for jobs that are not parallel.
    if (index == nullptr && std::string_view(total) == "1") return std::optional<ShardChoice>();
    return Invalid(fmt::format("{} is set, {} is not: which shard of how many?",
                               index != nullptr ? pair.index : pair.total,
                               index != nullptr ? pair.total : pair.index));
  }
  const auto shard = MakeShard(index, total, pair.base, source);
  if (!shard.ok()) return shard.status();
  return std::optional<ShardChoice>({*shard, source});
}

std::vector<Pair> PairsOf(const Variables& variables) {
  const bool kubernetes = variables("JOB_COMPLETION_INDEX") != nullptr;
  const bool own = variables("INTERLOCK_SHARD_INDEX") != nullptr || !kubernetes;
  std::vector<Pair> pairs;
  if (own) pairs.push_back({"INTERLOCK_SHARD_INDEX", "INTERLOCK_SHARD_TOTAL", 0});
  const std::uint64_t gitlab = variables("GITLAB_CI") != nullptr ? 1 : 0;
  pairs.insert(pairs.end(), {{"TEST_SHARD_INDEX", "TEST_TOTAL_SHARDS", 0},
                             {"GTEST_SHARD_INDEX", "GTEST_TOTAL_SHARDS", 0},
                             {"CI_NODE_INDEX", "CI_NODE_TOTAL", gitlab},
                             {"CIRCLE_NODE_INDEX", "CIRCLE_NODE_TOTAL", 0},
                             {"BUILDKITE_PARALLEL_JOB", "BUILDKITE_PARALLEL_JOB_COUNT", 0},
                             {"BITBUCKET_PARALLEL_STEP", "BITBUCKET_PARALLEL_STEP_COUNT", 0},
                             {"SEMAPHORE_JOB_INDEX", "SEMAPHORE_JOB_COUNT", 1}});
  if (kubernetes) pairs.push_back({"JOB_COMPLETION_INDEX", "INTERLOCK_SHARD_TOTAL", 0});
  return pairs;
}

}  // namespace

Result<ShardChoice> ChooseShard(const std::string& option, const Variables& variables) {
  ShardChoice chosen;
  if (!option.empty()) {
    Result<ShardChoice> given = FromOption(option);
    if (!given.ok()) return given;
    chosen = *given;
  }
  for (const Pair& pair : PairsOf(variables)) {
    const auto found = FromPair(pair, variables);
    if (!found.ok()) return found.status();
    if (!found->has_value()) continue;
    if (chosen.source.empty()) {
      chosen = **found;
    } else if ((*found)->shard != chosen.shard) {
      return Invalid(fmt::format("{} and {} disagree about the shard; unset one of them",
                                 chosen.source, (*found)->source));
    }
  }
  return chosen;
}

}  // namespace interlock::scenarios::cli
