// SPDX-License-Identifier: MIT
#include "scenarios/search/plan.h"

#include <algorithm>

namespace interlock::scenarios {
namespace {

bool Expects(const Entry& entry, const Scenario& scenario, SynchronyClass synchrony) {
  return std::any_of(entry.expected.begin(), entry.expected.end(), [&](const Conviction& one) {
    return one.scenario == scenario.name && one.synchrony == synchrony;
  });
}

/// How far a campaign of `runs` per unit goes in this one.
std::uint64_t EndOf(const Unit& unit, std::uint64_t runs) {
  const Scenario& scenario = *unit.scenario;
  if (runs == 0) return 0;
  if (scenario.always_whole) return scenario.max_runs;
  const bool hunted = unit.entry->specimen && Expects(*unit.entry, scenario, unit.synchrony);
  if (hunted) return std::min(std::max(runs, kSpecimenPatience), scenario.max_runs);
  const std::uint64_t share = std::max(std::min(runs, kLeastRuns), runs / scenario.weight);
  return std::min(share, scenario.max_runs);
}

}  // namespace

std::vector<Unit> UnitsOf(const CampaignOptions& options) {
  std::vector<Unit> units;
  for (const Entry& entry : options.entries) {
    const harness::Traits traits = entry.subject->traits();
    std::vector<Unit> all;
    std::vector<Unit> expected;
    for (const Scenario* scenario : options.scenarios) {
      if (!Applies(*scenario, traits)) continue;
      for (const SynchronyClass synchrony : scenario->classes) {
        all.push_back({&entry, scenario, synchrony});
        if (Expects(entry, *scenario, synchrony)) expected.push_back(all.back());
      }
    }
    const bool whole = !entry.specimen || expected.empty();
    units.insert(units.end(), (whole ? all : expected).begin(), (whole ? all : expected).end());
  }
  return units;
}

std::vector<Block> BlocksOf(const std::vector<Unit>& units, std::uint64_t first,
                            std::uint64_t runs) {
  std::vector<Block> blocks;
  for (std::size_t unit = 0; unit < units.size(); ++unit) {
    const std::uint64_t end = EndOf(units[unit], first + runs);
    for (std::uint64_t from = EndOf(units[unit], first); from < end; from += kBlock) {
      blocks.push_back({unit, from, std::min(kBlock, end - from)});
    }
  }
  return blocks;
}

bool Satisfied(const Unit& unit, const UnitResult& sum) {
  if (!unit.entry->specimen || sum.runs < kSpecimenRuns) return false;
  if (!Expects(*unit.entry, *unit.scenario, unit.synchrony)) return false;
  return std::all_of(kAllJudged.begin(), kAllJudged.end(), [&](Judged property) {
    const auto& expected = unit.entry->expected;
    const bool demanded = std::any_of(expected.begin(), expected.end(), [&](const Conviction& one) {
      return one.property == Slug(property) && one.scenario == unit.scenario->name &&
             one.synchrony == unit.synchrony;
    });
    return !demanded || sum.violating_runs[property] > 0;
  });
}

bool InShard(const Unit& unit, const Block& block, const Shard& shard) {
  if (shard.total <= 1) return true;
  std::uint64_t hash = sim::HashBytes(unit.entry->subject->name(), 0);
  hash = sim::HashBytes(unit.scenario->name, hash);
  hash = sim::HashNumber(static_cast<std::uint64_t>(unit.synchrony), hash);
  if (!unit.entry->specimen) hash = sim::HashNumber(block.first, hash);
  return sim::MixSeed(hash, 0) % shard.total == shard.index;
}

void Merge(const UnitResult& block, UnitResult& sum) {
  sum.runs += block.runs;
  sum.runs_with_faults += block.runs_with_faults;
  sum.commands += block.commands;
  sum.double_runs += block.double_runs;
  sum.divergences += block.divergences;
  sum.virtual_time += block.virtual_time;
  if (sum.inconclusive == 0) sum.first_inconclusive = block.first_inconclusive;
  sum.inconclusive += block.inconclusive;
  for (std::size_t i = 0; i < kGoalCount; ++i) sum.goals[i] += block.goals[i];
  for (std::size_t i = 0; i < kFaultNumbers; ++i) sum.struck[i] += block.struck[i];
  sum.updates += block.updates;
  sum.lost_updates += block.lost_updates;
  for (const auto& [story, count] : block.stories) sum.stories[story] += count;
  for (const Judged property : kAllJudged) {
    sum.exercised[property] += block.exercised[property];
    sum.violating_runs[property] += block.violating_runs[property];
    for (const std::uint64_t index : block.violations[property]) {
      if (sum.violations[property].size() < kCandidates) sum.violations[property].push_back(index);
    }
  }
  sum.hash = sim::HashNumber(block.hash, sum.hash);
}

}  // namespace interlock::scenarios
