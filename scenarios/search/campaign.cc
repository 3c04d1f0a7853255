// SPDX-License-Identifier: MIT
//
// Work is cut into blocks of consecutive runs. Threads take blocks in any order; what they find is
// merged in the order of the blocks, so nothing depends on who was faster.
#include "scenarios/search/campaign.h"

#include <algorithm>
#include <chrono>

#include "scenarios/cases/generators.h"
#include "scenarios/cases/replay_token.h"
#include "scenarios/run/guard.h"
#include "scenarios/search/parallel.h"
#include "scenarios/search/plan.h"
#include "scenarios/search/rows.h"
#include "scenarios/search/shrink/shrink.h"

namespace interlock::scenarios {
namespace {

constexpr std::uint64_t kRound = 10'000;      // runs of each unit, a multiple of kBlock
constexpr std::uint64_t kDoubleRunEach = 50;  // every fiftieth run is run twice
constexpr int kShrinkBudget = 4000;           // runs
constexpr int kSideShrinkBudget = 1000;       // runs, for what decides nothing

bool Stopped(const CampaignOptions& options) { return options.stop != nullptr && *options.stop; }

/// What one thread needs, kept between runs.
class Worker {
 public:
  explicit Worker(const CampaignOptions& options) : options_(options) {}

  UnitResult RunBlock(const Unit& unit, std::uint64_t first, std::uint64_t count) {
    UnitResult sum;
    const RunCase run_case{unit.entry->subject.get(), unit.scenario, unit.synchrony};
    const Generator& generator = GeneratorFor(unit);
    for (std::uint64_t index = first; index < first + count; ++index) {
      if (Stopped(options_)) break;
      const std::uint64_t seed =
          RunSeed(options_.seed, *unit.scenario, unit.synchrony, index, options_.strategy);
      const GuardedRun guarded(run_case.subject->name(), unit.scenario->name, unit.synchrony, seed);
      const Workload workload = generator.Draw(seed);
      sim::Choices choices = ChoicesOfRun(seed);
      const RunResult result = RunOnce(universe_, run_case, workload, choices);
      AddRun(result, index, sum);
      if (index % kDoubleRunEach != 0) continue;
      sim::Choices again = ChoicesOfRun(seed);
      ++sum.double_runs;
      const RunResult second = RunOnce(universe_, run_case, workload, again);
      if (second.trace_hash != result.trace_hash) ++sum.divergences;
    }
    return sum;
  }

  /// Shrinks the first violating run that this very violation names; if what remains is not small,
  /// the next ones too, and keeps the smallest: a failure that hangs on timing often has no way
  /// down from where it was found. Once stopped, it only puts the first violating run into `found`.
  void ShrinkFound(Found& found, int budget) {
    for (const std::uint64_t index : NamedFirst(found)) {
      Found tried = found;
      ShrinkOne(tried, index, budget);
      if (found.token.empty() || Size(tried) < Size(found)) found = tried;
      if (Size(found) <= kSmall || Stopped(options_)) return;
    }
  }

 private:
  using Sizes = std::pair<std::size_t, std::size_t>;  // clients, faults
  static constexpr Sizes kSmall = {3, 2};

  static Sizes Size(const Found& found) {
    const CaseSize size = SizeOf({found.workload, found.tape});
    // Too many faults weigh more than too many clients.
    return {std::max(size.clients, size.faults > 2 ? size.faults + 2 : 0), size.faults};
  }

  /// The candidates, first those that nothing violated earlier would name otherwise.
  std::vector<std::uint64_t> NamedFirst(const Found& found) {
    std::vector<std::uint64_t> order = found.candidates;
    if (Stopped(options_)) return order;
    const RunCase run_case{found.unit.entry->subject.get(), found.unit.scenario,
                           found.unit.synchrony};
    std::stable_partition(order.begin(), order.end(), [&](std::uint64_t index) {
      const std::uint64_t seed = RunSeed(options_.seed, *found.unit.scenario, found.unit.synchrony,
                                         index, options_.strategy);
      const GuardedRun guarded(run_case.subject->name(), found.unit.scenario->name,
                               found.unit.synchrony, seed);
      sim::Choices choices = ChoicesOfRun(seed);
      const RunResult run =
          RunOnce(universe_, run_case, GeneratorFor(found.unit).Draw(seed), choices);
      const Violation* naming = NamingViolation(run, run_case, found.property);
      return naming != nullptr && naming->property == found.property;
    });
    return order;
  }

  void ShrinkOne(Found& found, std::uint64_t index, int budget) {
    const RunCase run_case{found.unit.entry->subject.get(), found.unit.scenario,
                           found.unit.synchrony};
    const std::uint64_t seed = RunSeed(options_.seed, *found.unit.scenario, found.unit.synchrony,
                                       index, options_.strategy);
    const GuardedRun guarded(run_case.subject->name(), found.unit.scenario->name,
                             found.unit.synchrony, seed, GuardPhase::kShrinking);
    found.original = GeneratorFor(found.unit).Draw(seed);
    sim::Choices choices = ChoicesOfRun(seed);
    RunOnce(universe_, run_case, found.original, choices);
    found.original_tape = choices.TakeTape();
    const auto started = std::chrono::steady_clock::now();
    ShrinkResult shrunk = Shrink(universe_, run_case, found.original, found.original_tape,
                                 found.property, budget, options_.stop);
    found.shrink_time += std::chrono::duration_cast<std::chrono::milliseconds>(
        std::chrono::steady_clock::now() - started);
    found.workload = std::move(shrunk.workload);
    found.tape = std::move(shrunk.tape);
    found.shrinks = shrunk.shrinks;
    found.token =
        Encode({std::string(run_case.subject->name()), std::string(found.unit.scenario->name),
                found.unit.synchrony, PackedRun{found.workload, found.tape}});
  }

  const Generator& GeneratorFor(const Unit& unit) {
    const std::pair key(unit.scenario, ExtrasOf(unit.entry->subject->traits()));
    for (const auto& [known, generator] : generators_) {
      if (known == key) return *generator;
    }
    generators_.emplace_back(key, std::make_unique<Generator>(*unit.scenario, key.second));
    return *generators_.back().second;
  }

  const CampaignOptions& options_;
  sim::Universe universe_;
  /// By scenario, and what the kind of lock adds to its workloads.
  std::vector<std::pair<std::pair<const Scenario*, Extras>, std::unique_ptr<Generator>>>
      generators_;
};

/// Blocks that one thread runs one after the other: one block of a sound lock, or as many of a
/// specimen as it takes to convict it.
struct Chain {
  std::vector<Block> blocks;
  std::vector<UnitResult> results;
};

std::vector<Chain> ChainsOf(const CampaignOptions& options, const std::vector<Unit>& units,
                            std::uint64_t first, std::uint64_t runs) {
  std::vector<Chain> chains;
  for (const Block& block : BlocksOf(units, first, runs)) {
    const Unit& unit = units[block.unit];
    if (!InShard(unit, block, options.shard)) continue;
    const bool goes_on =
        unit.entry->specimen && !chains.empty() && chains.back().blocks.front().unit == block.unit;
    if (!goes_on) chains.emplace_back();
    chains.back().blocks.push_back(block);
  }
  return chains;
}

std::uint64_t RunsOf(const std::vector<Chain>& chains) {
  std::uint64_t runs = 0;
  for (const Chain& chain : chains) {
    for (const Block& block : chain.blocks) runs += block.count;
  }
  return runs;
}

void RunRound(const CampaignOptions& options, const std::vector<Unit>& units, std::uint64_t first,
              std::uint64_t runs, std::uint64_t target, std::vector<UnitResult>& sums) {
  std::vector<Chain> chains = ChainsOf(options, units, first, runs);
  const std::uint64_t before = RunsOf(ChainsOf(options, units, 0, first));
  const std::uint64_t planned = RunsOf(ChainsOf(options, units, 0, target));
  std::atomic<std::uint64_t> done{before};
  const auto new_piece = [&]() -> Piece {
    auto worker = std::make_shared<Worker>(options);
    return [&, worker](std::size_t index) {
      Chain& chain = chains[index];
      UnitResult sum = sums[chain.blocks.front().unit];
      for (const Block& block : chain.blocks) {
        const Unit& unit = units[block.unit];
        done += block.count;
        if (Satisfied(unit, sum)) continue;
        chain.results.push_back(worker->RunBlock(unit, block.first, block.count));
        Merge(chain.results.back(), sum);
      }
    };
  };
  InParallel(options.jobs, chains.size(), new_piece, [&] {
    if (options.progress) options.progress(done, planned);
  });
  for (const Chain& chain : chains) {
    for (std::size_t i = 0; i < chain.results.size(); ++i) {
      const Block& block = chain.blocks[i];
      if (options.on_block) options.on_block(units[block.unit], block.first, chain.results[i]);
      Merge(chain.results[i], sums[block.unit]);
    }
  }
}

/// What a shard knows on its own: which sound locks broke a promise, and which of them kept it as
/// far as it looked.
void KeepWhatAShardDecides(const Shard& shard, CampaignResult& result) {
  std::vector<reports::ResultRow> kept;
  std::vector<Found> found;
  for (std::size_t row = 0; row < result.report.results.size(); ++row) {
    const reports::ResultRow& one = result.report.results[row];
    const bool decided =
        one.verdict == reports::Verdict::kViolated ||
        (one.verdict == reports::Verdict::kHolds && one.expected != reports::Expectation::kBreaks);
    if (one.kind != reports::LockKind::kSound || !decided) continue;
    for (const Found& of_row : result.found) {
      if (of_row.row != row) continue;
      found.push_back(of_row);
      found.back().row = kept.size();
    }
    kept.push_back(one);
  }
  result.report.notes.push_back("shard " + std::to_string(shard.index + 1) + " of " +
                                std::to_string(shard.total) + ": the verdict of the whole is " +
                                "that of `interlock report merge` over all shards");
  result.report.results = std::move(kept);
  result.found = std::move(found);
  std::erase_if(result.report.goals, [](const auto& goal) { return goal.count == 0; });
  result.report.status = reports::RunStatus::kPartial;
}

}  // namespace

void AddRun(const RunResult& result, std::uint64_t index, UnitResult& sum) {
  ++sum.runs;
  sum.commands += result.commands;
  sum.virtual_time += result.virtual_time;
  if (result.faults > 0) ++sum.runs_with_faults;
  for (std::size_t i = 0; result.struck.any() && i < kFaultNumbers; ++i) {
    if (result.struck[i]) ++sum.struck[i];
  }
  if (result.inconclusive.has_value()) {
    if (sum.inconclusive++ == 0) sum.first_inconclusive = *result.inconclusive;
  }
  Count(result.goals, sum.goals);
  sum.updates += result.updates;
  sum.lost_updates += result.lost_updates;
  if (!result.story.empty()) ++sum.stories[result.story];
  for (const Judged property : kAllJudged) {
    if (result.exercised[property]) ++sum.exercised[property];
    if (result.Find(property) == nullptr) continue;
    ++sum.violating_runs[property];
    if (sum.violations[property].size() < kCandidates) sum.violations[property].push_back(index);
  }
  sum.hash = sim::HashNumber(result.trace_hash, sum.hash);
}

std::uint64_t RunSeed(std::uint64_t seed, const Scenario& scenario, SynchronyClass synchrony,
                      std::uint64_t index, std::optional<Strategy> strategy) {
  const std::uint64_t stream =
      sim::HashNumber(static_cast<std::uint64_t>(synchrony), sim::HashBytes(scenario.name, 0));
  const std::uint64_t mixed =
      SeedWithStrategy(sim::MixSeed(sim::MixSeed(seed, stream), index), strategy);
  const std::uint64_t turns = scenario.pinned.size();
  return turns < 2 ? mixed : mixed / turns * turns + index % turns;
}

std::uint64_t HashOfUnit(const Unit& unit, std::uint64_t seed, std::uint64_t runs,
                         std::optional<Strategy> strategy) {
  CampaignOptions options;
  options.seed = seed;
  options.strategy = strategy;
  return Worker(options).RunBlock(unit, 0, runs).hash;
}

CampaignResult Conclude(const CampaignOptions& options, const std::vector<Unit>& units,
                        const std::vector<UnitResult>& sums) {
  CampaignResult result;
  result.report.seed = options.seed;
  FillRows(units, sums, result);
  DecideRows(result.report.results);
  if (options.shard.total > 1) KeepWhatAShardDecides(options.shard, result);
  std::atomic<std::uint64_t> done = 0;
  const auto new_piece = [&]() -> Piece {
    auto worker = std::make_shared<Worker>(options);
    return [&, worker](std::size_t index) {
      Found& found = result.found[index];
      const auto& row = result.report.results[found.row];
      const bool side =
          row.kind == reports::LockKind::kSpecimen && row.expected == reports::Expectation::kEither;
      worker->ShrinkFound(found, side ? kSideShrinkBudget : kShrinkBudget);
      ++done;
    };
  };
  InParallel(options.jobs, result.found.size(), new_piece, [&] {
    if (options.shrink_progress) options.shrink_progress(done, result.found.size());
  });
  if (Stopped(options)) result.report.status = reports::RunStatus::kPartial;
  for (const Found& found : result.found) result.report.results[found.row].replay = found.token;
  return result;
}

CampaignResult RunCampaign(const CampaignOptions& options) {
  const std::vector<Unit> units = UnitsOf(options);
  std::vector<UnitResult> sums(units.size());
  const auto started = std::chrono::steady_clock::now();
  std::uint64_t first = 0;
  bool more = true;
  while (more && !Stopped(options)) {
    // In rounds, because each block's result is kept until its round is merged.
    const std::uint64_t target = first + options.runs;
    for (; first < target && !Stopped(options); first = std::min(target, first + kRound)) {
      RunRound(options, units, first, std::min(kRound, target - first), target, sums);
    }
    more =
        options.budget.has_value() && std::chrono::steady_clock::now() - started < *options.budget;
  }
  return Conclude(options, units, sums);
}

}  // namespace interlock::scenarios
