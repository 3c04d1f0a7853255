// SPDX-License-Identifier: MIT
//
// The runs of one shard of a campaign, block by block (schema interlock.shard/1): enough for the
// merge of all shards to prove that nothing is missing or duplicated, and to reach the verdicts
// that a single process would have reached.
//
// Guarantee: equal data gives equal bytes; what ToJson wrote is read back equal. Reading takes any
// bytes and never throws (except for lack of memory). Thread safety: values, pure functions.
#pragma once

#include <cstdint>
#include <optional>
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
  std::vector<std::uint64_t> violations;  ///< indices of the first few of them
  bool operator==(const ShardProperty&) const = default;
};

/// A run that crashed its process or took too long.
struct ShardCrash {
  std::uint64_t index = 0;  ///< index of the run
  std::string what;         ///< "crashed (SIGSEGV)"
  bool hung = false;        ///< it did not end by itself and was killed
  std::string token;        ///< set for a run without an index; otherwise empty
  bool operator==(const ShardCrash&) const = default;
};

/// Totals over consecutive runs. Units: runs, unless the name says otherwise.
struct RunCounts {
  std::uint64_t runs = 0;
  std::uint64_t runs_with_faults = 0;
  std::uint64_t commands = 0;
  std::uint64_t double_runs = 0;
  std::uint64_t divergences = 0;
  std::uint64_t inconclusive = 0;
  std::string first_inconclusive;
  std::uint64_t hash = 0;
  bool endless = false;            ///< in the last of these runs a client kept asking endlessly
  std::uint64_t updates = 0;       ///< writes that guarded resources accepted
  std::uint64_t lost_updates = 0;  ///< those of them that another write has overwritten
  /// Variables of the program itself that the lock has changed, sorted; see program_statics.h.
  std::vector<std::string> shared_statics;
  std::optional<ShardCrash> crash;  ///< the crash of the run after these, which ended them
  bool operator==(const RunCounts&) const = default;
};

/// Consecutive runs of one lock in one scenario and class.
struct ShardBlock : RunCounts {
  std::string lock;
  std::string scenario;
  SynchronyClass synchrony = SynchronyClass::kNone;
  std::uint64_t first = 0;
  std::int64_t virtual_ns = 0;
  std::vector<ShardProperty> properties;  ///< those with a count above 0
  std::vector<std::pair<std::string, std::uint64_t>> goals;
  std::vector<std::pair<std::string, std::uint64_t>> struck;  ///< runs in which a fault took effect
  std::vector<std::pair<std::string, std::uint64_t>> stories;
  bool operator==(const ShardBlock&) const = default;
};

/// Totals of an exhaustive exploration.
struct ExplorationCounts {
  bool complete = false;
  std::uint64_t states = 0;
  std::uint64_t runs = 0;
  std::uint64_t divergences = 0;
  std::string inconclusive;  ///< why nothing can be said; empty: something can
  std::vector<std::string> reductions;
  std::optional<ShardCrash> crash;  ///< the crash that ended the exploration
  bool operator==(const ExplorationCounts&) const = default;
};

/// The exhaustive exploration of one lock.
struct ShardExploration : ExplorationCounts {
  std::string lock;
  std::vector<std::pair<std::string, std::uint64_t>> exercised;  ///< by slug; only counts above 0
  // Its violation; meaningful if `violated` is not empty.
  std::string violated;  ///< the slug
  std::string what;
  std::string token;
  bool operator==(const ShardExploration&) const = default;
};

struct ShardReport {
  ToolInfo tool;
  // The request, which is the same for all shards of a campaign.
  std::uint64_t seed = 0;
  std::uint64_t runs = 0;  ///< 0: as the scenarios' shares say
  std::uint64_t least_hunt = 0;
  bool explores = false;  ///< each lock is explored as well
  std::string strategy;
  std::string lock;      ///< pattern
  std::string scenario;  ///< pattern
  // The part of the campaign that this shard is.
  std::uint64_t index = 0;  ///< from 0
  std::uint64_t total = 1;
  RunStatus status = RunStatus::kComplete;
  std::vector<ShardBlock> blocks;
  std::vector<ShardExploration> explorations;
};

std::string ToJson(const ShardReport& report);

// Parts of a report, as a process that runs them for another one replies: one line of JSON, here
// without the newline. The error names the part that cannot be read.

std::string ToLine(const ShardBlock& block);
std::string ToLine(const ShardExploration& exploration);
[[nodiscard]] ReadResult<ShardBlock> ReadBlock(std::string_view line);
[[nodiscard]] ReadResult<ShardExploration> ReadExploration(std::string_view line);

/// The error says on one line where and what is wrong.
[[nodiscard]] ReadResult<ShardReport> ReadShardReport(std::string_view json);

}  // namespace interlock::reports
