// SPDX-License-Identifier: MIT
//
// What a campaign runs: units, cut into blocks of consecutive runs, and which shard takes which
// block. A function of the options alone, never of threads, time, or what else is in the plan: the
// runs of a unit are the same whichever other locks and scenarios were asked for.
//
// A sound lock runs all it was asked to. A specimen runs only where a conviction is expected, and
// until it has it, be that before or after the number of runs that was asked for: more would say
// nothing about a lock that is known to be broken, and an acquittal after few runs nothing about
// the checker.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "scenarios/search/campaign.h"
#include "scenarios/search/lock_exploration.h"

namespace interlock::scenarios {

inline constexpr std::uint64_t kBlock = 100;  // runs
/// Runs after which a specimen that was asked for fewer counts as acquitted.
inline constexpr std::uint64_t kSpecimenPatience = 10'000;

/// A unit ends with its first run that sent more than this and violates termination (LK015) or
/// could not be judged: each takes as long as thousands of others, and says nothing new.
inline constexpr std::uint64_t kManyCommands = 10'000;

/// The least runs of a campaign for a scenario whose runs weigh more than others'.
inline constexpr std::uint64_t kLeastRuns = 1'000;

struct Block {
  std::size_t unit = 0;
  std::uint64_t first = 0;
  std::uint64_t count = 0;
  bool operator==(const Block&) const = default;
};

/// How far a campaign goes: `count` runs of each unit, or, with `shares`, `count` times the share
/// that each scenario has in the gate.
struct Reach {
  bool shares = false;
  std::uint64_t count = 0;
};

/// How many runs the unit has made by then.
std::uint64_t RunsOf(const Unit& unit, const Reach& reach);

/// Sound locks, then witnesses, then specimens. A specimen with no conviction expected in any of
/// the scenarios gets all that applies. A conviction whose scenario and class no chosen sound lock
/// is expected to hold gets one of `options.controls` as its witness.
std::vector<Unit> UnitsOf(const CampaignOptions& options);

/// The runs of each unit between the two, as far as its scenario goes; those of a specimen up to
/// its patience.
std::vector<Block> BlocksOf(std::span<const Unit> units, const Reach& from, const Reach& to);
/// All runs of a campaign without a budget.
std::vector<Block> BlocksOf(std::span<const Unit> units, const CampaignOptions& options);

/// For each unit, the exploration that is reported after its rows: that of its lock, after the last
/// of the lock's units.
std::vector<std::optional<std::size_t>> ExplorationAfter(
    const std::vector<Unit>& units, const std::vector<LockExploration>& explorations);

/// Whether the runs so far are enough: a specimen is convicted of all that is expected here, in at
/// least `least_hunt` runs.
bool Satisfied(const Unit& unit, const UnitResult& sum, std::uint64_t least_hunt);

/// Whether no run comes after these, however many were asked for: one has ended its process, or one
/// was endless, and the others would only cost time. A specimen must be convicted by then.
bool IsOver(const Unit& unit, const UnitResult& sum);

/// Why a unit is not run, or does not count if it was: its lock hung in an earlier one, and to wait
/// for it each time would hold up all others. Empty: it is run.
std::string WhyLeftOut(std::span<const Unit> units, std::span<const UnitResult> sums,
                       std::size_t unit);
/// The same for the exploration of this lock, which comes after all of its units.
std::string WhyLeftOut(std::span<const Unit> units, std::span<const UnitResult> sums,
                       const LockExploration& exploration);

/// The shard of a block, by a hash of lock, scenario, class and, for a sound lock, first run:
/// another lock or scenario in the plan moves nothing. A specimen's unit is all in one shard, which
/// therefore knows when to stop.
bool InShard(const Unit& unit, const Block& block, const Shard& shard);

/// Adds the sums of the unit's next block. REQUIRES: !IsOver for `sum`.
void Merge(const UnitResult& block, UnitResult& sum);

}  // namespace interlock::scenarios
