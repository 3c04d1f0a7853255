// SPDX-License-Identifier: MIT
#include "scenarios/search/lock_exploration.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "scenarios/cases/kind_model.h"
#include "scenarios/judge/property.h"
#include "scenarios/search/rows.h"
#include "scenarios/search/unit_runner.h"

namespace interlock::scenarios {
namespace {

/// In % of a lease: a client that returns this late finds every waiter inside.
constexpr int kLate = 37;

Unit UnitOf(const LockExploration& exploration) {
  const RunCase& run_case = exploration.options.run_case;
  return {exploration.entry, run_case.scenario, run_case.synchrony};
}

std::vector<Bounds> BoundsFor(const harness::Subject& subject) {
  const harness::ExploredBound wanted = subject.explored();
  const harness::Traits traits = subject.traits();
  Bounds bounds;
  bounds.clients = wanted.clients;
  bounds.attempts = wanted.attempts;
  bounds.waits = wanted.waits && traits.waits;
  bounds.crashes = wanted.crashes;
  bounds.expiries = wanted.expiries;
  bounds.lost_replies = wanted.lost_replies;
  bounds.tasks_in_order = wanted.tasks_in_order;
  bounds.stagger = ModelOf(traits.kind).stagger;
  if (!wanted.late_returns) return {bounds};
  Bounds late = bounds;
  late.attempts = 1;
  late.overstay = kLate;
  return {bounds, late};
}

/// What an exploration treated as equivalent, in addition to what its bound says.
std::vector<std::string> ReductionsOf(const Exploration& exploration) {
  std::vector<std::string> reductions = {"states with the same future taken once"};
  if (exploration.symmetric) reductions.emplace_back("clients that may change places");
  return reductions;
}

std::string TextOf(const LockExploration& exploration) {
  std::string text;
  for (const Bounds& bounds : exploration.bounds) {
    if (!text.empty()) text += "; and ";
    text += ToText(bounds);
  }
  if (!exploration.why_less.empty()) text += fmt::format(" (no more: {})", exploration.why_less);
  return text;
}

void Add(const Exploration& explored, const Unit& unit, ExplorationSum& sum) {
  sum.complete = explored.complete;
  sum.states += explored.progress.states;
  sum.runs += explored.progress.runs;
  sum.divergences += explored.divergences;
  if (sum.inconclusive.empty()) sum.inconclusive = explored.inconclusive;
  for (const Judged property : kAllJudged) sum.exercised[property] += explored.exercised[property];
  for (std::string& reduction : ReductionsOf(explored)) {
    if (std::find(sum.reductions.begin(), sum.reductions.end(), reduction) ==
        sum.reductions.end()) {
      sum.reductions.push_back(std::move(reduction));
    }
  }
  if (!explored.violation) return;
  const MinimalCase& minimal = *explored.violation;
  sum.violation = ExploredViolation{minimal.property, minimal.what,
                                    TokenOf(unit, PackedRun{minimal.workload, minimal.tape})};
}

}  // namespace

std::vector<LockExploration> ExplorationsOf(const CampaignOptions& options) {
  std::vector<LockExploration> explorations;
  if (!options.explore) return explorations;
  for (const Entry& entry : options.entries) {
    if (entry.specimen || entry.subject->traits().posix) continue;
    const harness::Subject& subject = *entry.subject;
    const std::string_view name = subject.traits().quorum ? "quorum-chaos" : "chaos";
    for (const Scenario* scenario : options.scenarios) {
      if (scenario->base_name() != name || !Applies(*scenario, subject.traits())) continue;
      LockExploration& one = explorations.emplace_back();
      one.entry = &entry;
      one.why_less = subject.explored().why_less;
      one.options.run_case = {&subject, scenario, scenario->classes.back()};
      one.bounds = BoundsFor(subject);
      one.options.most_states = kMostExploredStates;
    }
  }
  return explorations;
}

ExplorationSum Explore(const LockExploration& exploration, const std::atomic<bool>* stop) {
  ExploreOptions options = exploration.options;
  options.stop = stop;
  ExplorationSum sum;
  for (const Bounds& bounds : exploration.bounds) {
    options.bounds = bounds;
    Add(Explore(options), UnitOf(exploration), sum);
    if (!sum.complete || sum.violation) break;
  }
  return sum;
}

reports::ResultRow RowOf(const LockExploration& exploration, const ExplorationSum& sum,
                         Judged property) {
  reports::ResultRow row = RowOf(UnitOf(exploration), property);
  row.runs = sum.runs;
  row.exercised = sum.exercised[property];
  row.proof = reports::Proof{TextOf(exploration), sum.states, sum.reductions};
  const bool cut_off = !sum.complete && sum.states >= exploration.options.most_states;
  if (sum.violation && sum.violation->property == property) {
    row.verdict = reports::Verdict::kViolated;
    row.reason = sum.violation->what;
  } else if (!sum.left_out.empty()) {
    row.reason = sum.left_out;
  } else if (sum.crash) {
    row.reason =
        fmt::format("a run of the exploration ended its process: the lock {}", sum.crash->what);
  } else if (sum.divergences > 0) {
    row.reason = "the exploration diverged";
  } else if (!sum.inconclusive.empty()) {
    row.reason = sum.inconclusive;
  } else if (sum.violation) {
    row.reason =
        fmt::format("the search ended at a violation of {}", Slug(sum.violation->property));
  } else if (!sum.complete) {
    row.reason = cut_off ? fmt::format("{} has more than {} states", row.proof->bound,
                                       exploration.options.most_states)
                         : "the search was stopped before its end";
  } else if (row.exercised == 0) {
    row.reason = "no run within the bound puts it to the test";
  } else {
    row.verdict = reports::Verdict::kHolds;
  }
  // The drawn runs decide what no run within the bound can show, and foreign locks that are too
  // large to explore.
  const bool untested = sum.complete && !sum.violation && row.exercised == 0;
  const bool beyond_reach = exploration.entry->foreign && !sum.violation && sum.divergences == 0;
  const bool cut_short = sum.crash || !sum.left_out.empty();
  if (row.verdict == reports::Verdict::kInconclusive && !cut_short && (untested || beyond_reach)) {
    row.expected = reports::Expectation::kEither;
  }
  row.pass =
      row.verdict == reports::Verdict::kHolds || row.expected == reports::Expectation::kEither;
  return row;
}

reports::ResultRow CrashRow(const LockExploration& exploration, const ExplorationSum& sum) {
  reports::ResultRow row = RowOf(UnitOf(exploration), Judged::kCrash);
  row.verdict = reports::Verdict::kViolated;
  row.proof = reports::Proof{TextOf(exploration), sum.states, sum.reductions};
  row.reason = fmt::format("the lock {}", sum.crash->what);
  return row;
}

Found FoundBy(const LockExploration& exploration, Judged property, const std::string& token) {
  Found found;
  found.unit = UnitOf(exploration);
  found.property = property;
  found.token = token;
  if (const auto run = PackedRunIn(token)) {
    found.original = found.workload = run->workload;
    found.original_tape = found.tape = run->tape;
  }
  return found;
}

bool InShard(const LockExploration& exploration, const Shard& shard) {
  if (shard.total <= 1) return true;
  const std::uint64_t hash = sim::HashBytes(exploration.entry->subject->name(),
                                            sim::HashBytes("exhaustive exploration", 0));
  return sim::MixSeed(hash, 0) % shard.total == shard.index;
}

}  // namespace interlock::scenarios
