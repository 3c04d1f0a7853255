// SPDX-License-Identifier: MIT
#include "scenarios/search/plan.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "scenarios/judge/demanded.h"
#include "scenarios/judge/property.h"
#include "scenarios/search/rows.h"

namespace interlock::scenarios {
namespace {

bool Expects(const Entry& entry, const Scenario& scenario, SynchronyClass synchrony) {
  return std::ranges::any_of(
      entry.expected, [&](const Conviction& one) { return one.IsIn(scenario.name, synchrony); });
}

bool IsHunted(const Unit& unit) {
  return unit.entry->specimen && Expects(*unit.entry, *unit.scenario, unit.synchrony);
}

bool NamesAServer(const Conviction& conviction) {
  return conviction.scenario.find(Scenario::kOnServer) != std::string_view::npos;
}

/// The scenario on the server on which the entry is to be convicted of something in it; the
/// scenario itself if there is none.
const Scenario* WhereConvicted(const Entry& entry, const Scenario& scenario) {
  for (const Conviction& one : entry.expected) {
    if (!NamesAServer(one)) continue;
    const Scenario* there = FindScenario(one.scenario);
    if (there != nullptr && there->base_name() == scenario.name) return there;
  }
  return &scenario;
}

/// The units of an entry: all that apply, but for a specimen only those where it is expected to
/// break something; none if that is on other servers only.
std::vector<Unit> UnitsOfEntry(const Entry& entry, const CampaignOptions& options) {
  std::vector<Unit> all;
  std::vector<Unit> expected;
  for (const Scenario* asked : options.scenarios) {
    const Scenario* scenario = options.server_chosen ? asked : WhereConvicted(entry, *asked);
    if (!Applies(*scenario, entry.subject->traits())) continue;
    if (entry.sampled && !scenario->for_sampled) continue;
    for (const SynchronyClass synchrony : scenario->classes) {
      all.push_back({&entry, scenario, synchrony});
      if (Expects(entry, *scenario, synchrony)) expected.push_back(all.back());
    }
  }
  if (!entry.specimen) return all;
  const bool elsewhere = options.server_chosen && std::ranges::all_of(entry.expected, NamesAServer);
  return expected.empty() && !elsewhere ? all : expected;
}

bool IsControl(const Unit& unit, const Unit& hunted, Judged property) {
  if (unit.entry->specimen || unit.scenario != hunted.scenario) return false;
  if (unit.synchrony != hunted.synchrony) return false;
  const std::vector<Judged> judged = JudgedFor(*unit.scenario, *unit.entry->subject);
  return std::find(judged.begin(), judged.end(), property) != judged.end() &&
         ExpectationOf(unit, property) == reports::Expectation::kHolds;
}

/// Adds a witness for the conviction unless it has a control already; adds none if no lock
/// qualifies.
void AddWitness(const Unit& hunted, Judged property, const CampaignOptions& options,
                const std::vector<Unit>& chosen, std::vector<Unit>& witnesses) {
  const auto is_control = [&](const Unit& unit) { return IsControl(unit, hunted, property); };
  if (std::ranges::any_of(chosen, is_control)) return;
  const auto there = std::ranges::find_if(witnesses, is_control);
  if (there != witnesses.end()) {
    there->witness_of.push_back(property);
    return;
  }
  for (const Entry& entry : options.controls) {
    if (!Applies(*hunted.scenario, entry.subject->traits())) continue;
    Unit unit{&entry, hunted.scenario, hunted.synchrony};
    if (!is_control(unit)) continue;
    unit.witness_of.push_back(property);
    witnesses.push_back(std::move(unit));
    return;
  }
}

std::vector<Unit> WitnessesFor(const std::vector<Unit>& specimens, const std::vector<Unit>& sound,
                               const CampaignOptions& options) {
  std::vector<Unit> witnesses;
  for (const Unit& unit : specimens) {
    for (const Judged property : ConvictionsIn(unit)) {
      AddWitness(unit, property, options, sound, witnesses);
    }
  }
  return witnesses;
}

}  // namespace

std::uint64_t RunsOf(const Unit& unit, const Reach& reach) {
  const Scenario& scenario = *unit.scenario;
  if (reach.count == 0) return 0;
  if (IsHunted(unit)) {
    const std::uint64_t asked = reach.shares ? reach.count * scenario.gate_runs : reach.count;
    return std::min(std::max(asked, kSpecimenPatience), scenario.max_runs);
  }
  if (reach.shares) {
    return std::min(reach.count * scenario.gate_runs, scenario.max_runs);
  }
  if (scenario.always_whole) return scenario.max_runs;
  const std::uint64_t share =
      std::max(std::min(reach.count, kLeastRuns), reach.count / scenario.weight);
  return std::min(share, scenario.max_runs);
}

std::vector<Unit> UnitsOf(const CampaignOptions& options) {
  std::vector<Unit> sound;
  std::vector<Unit> specimens;
  for (const Entry& entry : options.entries) {
    std::vector<Unit>& units = entry.specimen ? specimens : sound;
    for (Unit& unit : UnitsOfEntry(entry, options)) units.push_back(std::move(unit));
  }
  std::vector<Unit> all = std::move(sound);
  for (Unit& unit : WitnessesFor(specimens, all, options)) all.push_back(std::move(unit));
  all.insert(all.end(), specimens.begin(), specimens.end());
  return all;
}

std::vector<Block> BlocksOf(std::span<const Unit> units, const Reach& from, const Reach& to) {
  std::vector<Block> blocks;
  for (std::size_t unit = 0; unit < units.size(); ++unit) {
    const std::uint64_t end = RunsOf(units[unit], to);
    for (std::uint64_t at = RunsOf(units[unit], from); at < end; at += kBlock) {
      blocks.push_back({unit, at, std::min(kBlock, end - at)});
    }
  }
  return blocks;
}

std::vector<Block> BlocksOf(std::span<const Unit> units, const CampaignOptions& options) {
  const bool shares = options.runs == 0;
  return BlocksOf(units, {shares, 0}, {shares, shares ? 1 : options.runs});
}

std::vector<std::optional<std::size_t>> ExplorationAfter(
    const std::vector<Unit>& units, const std::vector<LockExploration>& explorations) {
  std::vector<std::optional<std::size_t>> after(units.size());
  for (std::size_t i = 0; i < explorations.size(); ++i) {
    for (std::size_t unit = units.size(); unit > 0; --unit) {
      if (units[unit - 1].entry != explorations[i].entry) continue;
      after[unit - 1] = i;
      break;
    }
  }
  return after;
}

bool Satisfied(const Unit& unit, const UnitResult& sum, std::uint64_t least_hunt) {
  if (!IsHunted(unit) || sum.runs < std::max<std::uint64_t>(1, least_hunt)) return false;
  return std::ranges::all_of(ConvictionsIn(unit),
                             [&](Judged property) { return sum.violating_runs[property] > 0; });
}

bool IsOver(const Unit& unit, const UnitResult& sum) {
  if (sum.crash.has_value()) return true;
  return sum.endless && (!IsHunted(unit) || Satisfied(unit, sum, 0));
}

namespace {

std::string HungAmong(std::span<const Unit> units, std::span<const UnitResult> sums,
                      const Entry* entry) {
  for (std::size_t i = 0; i < units.size(); ++i) {
    if (units[i].entry != entry || !sums[i].crash || !sums[i].crash->hung) continue;
    return fmt::format("not run: the lock hung in {} (class {})", units[i].scenario->name,
                       ToString(units[i].synchrony));
  }
  return "";
}

}  // namespace

std::string WhyLeftOut(std::span<const Unit> units, std::span<const UnitResult> sums,
                       std::size_t unit) {
  return HungAmong(units.first(unit), sums.first(unit), units[unit].entry);
}

std::string WhyLeftOut(std::span<const Unit> units, std::span<const UnitResult> sums,
                       const LockExploration& exploration) {
  return HungAmong(units, sums, exploration.entry);
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
  sum.crash = block.crash;
  sum.endless = sum.endless || block.endless;
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
  std::vector<std::string> all;
  std::ranges::set_union(sum.shared_statics, block.shared_statics, std::back_inserter(all));
  sum.shared_statics = std::move(all);
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
