// SPDX-License-Identifier: MIT
#include "scenarios/search/explore/kill_matrix.h"

#include <algorithm>
#include <memory>

#include "scenarios/cases/generators.h"
#include "scenarios/judge/property.h"
#include "scenarios/run/guard.h"
#include "scenarios/run/parallel.h"
#include "scenarios/search/plan.h"
#include "sim/check.h"

namespace interlock::scenarios {
namespace {

/// One unit under one strategy, with all convictions expected of it.
struct Cell {
  Unit unit;
  std::vector<std::size_t> rows;
  std::size_t strategy = 0;
};

struct CellResult {
  std::vector<std::vector<std::uint64_t>> kills;  // by row of the cell, then by seed
  StrategyCost cost;
};

class Hunter {
 public:
  Hunter(const KillMatrixOptions& options, const KillMatrix& matrix)
      : options_(options), matrix_(matrix) {}

  CellResult Hunt(const Cell& cell) {
    CellResult result;
    result.kills.resize(cell.rows.size());
    const auto started = std::chrono::steady_clock::now();
    const Generator generator(*cell.unit.scenario, ExtrasOf(cell.unit.entry->subject->traits()));
    for (std::uint64_t seed = 0; seed < options_.seeds; ++seed) {
      HuntOnce(cell, generator, sim::MixSeed(options_.seed, seed), result);
    }
    result.cost.time = std::chrono::steady_clock::now() - started;
    return result;
  }

 private:
  void HuntOnce(const Cell& cell, const Generator& generator, std::uint64_t seed,
                CellResult& result) {
    const Unit& unit = cell.unit;
    const RunCase run_case = CaseOf(unit);
    std::vector<std::uint64_t> kills(cell.rows.size(), options_.runs + 1);
    std::size_t left = kills.size();
    const std::uint64_t end = std::min(options_.runs, unit.scenario->max_runs);
    for (std::uint64_t index = 0; index < end && left > 0; ++index) {
      if (options_.stop != nullptr && *options_.stop) break;
      const std::uint64_t run_seed =
          RunSeed(seed, *unit.scenario, unit.synchrony, index, matrix_.strategies[cell.strategy]);
      const GuardedRun guarded(run_case.subject->name(), unit.scenario->name, unit.synchrony,
                               run_seed);
      const Workload workload = generator.Draw(run_seed);
      sim::Choices choices = ChoicesOfRun(run_seed);
      const RunResult run = RunOnce(universe_, run_case, workload, choices);
      ++result.cost.runs;
      for (std::size_t i = 0; i < kills.size(); ++i) {
        if (kills[i] <= options_.runs || !Shows(run, matrix_.rows[cell.rows[i]])) continue;
        kills[i] = index + 1;
        --left;
      }
    }
    for (std::size_t i = 0; i < kills.size(); ++i) result.kills[i].push_back(kills[i]);
  }

  static bool Shows(const RunResult& run, const KillRow& row) {
    return std::ranges::any_of(run.violations, [&](const Violation& one) {
      return Slug(one.property) == row.conviction.property;
    });
  }

  const KillMatrixOptions& options_;
  const KillMatrix& matrix_;
  sim::Universe universe_;
};

std::vector<Cell> LayOut(const KillMatrixOptions& options, KillMatrix& matrix) {
  CampaignOptions campaign;
  for (const Entry& entry : options.entries) {
    if (entry.specimen && !entry.expected.empty()) campaign.entries.push_back(entry);
  }
  for (const Scenario& scenario : Catalogue()) campaign.scenarios.push_back(&scenario);
  std::vector<Cell> cells;
  for (const Unit& unit : UnitsOf(campaign)) {
    // The entries of `options` outlive the matrix; those of the plan do not.
    const auto own = std::ranges::find_if(
        options.entries, [&](const Entry& entry) { return entry.subject == unit.entry->subject; });
    Cell cell{{&*own, unit.scenario, unit.synchrony}, {}, 0};
    for (const Conviction& conviction : own->expected) {
      if (!conviction.IsIn(unit.scenario->name, unit.synchrony)) continue;
      cell.rows.push_back(matrix.rows.size());
      matrix.rows.push_back({std::string(own->subject->name()), conviction,
                             std::vector<KillCell>(matrix.strategies.size())});
    }
    for (; cell.strategy < matrix.strategies.size(); ++cell.strategy) cells.push_back(cell);
  }
  return cells;
}

}  // namespace

KillMatrix MakeKillMatrix(const KillMatrixOptions& options) {
  KillMatrix matrix;
  matrix.seed = options.seed;
  matrix.bound = options.runs;
  matrix.seeds = options.seeds;
  for (const Strategy strategy : kAllStrategies) matrix.strategies.emplace_back(strategy);
  matrix.strategies.emplace_back(std::nullopt);
  matrix.costs.resize(matrix.strategies.size());
  const std::vector<Cell> cells = LayOut(options, matrix);
  std::vector<CellResult> results(cells.size());
  std::atomic<std::uint64_t> done{0};
  const auto new_piece = [&]() -> Piece {
    auto hunter = std::make_shared<Hunter>(options, matrix);
    return [&, hunter](std::size_t index) {
      results[index] = hunter->Hunt(cells[index]);
      ++done;
    };
  };
  InParallel(options.jobs, cells.size(), new_piece, [&] {
    if (options.progress) options.progress(done, cells.size());
  });
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const Cell& cell = cells[i];
    for (std::size_t row = 0; row < cell.rows.size(); ++row) {
      std::vector<std::uint64_t>& kills = results[i].kills[row];
      std::sort(kills.begin(), kills.end());
      matrix.rows[cell.rows[row]].cells[cell.strategy].kills = std::move(kills);
    }
    matrix.costs[cell.strategy].runs += results[i].cost.runs;
    matrix.costs[cell.strategy].time += results[i].cost.time;
  }
  matrix.complete = options.stop == nullptr || !*options.stop;
  return matrix;
}

bool Kills(const KillMatrix& matrix, const KillCell& cell) { return cell.median() <= matrix.bound; }

// The median lies outside the range from the r-th lowest to the r-th highest of n values if fewer
// than r of them are on one side of it, just as fewer than r of n tosses may be heads (David,
// Nagaraja 2003).
std::pair<std::size_t, std::size_t> MedianInterval(std::size_t n) {
  sim::Require(n >= 6, "too few values for an interval of the median");
  double ways = 1;   // n over r
  double below = 1;  // sum of the ways up to r
  double all = 1;
  for (std::size_t i = 0; i < n; ++i) all *= 2;
  std::size_t r = 0;
  for (;;) {
    ways = ways * static_cast<double>(n - r) / static_cast<double>(r + 1);
    if (2 * (below + ways) > 0.05 * all) break;
    below += ways;
    ++r;
  }
  return {r, n - 1 - r};
}

}  // namespace interlock::scenarios
