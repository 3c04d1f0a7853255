// SPDX-License-Identifier: MIT
//
// Work is split into items: blocks of consecutive runs of a unit, or one exploration. Threads take
// items in any order, but results are merged in the order of the items, so nothing depends on which
// thread was faster.
#include "scenarios/search/campaign.h"

#include <algorithm>
#include <chrono>
#include <deque>
#include <optional>
#include <utility>

#include "scenarios/run/parallel.h"
#include "scenarios/search/isolated.h"
#include "scenarios/search/lock_exploration.h"
#include "scenarios/search/plan.h"
#include "scenarios/search/row_book.h"
#include "scenarios/search/shrink/trial.h"
#include "scenarios/search/to_report.h"

namespace interlock::scenarios {
namespace {

constexpr std::uint64_t kRound = 10'000;  // runs of each unit, a multiple of kBlock
constexpr int kShrinkBudget = 4000;       // runs

/// A piece of work that one thread does without a break: one block of a sound lock, as many blocks
/// of a specimen as it takes to convict it, or the exploration that is reported after a unit.
struct Item {
  std::size_t unit = 0;
  std::vector<Block> blocks;  ///< empty: an exploration
  std::size_t exploration = 0;
  std::vector<UnitResult> results;
  ExplorationSum explored;
  std::atomic<bool> done{false};
};

/// The early ends of units, as far as the threads of a campaign know them: any later work, in the
/// order of units and runs, can be skipped. Thread safety: all methods.
class KnownEnds {
 public:
  explicit KnownEnds(std::size_t units) : units_(units) {}

  /// Records that the unit ended with the run of this index.
  void Note(std::size_t unit, std::uint64_t run, const UnitResult& result) {
    PerUnit& known = units_[unit];
    std::uint64_t first = known.ended_at;
    while (run < first && !known.ended_at.compare_exchange_weak(first, run)) {
    }
    if (result.crash && result.crash->hung) known.hung = true;
  }
  bool EndedBefore(std::size_t unit, std::uint64_t run) const {
    return units_[unit].ended_at < run;
  }
  /// Whether the lock hung in a unit before this one.
  bool HungBefore(const std::vector<Unit>& units, std::size_t unit, const Entry* entry) const {
    for (std::size_t i = 0; i < unit; ++i) {
      if (units[i].entry == entry && units_[i].hung) return true;
    }
    return false;
  }

 private:
  struct PerUnit {
    std::atomic<std::uint64_t> ended_at{UINT64_MAX};
    std::atomic<bool> hung{false};
  };
  std::vector<PerUnit> units_;
};

class Campaign {
 public:
  explicit Campaign(const CampaignOptions& options)
      : options_(options),
        units_(UnitsOf(options)),
        explorations_(ExplorationsOf(options)),
        exploration_after_(ExplorationAfter(units_, explorations_)),
        sums_(units_.size()),
        known_(units_.size()),
        explored_(explorations_.size()),
        book_(result_) {
    result_.report.seed = options.seed;
    TellServer(ServerOf(options), result_.report);
    result_.report.results = options.saved;
  }

  CampaignResult Run() {
    const auto started = std::chrono::steady_clock::now();
    const bool shares = options_.runs == 0;
    const std::uint64_t round = shares ? 1 : options_.runs;
    Reach reach{shares, 0};
    bool more = true;
    while (more && !options_.stopped()) {
      // Work goes in rounds, because each item's result is kept until its round is merged.
      const Reach target{shares, reach.count + round};
      while (reach.count < target.count && !options_.stopped()) {
        const Reach next{shares, std::min(target.count, reach.count + kRound)};
        RunRound(reach, next, target, next.count == target.count && !options_.budget);
        reach = next;
      }
      more = options_.budget.has_value() &&
             std::chrono::steady_clock::now() - started < *options_.budget;
    }
    CloseUpTo(units_.size(), false);
    book_.Close();
    Conclude(options_, result_);
    return std::move(result_);
  }

 private:
  using Items = std::deque<Item>;

  Items ItemsOf(const Reach& from, const Reach& to) const {
    Items items;
    for (std::size_t unit = 0; unit < units_.size(); ++unit) {
      const bool hunted = units_[unit].entry->specimen;
      bool goes_on = false;
      for (Block block : BlocksOf(std::span(units_).subspan(unit, 1), from, to)) {
        block.unit = unit;
        if (!InShard(units_[unit], block, options_.shard)) continue;
        if (!goes_on) items.emplace_back().unit = unit;
        items.back().blocks.push_back(block);
        goes_on = hunted;
      }
      const auto exploration = exploration_after_[unit];
      if (!exploration || from.count > 0) continue;
      if (!InShard(explorations_[*exploration], options_.shard)) continue;
      Item& item = items.emplace_back();
      item.unit = unit;
      item.exploration = *exploration;
    }
    return items;
  }

  static std::uint64_t RunsIn(const Items& items) {
    std::uint64_t runs = 0;
    for (const Item& item : items) {
      for (const Block& block : item.blocks) runs += block.count;
    }
    return runs;
  }

  void Work(IsolatedRunner& runner, Item& item, std::atomic<std::uint64_t>& done_runs) {
    if (item.blocks.empty()) {
      const LockExploration& exploration = explorations_[item.exploration];
      if (!known_.HungBefore(units_, units_.size(), exploration.entry)) {
        item.explored = runner.Explore(exploration);
      }
    } else {
      const Unit& unit = units_[item.unit];
      UnitResult sum = sums_before_[item.unit];
      for (const Block& block : item.blocks) {
        done_runs += block.count;
        if (Satisfied(unit, sum, options_.least_hunt)) continue;
        if (IsOver(unit, sum) || known_.EndedBefore(item.unit, block.first)) continue;
        if (known_.HungBefore(units_, item.unit, unit.entry)) continue;
        const UnitResult& result =
            item.results.emplace_back(runner.RunBlock(unit, block.first, block.count));
        if (IsOver(unit, result)) known_.Note(item.unit, block.first + result.runs, result);
        Merge(result, sum);
      }
    }
    item.done = true;
  }

  /// `last`: no round follows, so rows are known as soon as their items are merged.
  void RunRound(const Reach& from, const Reach& to, const Reach& target, bool last) {
    Items items = ItemsOf(from, to);
    sums_before_ = sums_;
    const std::uint64_t planned = RunsIn(ItemsOf({from.shares, 0}, target));
    std::atomic<std::uint64_t> done_runs{RunsIn(ItemsOf({from.shares, 0}, from))};
    const auto new_piece = [&]() -> Piece {
      auto runner = std::make_shared<IsolatedRunner>(options_);
      return [&, runner](std::size_t index) { Work(*runner, items[index], done_runs); };
    };
    std::size_t merged = 0;
    const auto merge = [&] {
      for (; merged < items.size() && items[merged].done; ++merged) {
        MergeItem(items[merged]);
        if (!last || merged + 1 == items.size()) continue;
        const Item& next = items[merged + 1];
        CloseUpTo(next.unit, next.blocks.empty());
      }
    };
    InParallel(options_.jobs, items.size(), new_piece, [&] {
      merge();
      if (options_.progress) options_.progress(done_runs, planned);
    });
    merge();
  }

  void MergeItem(Item& item) {
    if (item.blocks.empty()) {
      const LockExploration& exploration = explorations_[item.exploration];
      explored_[item.exploration] = std::move(item.explored);
      if (options_.on_exploration && WhyLeftOut(units_, sums_, exploration).empty()) {
        options_.on_exploration(exploration, *explored_[item.exploration]);
      }
      return;
    }
    for (std::size_t i = 0; i < item.results.size(); ++i) {
      const Unit& unit = units_[item.unit];
      // This block was started before it was known that it would not count.
      if (IsOver(unit, sums_[item.unit]) || !WhyLeftOut(units_, sums_, item.unit).empty()) break;
      if (options_.on_block) options_.on_block(unit, item.blocks[i].first, item.results[i]);
      Merge(item.results[i], sums_[item.unit]);
    }
    item.results.clear();
  }

  /// Reports the rows of all units before `unit` and, if `before_exploration`, also those of the
  /// unit itself, without its exploration.
  void CloseUpTo(std::size_t unit, bool before_exploration) {
    while (next_ < unit || (next_ == unit && before_exploration && !runs_told_)) {
      if (!runs_told_) {
        if (std::string why = WhyLeftOut(units_, sums_, next_); !why.empty()) {
          sums_[next_] = UnitResult();
          sums_[next_].left_out = std::move(why);
        }
        book_.Add(units_[next_], sums_[next_]);
        runs_told_ = true;
        continue;
      }
      const auto exploration = exploration_after_[next_];
      if (exploration && explored_[*exploration]) {
        if (std::string why = WhyLeftOut(units_, sums_, explorations_[*exploration]);
            !why.empty()) {
          explored_[*exploration].emplace().left_out = std::move(why);
        }
        book_.Add(explorations_[*exploration], *explored_[*exploration]);
      }
      ++next_;
      runs_told_ = false;
    }
    const auto rows = book_.Decide();
    if (options_.on_rows && !rows.empty()) options_.on_rows(rows);
  }

  const CampaignOptions& options_;
  const std::vector<Unit> units_;
  const std::vector<LockExploration> explorations_;
  const std::vector<std::optional<std::size_t>> exploration_after_;  // by unit
  std::vector<UnitResult> sums_;
  std::vector<UnitResult> sums_before_;  // totals of earlier rounds, read by this round's threads
  KnownEnds known_;
  std::vector<std::optional<ExplorationSum>> explored_;
  CampaignResult result_;
  RowBook book_;
  std::size_t next_ = 0;    // the unit whose rows are reported next
  bool runs_told_ = false;  // whether its rows are reported, but for its exploration's
};

/// Keeps what a shard can decide alone: which sound locks broke a promise, and which of them kept
/// it in the shard's own runs.
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

/// Chooses one finding for each property of each lock, preferring failures to expected violations.
void ChooseFirst(CampaignResult& result) {
  const auto& rows = result.report.results;
  for (const bool passes : {false, true}) {
    for (Found& found : result.found) {
      if (rows[found.row].pass != passes) continue;
      const auto same = [&](const Found& other) {
        return other.explain && &other != &found && other.property == found.property &&
               other.unit.entry == found.unit.entry;
      };
      found.explain = std::ranges::none_of(result.found, same);
    }
  }
}

/// Gives rows that have no verdict because of a crash the token that replays the crash.
void ReplayByCrash(const Found& found, std::vector<reports::ResultRow>& rows) {
  const reports::ResultRow crash = rows[found.row];
  for (reports::ResultRow& row : rows) {
    const bool same = row.lock == crash.lock && row.scenario == crash.scenario &&
                      row.synchrony == crash.synchrony &&
                      row.proof.has_value() == crash.proof.has_value();
    if (same && row.saved_case.empty() && row.verdict == reports::Verdict::kInconclusive) {
      row.replay = crash.replay;
    }
  }
}

}  // namespace

const sim::redis::Dialect& ServerOf(const CampaignOptions& options) {
  return options.scenarios.empty() ? sim::redis::DefaultDialect()
                                   : *options.scenarios.front()->server;
}

RunCase CaseOf(const Unit& unit) {
  return {unit.entry->subject.get(), unit.scenario, unit.synchrony};
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
  sum.updates += result.updates;
  sum.lost_updates += result.lost_updates;
  if (!result.story.empty()) ++sum.stories[result.story];
  for (const Judged property : kAllJudged) {
    if (result.exercised[property]) ++sum.exercised[property];
    if (result.Find(property) == nullptr) continue;
    ++sum.violating_runs[property];
    if (sum.violations[property].size() < kCandidates) sum.violations[property].push_back(index);
  }
  const bool fine = result.Find(Judged::kTermination) == nullptr && !result.inconclusive;
  if (!fine && result.commands > kManyCommands) sum.endless = true;
  sum.hash = sim::HashNumber(result.trace_hash, sum.hash);
}

std::uint64_t RunSeed(std::uint64_t seed, const Scenario& scenario, SynchronyClass synchrony,
                      std::uint64_t index, std::optional<Strategy> strategy) {
  const std::uint64_t stream = sim::HashNumber(static_cast<std::uint64_t>(synchrony),
                                               sim::HashBytes(scenario.base_name(), 0));
  const std::uint64_t mixed =
      SeedWithStrategy(sim::MixSeed(sim::MixSeed(seed, stream), index), strategy);
  const std::uint64_t turns = scenario.pinned.size();
  return turns < 2 ? mixed : mixed / turns * turns + index % turns;
}

void Conclude(const CampaignOptions& options, CampaignResult& result) {
  NoteUnproven(result.report);
  if (options.shard.total > 1) KeepWhatAShardDecides(options.shard, result);
  for (Found& found : result.found) found.explain = options.explaining == Explaining::kAll;
  if (options.explaining == Explaining::kFirst) ChooseFirst(result);
  std::atomic<std::uint64_t> done = 0;
  const auto new_piece = [&]() -> Piece {
    auto runner = std::make_shared<IsolatedRunner>(options);
    return [&, runner](std::size_t index) {
      Found& found = result.found[index];
      ++done;
      if (found.candidates.empty()) return;
      if (!found.explain) return runner->TakeAsFound(found);
      runner->Shrink(found, kShrinkBudget);
    };
  };
  InParallel(options.jobs, result.found.size(), new_piece, [&] {
    if (options.shrink_progress) options.shrink_progress(done, result.found.size());
  });
  if (options.stopped()) result.report.status = reports::RunStatus::kPartial;
  for (const Found& found : result.found) {
    reports::ResultRow& row = result.report.results[found.row];
    row.replay = found.token;
    if (!found.explain) row.unshrunk = SizeOf({found.workload, found.tape});
  }
  for (const Found& found : result.found) {
    if (found.property == Judged::kCrash) ReplayByCrash(found, result.report.results);
  }
}

CampaignResult RunCampaign(const CampaignOptions& options) { return Campaign(options).Run(); }

}  // namespace interlock::scenarios
