// SPDX-License-Identifier: MIT
//
// What a campaign explores exhaustively for each lock, beside its random runs, and the verdicts.
//
// Determinism: a function of the lock alone; no seed, no thread, no time. An exploration that
// exceeds kMostExploredStates is cut off, without a verdict. Thread safety: pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/search/campaign.h"
#include "scenarios/search/explore/exhaustive.h"

namespace interlock::scenarios {

/// More than twice what any of our locks has; a user's lock must not delay its verdict for long.
inline constexpr std::uint64_t kMostExploredStates = 60'000;

struct LockExploration {
  const Entry* entry = nullptr;
  ExploreOptions options;      ///< their bounds are each of `bounds` in turn
  std::vector<Bounds> bounds;  ///< at least one
  std::string_view why_less;   ///< why a budget is 0; empty: none is
};

/// The smallest violation.
struct ExploredViolation {
  Judged property = Judged::kServerExclusion;
  std::string what;
  std::string token;  ///< of its run
};

struct ExplorationSum : reports::ExplorationCounts {
  PerJudged<std::uint64_t> exercised;
  std::optional<ExploredViolation> violation;
  std::string left_out;  ///< why it was not made; empty: it was
};

/// One exploration per entry that is not a specimen, if its scenario is among the options':
/// "chaos", or "quorum-chaos" for a quorum lock.
std::vector<LockExploration> ExplorationsOf(const CampaignOptions& options);

ExplorationSum Explore(const LockExploration& exploration, const std::atomic<bool>* stop);

/// The verdict on a property that it looked for. A foreign lock may be too large to explore.
reports::ResultRow RowOf(const LockExploration& exploration, const ExplorationSum& sum,
                         Judged property);
/// The row of its crash.
reports::ResultRow CrashRow(const LockExploration& exploration, const ExplorationSum& sum);
/// What a run of it showed. `token` may be empty, if it is not known which.
Found FoundBy(const LockExploration& exploration, Judged property, const std::string& token);

/// An exploration is never split between shards.
bool InShard(const LockExploration& exploration, const Shard& shard);

}  // namespace interlock::scenarios
