// SPDX-License-Identifier: MIT
#include "scenarios/cli/comparison.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <vector>

#include <fmt/format.h>

#include "scenarios/cli/interruption.h"
#include "scenarios/judge/property.h"
#include "scenarios/run/parallel.h"
#include "scenarios/search/isolated.h"
#include "scenarios/search/plan.h"
#include "scenarios/search/rows.h"

namespace interlock::scenarios::cli {
namespace {

constexpr std::uint64_t kMostRuns = 20;

/// A unit, how many of its runs to repeat, and the outcome.
struct Comparison {
  Unit unit;
  std::uint64_t runs = 0;
  std::uint64_t compared = 0;
  bool diverged = false;
  std::optional<reports::ResultRow> not_compared = {};
};

reports::ResultRow NotCompared(const Unit& unit, std::string_view reason) {
  reports::ResultRow row = RowOf(unit);
  const Property& determinism = *FindProperties("LK016").front();
  row.code = determinism.code;
  row.property = determinism.slug;
  row.reason = fmt::format("not compared with a second process: {}", reason);
  return row;
}

/// What the report says of each unit's runs.
class RunsMade {
 public:
  explicit RunsMade(const reports::RunReport& report) {
    for (const reports::ResultRow& row : report.results) {
      if (!row.proof && row.saved_case.empty()) {
        made_[{row.lock, row.scenario, row.synchrony}] = row.runs;
      }
      const bool crashed = row.code == Code(Judged::kCrash);
      if (crashed && row.verdict == reports::Verdict::kViolated) crashed_.insert(row.lock);
    }
  }

  /// How many of a unit's first runs to compare: none of a lock that crashed, for that is known.
  /// The last run of a unit that ended before its plan may have ended it by going on for very long.
  std::uint64_t ToCompare(const Unit& unit, const Reach& plan) const {
    const std::string_view lock = unit.entry->subject->name();
    if (crashed_.count(lock) > 0) return 0;
    const auto found = made_.find({lock, unit.scenario->name, unit.synchrony});
    const std::uint64_t made = found == made_.end() ? 0 : found->second;
    const bool ended_early = made > 0 && made < RunsOf(unit, plan);
    return std::min(ended_early ? made - 1 : made, kMostRuns);
  }

 private:
  std::map<std::tuple<std::string_view, std::string_view, SynchronyClass>, std::uint64_t> made_;
  std::set<std::string_view> crashed_;
};

/// One unit of each scenario, in the order of the scenarios.
std::vector<Comparison> Chosen(const CampaignOptions& options, const reports::RunReport& report) {
  const RunsMade made(report);
  const std::vector<Unit> units = UnitsOf(options);
  const bool shares = options.runs == 0;
  const Reach plan{shares, shares ? 1 : options.runs};
  std::vector<Comparison> chosen;
  std::uint64_t turn = options.seed;
  for (const Scenario* scenario : options.scenarios) {
    std::vector<Comparison> eligible;
    for (const Unit& unit : units) {
      if (unit.scenario != scenario || !unit.witness_of.empty()) continue;
      const std::uint64_t runs = made.ToCompare(unit, plan);
      if (runs > 0) eligible.push_back({unit, runs});
    }
    if (!eligible.empty()) chosen.push_back(eligible[turn++ % eligible.size()]);
  }
  return chosen;
}

}  // namespace

void CompareWithSecondProcess(const CampaignOptions& options, reports::RunReport& report) {
  std::vector<Comparison> all = Chosen(options, report);
  const auto new_piece = [&]() -> Piece {
    auto here = std::make_shared<IsolatedRunner>(options);
    auto second = std::make_shared<SecondProcess>(options);
    return [&, here, second](std::size_t index) {
      Comparison& one = all[index];
      if (Interrupted()) return;
      const Result<std::uint64_t> theirs = second->HashOf(one.unit, one.runs);
      if (Interrupted()) return;  // Ctrl-C ends the other process too
      if (!theirs.ok()) {
        one.not_compared = NotCompared(one.unit, theirs.status().message());
        return;
      }
      const std::uint64_t ours = here->RunBlock(one.unit, 0, one.runs).hash;
      if (Interrupted()) return;  // before all of the runs were made
      one.compared = one.runs;
      one.diverged = *theirs != ours;
    };
  };
  InParallel(options.jobs, all.size(), new_piece, [] {});
  for (const Comparison& one : all) {
    if (one.not_compared) report.results.push_back(*one.not_compared);
    report.totals.double_runs += one.compared;
    if (one.diverged) ++report.totals.divergences;
  }
  if (Interrupted()) report.status = reports::RunStatus::kPartial;
}

}  // namespace interlock::scenarios::cli
