// SPDX-License-Identifier: MIT
#include "scenarios/search/shards.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "scenarios/judge/property.h"
#include "scenarios/search/plan.h"
#include "scenarios/search/row_book.h"
#include "scenarios/search/to_report.h"

namespace interlock::scenarios {
namespace {

using reports::ExplorationCounts;
using reports::RunCounts;
using reports::ShardBlock;
using reports::ShardReport;

/// Lock, scenario, class, first run.
using BlockName = std::tuple<std::string, std::string, reports::SynchronyClass, std::uint64_t>;

std::string ToText(const BlockName& name) {
  const auto& [lock, scenario, synchrony, first] = name;
  return fmt::format("the runs of {} in {} ({}) from {} on", lock, scenario,
                     reports::ToString(synchrony), first);
}

Status Invalid(std::string message) {
  return Status(StatusCode::kInvalidArgument, std::move(message));
}

/// The blocks and explorations of all shards, each to be taken once.
class Pool {
 public:
  Status Add(const ShardReport& shard) {
    for (const ShardBlock& block : shard.blocks) {
      const BlockName name(block.lock, block.scenario, block.synchrony, block.first);
      if (!blocks_.emplace(name, &block).second) {
        return Invalid(fmt::format("{} are there twice", ToText(name)));
      }
    }
    for (const reports::ShardExploration& one : shard.explorations) {
      if (!explorations_.emplace(one.lock, &one).second) {
        return Invalid(fmt::format("the exploration of {} is there twice", one.lock));
      }
    }
    return Status();
  }

  Result<UnitResult> Take(const Unit& unit, const Block& block) {
    const BlockName name = NameOf(unit, block);
    const auto found = blocks_.find(name);
    if (found == blocks_.end()) return Invalid(fmt::format("{} are missing", ToText(name)));
    const ShardBlock& taken = *found->second;
    blocks_.erase(found);
    UnitResult result = FromShardBlock(taken);
    if (taken.runs != block.count && !IsOver(unit, result)) {
      return Invalid(fmt::format("{} are {} instead of {}", ToText(name), taken.runs, block.count));
    }
    return result;
  }

  Result<ExplorationSum> Take(const LockExploration& exploration) {
    const std::string lock(exploration.entry->subject->name());
    const auto found = explorations_.find(lock);
    if (found == explorations_.end()) {
      return Invalid(fmt::format("the exploration of {} is missing", lock));
    }
    const reports::ShardExploration& taken = *found->second;
    explorations_.erase(found);
    return FromShardExploration(taken);
  }

  // Work after a crash does not count and may be missing.
  void Drop(const Unit& unit, const Block& block) { blocks_.erase(NameOf(unit, block)); }
  void Drop(const LockExploration& exploration) {
    explorations_.erase(std::string(exploration.entry->subject->name()));
  }

  Status ExpectEmpty() const {
    if (!explorations_.empty()) {
      return Invalid(
          fmt::format("the exploration of {} is in no plan", explorations_.begin()->first));
    }
    if (blocks_.empty()) return Status();
    return Invalid(fmt::format("{} are in no plan", ToText(blocks_.begin()->first)));
  }

 private:
  static BlockName NameOf(const Unit& unit, const Block& block) {
    return {std::string(unit.entry->subject->name()), std::string(unit.scenario->name),
            unit.synchrony, block.first};
  }

  std::map<BlockName, const ShardBlock*> blocks_;
  std::map<std::string, const reports::ShardExploration*> explorations_;  // by lock
};

std::string Asked(const ShardReport& shard) {
  return fmt::format(
      "{} {} ({}), seed {:#x}, {} runs (a hunt at least {}){}, strategy {}, locks {}, scenarios {}",
      shard.tool.version, shard.tool.commit, shard.tool.compiler, shard.seed, shard.runs,
      shard.least_hunt, shard.explores ? " and explorations" : "", shard.strategy, shard.lock,
      shard.scenario);
}

/// Checks that these are all shards of one campaign, each given once.
Status CheckHeads(const std::vector<ShardReport>& shards) {
  if (shards.empty()) return Invalid("there are no shards");
  const ShardReport& first = shards.front();
  std::vector<bool> seen(shards.size());
  for (const ShardReport& shard : shards) {
    if (Asked(shard) != Asked(first) || shard.total != first.total) {
      return Invalid(fmt::format("shards of different campaigns: \"{}\", {} shards, and \"{}\", {}",
                                 Asked(first), first.total, Asked(shard), shard.total));
    }
    if (shard.total != shards.size() || shard.index >= shard.total) {
      return Invalid(fmt::format("{} of {} shards are given", shards.size(), shard.total));
    }
    if (seen[shard.index]) return Invalid(fmt::format("shard {} is there twice", shard.index + 1));
    seen[shard.index] = true;
    if (shard.status != reports::RunStatus::kComplete) {
      return Invalid(fmt::format("shard {} was interrupted", shard.index + 1));
    }
  }
  return Status();
}

}  // namespace

UnitResult FromShardBlock(const ShardBlock& block) {
  UnitResult result;
  static_cast<RunCounts&>(result) = static_cast<const RunCounts&>(block);
  result.virtual_time = Duration(block.virtual_ns);
  for (const reports::ShardProperty& one : block.properties) {
    const auto property = JudgedFromSlug(one.property);
    if (!property) continue;
    result.exercised[*property] = one.exercised;
    result.violating_runs[*property] = one.violating_runs;
    result.violations[*property] = one.violations;
  }
  for (const auto& [name, count] : block.goals) {
    for (std::size_t goal = 0; goal < kGoalCount; ++goal) {
      if (Name(static_cast<Goal>(goal)) == name) result.goals[goal] = count;
    }
  }
  for (const auto& [name, count] : block.struck) {
    const sim::FaultInfo* fault = sim::FindFault(name);
    if (fault != nullptr) result.struck[static_cast<std::size_t>(fault->kind)] = count;
  }
  result.stories.insert(block.stories.begin(), block.stories.end());
  return result;
}

ExplorationSum FromShardExploration(const reports::ShardExploration& one) {
  ExplorationSum sum;
  static_cast<ExplorationCounts&>(sum) = static_cast<const ExplorationCounts&>(one);
  for (const auto& [slug, count] : one.exercised) {
    if (const auto property = JudgedFromSlug(slug)) sum.exercised[*property] = count;
  }
  if (const auto violated = JudgedFromSlug(one.violated)) {
    sum.violation = ExploredViolation{*violated, one.what, one.token};
  }
  return sum;
}

reports::ShardExploration ToShardExploration(const LockExploration& exploration,
                                             const ExplorationSum& sum) {
  reports::ShardExploration one;
  static_cast<ExplorationCounts&>(one) = static_cast<const ExplorationCounts&>(sum);
  one.lock = exploration.entry->subject->name();
  for (const Judged property : kAllJudged) {
    if (sum.exercised[property] == 0) continue;
    one.exercised.emplace_back(Slug(property), sum.exercised[property]);
  }
  if (sum.violation) {
    one.violated = Slug(sum.violation->property);
    one.what = sum.violation->what;
    one.token = sum.violation->token;
  }
  return one;
}

ShardBlock ToShardBlock(const Unit& unit, std::uint64_t first, const UnitResult& result) {
  ShardBlock block;
  static_cast<RunCounts&>(block) = static_cast<const RunCounts&>(result);
  block.lock = unit.entry->subject->name();
  block.scenario = unit.scenario->name;
  block.synchrony = unit.synchrony;
  block.first = first;
  block.virtual_ns = result.virtual_time.count();
  for (const Judged property : kAllJudged) {
    if (result.exercised[property] == 0 && result.violating_runs[property] == 0) continue;
    block.properties.push_back({std::string(Slug(property)), result.exercised[property],
                                result.violating_runs[property], result.violations[property]});
  }
  for (std::size_t goal = 0; goal < kGoalCount; ++goal) {
    if (result.goals[goal] == 0) continue;
    block.goals.emplace_back(Name(static_cast<Goal>(goal)), result.goals[goal]);
  }
  for (const sim::FaultInfo& fault : sim::KnownFaults()) {
    const std::uint64_t count = result.struck[static_cast<std::size_t>(fault.kind)];
    if (count > 0) block.struck.emplace_back(fault.name, count);
  }
  block.stories.assign(result.stories.begin(), result.stories.end());
  return block;
}

Result<CampaignResult> MergeShards(const CampaignOptions& options,
                                   const std::vector<ShardReport>& shards) {
  if (const Status heads = CheckHeads(shards); !heads.ok()) return heads;
  Pool pool;
  for (const ShardReport& shard : shards) {
    if (const Status added = pool.Add(shard); !added.ok()) return added;
  }
  const std::vector<Unit> units = UnitsOf(options);
  std::vector<UnitResult> sums(units.size());
  for (const Block& block : BlocksOf(units, options)) {
    UnitResult& sum = sums[block.unit];
    if (Satisfied(units[block.unit], sum, options.least_hunt)) continue;
    sum.left_out = WhyLeftOut(units, sums, block.unit);
    if (IsOver(units[block.unit], sum) || !sum.left_out.empty()) {
      pool.Drop(units[block.unit], block);
      continue;
    }
    const Result<UnitResult> taken = pool.Take(units[block.unit], block);
    if (!taken.ok()) return taken.status();
    Merge(*taken, sum);
  }
  const std::vector<LockExploration> explorations = ExplorationsOf(options);
  const auto after = ExplorationAfter(units, explorations);
  CampaignResult result;
  result.report.seed = options.seed;
  TellServer(ServerOf(options), result.report);
  RowBook book(result);
  for (std::size_t unit = 0; unit < units.size(); ++unit) {
    book.Add(units[unit], sums[unit]);
    if (!after[unit]) continue;
    const LockExploration& exploration = explorations[*after[unit]];
    if (std::string why = WhyLeftOut(units, sums, exploration); !why.empty()) {
      pool.Drop(exploration);
      ExplorationSum none;
      none.left_out = std::move(why);
      book.Add(exploration, none);
      continue;
    }
    const Result<ExplorationSum> taken = pool.Take(exploration);
    if (!taken.ok()) return taken.status();
    book.Add(exploration, *taken);
  }
  if (const Status rest = pool.ExpectEmpty(); !rest.ok()) return rest;
  book.Decide();
  book.Close();
  Conclude(options, result);
  return result;
}

}  // namespace interlock::scenarios
