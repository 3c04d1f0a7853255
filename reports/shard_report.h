// SPDX-License-Identifier: MIT
//
// What one shard of a campaign ran, block by block (schema interlock.shard/1): enough for whoever
// merges the shards to prove that nothing is missing or double, and to reach the verdicts that one
// process alone would have reached.
//
// Guarantee: equal data gives equal bytes; what ToJson wrote is read back equal. Reading takes any
// bytes and never throws (but for memory). Thread safety: values, pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reports/json_writer.h"
#include "reports/run_report.h"

namespace interlock::reports {

inline constexpr std::string_view kShardSchema = "interlock.shard/1";

struct ShardProperty {
  std::string property;  ///< the slug
  std::uint64_t exercised = 0;
  std::uint64_t violating_runs = 0;
  std::vector<std::uint64_t> violations;  ///< indices of the first few violating runs
  bool operator==(const ShardProperty&) const = default;
};

/// Consecutive runs of one lock in one scenario and class. Units: runs, unless the name says other.
struct ShardBlock {
  std::string lock;
  std::string scenario;
  SynchronyClass synchrony = SynchronyClass::kNone;
  std::uint64_t first = 0;
  std::uint64_t runs = 0;
  std::uint64_t runs_with_faults = 0;
  std::uint64_t commands = 0;
  std::uint64_t double_runs = 0;
  std::uint64_t divergences = 0;
  std::uint64_t inconclusive = 0;
  std::string first_inconclusive;
  std::int64_t virtual_ns = 0;
  std::uint64_t hash = 0;
  std::vector<ShardProperty> properties;  ///< those with a number above 0
  std::vector<std::pair<std::string, std::uint64_t>> goals;
  std::vector<std::pair<std::string, std::uint64_t>> struck;  ///< runs in which a fault took effect
  std::vector<std::pair<std::string, std::uint64_t>> stories;
  std::uint64_t updates = 0;       ///< that guarded resources accepted
  std::uint64_t lost_updates = 0;  ///< those of them that another write has wiped out
  bool operator==(const ShardBlock&) const = default;
};

/// The exhaustive exploration of one lock.
struct ShardExploration {
  std::string lock;
  bool complete = false;
  std::uint64_t states = 0;
  std::uint64_t runs = 0;
  std::uint64_t divergences = 0;
  std::string inconclusive;
  std::vector<std::pair<std::string, std::uint64_t>> exercised;  ///< by slug; those above 0
  std::vector<std::string> reductions;
  // Of its violation, if `violated` is not empty.
  std::string violated;  ///< the slug
  std::string what;
  std::string token;
  bool operator==(const ShardExploration&) const = default;
};

struct ShardReport {
  ToolInfo tool;
  // What was asked for: the same for all shards of a campaign.
  std::uint64_t seed = 0;
  std::uint64_t runs = 0;  ///< 0: the scenarios' shares
  std::uint64_t least_hunt = 0;
  bool explores = false;  ///< each lock is explored, too
  std::string strategy;
  std::string lock;      ///< pattern
  std::string scenario;  ///< pattern
  // Which part of it this is.
  std::uint64_t index = 0;  ///< from 0
  std::uint64_t total = 1;
  RunStatus status = RunStatus::kComplete;
  std::vector<ShardBlock> blocks;
  std::vector<ShardExploration> explorations;
};

std::string ToJson(const ShardReport& report);

// What a process that runs blocks for another one is asked, and what it answers: a line of JSON
// each, here without its end.

struct BlockRequest {
  std::string lock;
  std::string scenario;
  SynchronyClass synchrony = SynchronyClass::kNone;
  std::uint64_t seed = 1;
  std::string strategy;  ///< empty: the portfolio
  std::uint64_t first = 0;
  std::uint64_t count = 0;
  bool operator==(const BlockRequest&) const = default;
};

std::string ToLine(const BlockRequest& request);
std::string ToLine(const ShardBlock& answer);
/// The answer that there is none.
std::string RefusalLine(std::string_view why);
[[nodiscard]] ReadResult<BlockRequest> ReadBlockRequest(std::string_view line);
/// The error is what was refused and why, or what cannot be read.
[[nodiscard]] ReadResult<ShardBlock> ReadBlockAnswer(std::string_view line);

/// The error says where and what, on one line.
[[nodiscard]] ReadResult<ShardReport> ReadShardReport(std::string_view json);

}  // namespace interlock::reports
