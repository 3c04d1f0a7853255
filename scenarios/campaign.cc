// SPDX-License-Identifier: MIT
//
// Work is cut into blocks of consecutive runs. Threads take blocks in any order; what they find is
// merged in the order of the blocks, so nothing depends on who was faster.
#include "scenarios/campaign.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "scenarios/generators.h"
#include "scenarios/guard.h"
#include "scenarios/replay_token.h"
#include "scenarios/rows.h"
#include "scenarios/shrink/shrink.h"

namespace interlock::scenarios {
namespace {

constexpr std::uint64_t kBlock = 100;         // runs
constexpr std::uint64_t kRound = 10'000;      // runs of each unit, a multiple of kBlock
constexpr std::uint64_t kDoubleRunEach = 50;  // every fiftieth run is run twice
constexpr std::size_t kCandidates = 8;        // violating runs of a property that are kept
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
    const Generator& generator = GeneratorFor(*unit.scenario);
    for (std::uint64_t index = first; index < first + count; ++index) {
      if (Stopped(options_)) break;
      const std::uint64_t seed = RunSeed(options_.seed, *unit.scenario, unit.synchrony, index);
      const GuardedRun guarded(run_case.subject->name(), unit.scenario->name, unit.synchrony, seed);
      const GeneratedWorkload workload = generator.Draw(seed);
      sim::Choices choices = ChoicesOfRun(seed);
      const RunResult result = RunOnce(universe_, run_case, workload.value(), choices);
      AddRun(result, index, sum);
      if (index % kDoubleRunEach != 0) continue;
      sim::Choices again = ChoicesOfRun(seed);
      ++sum.double_runs;
      const RunResult second = RunOnce(universe_, run_case, workload.value(), again);
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
      const std::uint64_t seed =
          RunSeed(options_.seed, *found.unit.scenario, found.unit.synchrony, index);
      const GuardedRun guarded(run_case.subject->name(), found.unit.scenario->name,
                               found.unit.synchrony, seed);
      sim::Choices choices = ChoicesOfRun(seed);
      const RunResult run = RunOnce(universe_, run_case,
                                    GeneratorFor(*found.unit.scenario).Draw(seed).value(), choices);
      const Violation* naming = NamingViolation(run, run_case, found.property);
      return naming != nullptr && naming->property == found.property;
    });
    return order;
  }

  void ShrinkOne(Found& found, std::uint64_t index, int budget) {
    const RunCase run_case{found.unit.entry->subject.get(), found.unit.scenario,
                           found.unit.synchrony};
    const std::uint64_t seed =
        RunSeed(options_.seed, *found.unit.scenario, found.unit.synchrony, index);
    const GuardedRun guarded(run_case.subject->name(), found.unit.scenario->name,
                             found.unit.synchrony, seed, GuardPhase::kShrinking);
    found.original = GeneratorFor(*found.unit.scenario).Draw(seed).value();
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

  const Generator& GeneratorFor(const Scenario& scenario) {
    for (const auto& [known, generator] : generators_) {
      if (known == &scenario) return *generator;
    }
    generators_.emplace_back(&scenario, std::make_unique<Generator>(scenario));
    return *generators_.back().second;
  }

  const CampaignOptions& options_;
  sim::Universe universe_;
  std::vector<std::pair<const Scenario*, std::unique_ptr<Generator>>> generators_;
};

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

/// Runs `task(worker, index)` for each index below `count` on the campaign's threads; the calling
/// thread reports progress.
void InParallel(const CampaignOptions& options, std::size_t count,
                const std::function<void(Worker&, std::size_t)>& task,
                const std::function<void()>& tick) {
  std::atomic<std::size_t> next{0};
  std::mutex mutex;
  std::condition_variable all_done;
  int running = std::max(1, options.jobs);
  std::vector<std::thread> threads;
  for (int i = 0; i < std::max(1, options.jobs); ++i) {
    threads.emplace_back([&] {
      const GuardedThread guarded;
      {
        Worker worker(options);
        for (std::size_t index = next++; index < count; index = next++) task(worker, index);
      }
      const std::lock_guard lock(mutex);
      if (--running == 0) all_done.notify_all();
    });
  }
  {
    std::unique_lock lock(mutex);
    while (!all_done.wait_for(lock, std::chrono::milliseconds(100), [&] { return running == 0; })) {
      lock.unlock();
      tick();
      lock.lock();
    }
  }
  for (std::thread& thread : threads) thread.join();
}

std::vector<Unit> UnitsOf(const CampaignOptions& options) {
  std::vector<Unit> units;
  for (const Entry& entry : options.entries) {
    const harness::Traits traits = entry.subject->traits();
    for (const Scenario* scenario : options.scenarios) {
      if (!Applies(*scenario, traits)) continue;
      for (const SynchronyClass synchrony : scenario->classes) {
        units.push_back({&entry, scenario, synchrony});
      }
    }
  }
  return units;
}

struct Block {
  std::size_t unit = 0;
  std::uint64_t first = 0;
  std::uint64_t count = 0;
};

/// How far a campaign of `runs` per unit goes in this scenario.
std::uint64_t EndOf(const Scenario& scenario, std::uint64_t runs) {
  if (scenario.always_whole && runs > 0) return scenario.max_runs;
  return std::min(runs, scenario.max_runs);
}

/// Of each unit the runs from `first` to `first` + `runs`, as far as its scenario goes.
std::vector<Block> BlocksOf(const std::vector<Unit>& units, std::uint64_t first,
                            std::uint64_t runs) {
  std::vector<Block> blocks;
  for (std::size_t unit = 0; unit < units.size(); ++unit) {
    const std::uint64_t end = EndOf(*units[unit].scenario, first + runs);
    for (std::uint64_t from = EndOf(*units[unit].scenario, first); from < end; from += kBlock) {
      blocks.push_back({unit, from, std::min(kBlock, end - from)});
    }
  }
  return blocks;
}

void RunRound(const CampaignOptions& options, const std::vector<Unit>& units, std::uint64_t first,
              std::uint64_t runs, std::uint64_t target, std::vector<UnitResult>& sums) {
  const std::vector<Block> blocks = BlocksOf(units, first, runs);
  std::uint64_t planned = 0;
  std::uint64_t before = 0;
  for (const Unit& unit : units) {
    planned += EndOf(*unit.scenario, target);
    before += EndOf(*unit.scenario, first);
  }
  std::vector<UnitResult> results(blocks.size());
  std::atomic<std::uint64_t> done{before};
  InParallel(
      options, blocks.size(),
      [&](Worker& worker, std::size_t index) {
        const Block& block = blocks[index];
        results[index] = worker.RunBlock(units[block.unit], block.first, block.count);
        done += block.count;
      },
      [&] {
        if (options.progress) options.progress(done, planned);
      });
  for (std::size_t index = 0; index < results.size(); ++index) {
    Merge(results[index], sums[blocks[index].unit]);
  }
}

}  // namespace

sim::Choices ChoicesOfRun(std::uint64_t run_seed) {
  return sim::Choices::FromSeed(sim::MixSeed(run_seed, 1));
}

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
                      std::uint64_t index) {
  const std::uint64_t stream =
      sim::HashNumber(static_cast<std::uint64_t>(synchrony), sim::HashBytes(scenario.name, 0));
  const std::uint64_t mixed = sim::MixSeed(sim::MixSeed(seed, stream), index);
  const std::uint64_t turns = scenario.pinned.size();
  return turns < 2 ? mixed : mixed / turns * turns + index % turns;
}

std::uint64_t HashOfUnit(const Unit& unit, std::uint64_t seed, std::uint64_t runs) {
  CampaignOptions options;
  options.seed = seed;
  return Worker(options).RunBlock(unit, 0, runs).hash;
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

  CampaignResult result;
  result.report.seed = options.seed;
  FillRows(units, sums, result);
  DecideRows(result.report.results);
  InParallel(
      options, result.found.size(),
      [&](Worker& worker, std::size_t index) {
        Found& found = result.found[index];
        const auto& row = result.report.results[found.row];
        const bool side = row.kind == reports::LockKind::kSpecimen &&
                          row.expected == reports::Expectation::kEither;
        worker.ShrinkFound(found, side ? kSideShrinkBudget : kShrinkBudget);
      },
      [] {});
  if (Stopped(options)) result.report.status = reports::RunStatus::kPartial;
  for (const Found& found : result.found) result.report.results[found.row].replay = found.token;
  return result;
}

}  // namespace interlock::scenarios
