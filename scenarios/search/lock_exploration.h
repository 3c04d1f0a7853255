// SPDX-License-Identifier: MIT
//
// What a campaign explores of each lock exhaustively, beside its random runs, and what that says.
//
// Determinism: a function of the lock alone; no seed, no thread, no time. An exploration that does
// not end within kMostExploredStates is cut off there, and then no verdict. Thread safety: pure
// functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/search/campaign.h"
#include "scenarios/search/explore/exhaustive.h"

namespace interlock::scenarios {

/// None of our locks has half as many; a user's lock must not hold up its verdict for long.
inline constexpr std::uint64_t kMostExploredStates = 60'000;

struct LockExploration {
  const Entry* entry = nullptr;
  ExploreOptions options;      ///< their bounds are those of `bounds`, one after the other
  std::vector<Bounds> bounds;  ///< at least one
  std::string_view why_less;   ///< why a budget is 0; empty: none is
};

/// The smallest violation.
struct ExploredViolation {
  Judged property = Judged::kServerExclusion;
  std::string what;
  std::string token;  ///< its run
};

struct ExplorationSum {
  bool complete = false;
  std::uint64_t states = 0;
  std::uint64_t runs = 0;
  std::uint64_t divergences = 0;
  std::string inconclusive;  ///< why nothing can be said; empty: something can
  PerJudged<std::uint64_t> exercised;
  std::vector<std::string> reductions;
  std::optional<ExploredViolation> violation;
  std::optional<LockCrash> crash;  ///< which ended it
  std::string left_out;            ///< why it was not made; empty: it was
};

/// An exploration for each entry that is no specimen, if its scenario is among those of the
/// options: "chaos", or for a lock by quorum "quorum-chaos".
std::vector<LockExploration> ExplorationsOf(const CampaignOptions& options);

ExplorationSum Explore(const LockExploration& exploration, const std::atomic<bool>* stop);

/// The verdict on a property that it looked for. Somebody else's lock need not be within reach.
reports::ResultRow RowOf(const LockExploration& exploration, const ExplorationSum& sum,
                         Judged property);
/// The row of its crash.
reports::ResultRow CrashRow(const LockExploration& exploration, const ExplorationSum& sum);
Found FoundBy(const LockExploration& exploration, const LockCrash& crash);
/// REQUIRES: the violation's token is well formed, as Explore makes it.
Found FoundBy(const LockExploration& exploration, const ExploredViolation& violation);

/// All of an exploration is in one shard.
bool InShard(const LockExploration& exploration, const Shard& shard);

}  // namespace interlock::scenarios
