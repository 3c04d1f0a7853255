// SPDX-License-Identifier: MIT
//
// What a campaign runs: units, cut into blocks of consecutive runs, and which shard takes which
// block. A function of the options alone, never of threads, time, or what else is in the plan.
//
// A sound lock runs all it was asked to. A specimen runs only where a conviction is expected, and
// until it has it, be that before or after the number of runs that was asked for: more would say
// nothing about a lock that is known to be broken, and an acquittal after few runs nothing about
// the checker.
#pragma once

#include <cstdint>
#include <vector>

#include "scenarios/search/campaign.h"

namespace interlock::scenarios {

inline constexpr std::uint64_t kBlock = 100;         // runs
inline constexpr std::uint64_t kSpecimenRuns = 300;  // at least, so that rates can be told
/// Runs after which a specimen that was asked for fewer counts as acquitted.
inline constexpr std::uint64_t kSpecimenPatience = 10'000;

/// Of a scenario whose runs weigh more than others', a campaign has no fewer for that.
inline constexpr std::uint64_t kLeastRuns = 1'000;

struct Block {
  std::size_t unit = 0;
  std::uint64_t first = 0;
  std::uint64_t count = 0;
  bool operator==(const Block&) const = default;
};

/// Of a specimen of which nothing is expected in any of the scenarios, all that applies.
std::vector<Unit> UnitsOf(const CampaignOptions& options);

/// Of each unit the runs from `first` to `first` + `runs`, as far as its scenario goes; those of a
/// specimen up to its patience.
std::vector<Block> BlocksOf(const std::vector<Unit>& units, std::uint64_t first,
                            std::uint64_t runs);

/// Whether the runs so far are enough: a specimen is convicted of all that is expected here.
bool Satisfied(const Unit& unit, const UnitResult& sum);

/// By a hash of lock, scenario, class and, for a sound lock, first run: another lock or scenario in
/// the plan moves nothing. All of a specimen's unit is in one shard, which so knows when to stop.
bool InShard(const Unit& unit, const Block& block, const Shard& shard);

/// Adds the sums of the unit's next block.
void Merge(const UnitResult& block, UnitResult& sum);

}  // namespace interlock::scenarios
