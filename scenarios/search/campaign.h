// SPDX-License-Identifier: MIT
//
// The gate: every chosen lock over every scenario that applies to it, many runs each, on several
// threads; then the verdicts, and for each violation a shrunk, replayable counterexample.
//
// The run with index i of a (scenario, class) has the same seed for every lock: no generator knows
// which lock it feeds. Results and trace hash are a function of seed and runs alone, not of the
// thread count.
#pragma once

#include <array>
#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "reports/run_report.h"
#include "scenarios/locks/specimen.h"
#include "scenarios/run/run.h"
#include "scenarios/search/explore/strategies.h"

namespace interlock::scenarios {

struct Entry {
  std::shared_ptr<const harness::Subject> subject;
  bool specimen = false;
  std::vector<Conviction> expected;  ///< specimens only
  /// A lock of somebody else, which may be better than what a scenario takes for granted of every
  /// lease lock: its weaknesses need not show.
  bool foreign = false;
};

/// One of several processes that share a campaign.
struct Shard {
  std::uint64_t index = 0;  ///< from 0
  std::uint64_t total = 1;
  bool operator==(const Shard&) const = default;
};

/// Violating runs of a property that are kept.
inline constexpr std::size_t kCandidates = 8;

struct Unit;
struct UnitResult;

struct CampaignOptions {
  std::uint64_t seed = 1;
  std::uint64_t runs = 1000;  ///< per lock, scenario and class
  int jobs = 1;
  std::optional<std::chrono::milliseconds>
      budget;                        ///< repeat rounds of `runs` for this long instead
  std::optional<Strategy> strategy;  ///< else the portfolio
  /// Of several, only this one's blocks are run; then what no shard can decide alone is left out of
  /// the rows, and the report is partial. Not together with `budget`.
  Shard shard;
  std::vector<Entry> entries;
  std::vector<const Scenario*> scenarios;
  /// Called now and then from the calling thread: runs done, runs planned.
  std::function<void(std::uint64_t, std::uint64_t)> progress;
  /// The same, afterwards, of what was found: made small, to be made small.
  std::function<void(std::uint64_t, std::uint64_t)> shrink_progress;
  /// Called for each block of runs, in order, from the calling thread: the index of its first run,
  /// and what it gave.
  std::function<void(const Unit&, std::uint64_t, const UnitResult&)> on_block;
  /// Set by a signal: end early, with a partial report. What was found by then is still made
  /// replayable, which takes one run each, but shrunk no further.
  const std::atomic<bool>* stop = nullptr;
};

/// One (lock, scenario, class) and what its runs gave.
struct Unit {
  const Entry* entry = nullptr;
  const Scenario* scenario = nullptr;
  SynchronyClass synchrony = SynchronyClass::kNone;
};

struct UnitResult {
  std::uint64_t runs = 0;
  std::uint64_t runs_with_faults = 0;
  std::uint64_t commands = 0;
  std::uint64_t double_runs = 0;
  std::uint64_t divergences = 0;
  std::uint64_t inconclusive = 0;
  Duration virtual_time{};
  std::string first_inconclusive;
  PerJudged<std::uint64_t> exercised;
  PerJudged<std::uint64_t> violating_runs;
  PerJudged<std::vector<std::uint64_t>> violations;  ///< indices of the first few violating runs
  GoalCounts goals{};
  std::array<std::uint64_t, kFaultNumbers> struck{};  ///< runs in which the kind took effect
  std::uint64_t updates = 0;                          ///< of guarded resources, see RunResult
  std::uint64_t lost_updates = 0;
  std::map<std::string, std::uint64_t> stories;  ///< of scenarios that tell one, and how often
  std::uint64_t hash = 0;
};

struct Found {
  std::size_t row = 0;                    ///< index into RunReport::results
  std::vector<std::uint64_t> candidates;  ///< indices of violating runs; not empty
  Unit unit;
  Judged property = Judged::kServerExclusion;
  Workload original;
  sim::Tape original_tape;
  Workload workload;
  sim::Tape tape;
  int shrinks = 0;
  std::chrono::milliseconds shrink_time{};  ///< real; part of no hash
  std::uint64_t violating_runs = 0;
  std::uint64_t runs = 0;
  std::string token;
};

struct CampaignResult {
  reports::RunReport report;  ///< all but tool and wall time
  std::vector<Found> found;   ///< in the order of the rows
};

/// The seed of run `index`, which carries its strategy; the same for every lock.
std::uint64_t RunSeed(std::uint64_t seed, const Scenario& scenario, SynchronyClass synchrony,
                      std::uint64_t index, std::optional<Strategy> strategy = {});

/// Adds one run to the sums of its unit.
void AddRun(const RunResult& result, std::uint64_t index, UnitResult& sum);

CampaignResult RunCampaign(const CampaignOptions& options);

/// The verdicts, and a shrunk counterexample of each violation. `sums` are those of `units`.
CampaignResult Conclude(const CampaignOptions& options, const std::vector<Unit>& units,
                        const std::vector<UnitResult>& sums);

/// The hash of the first `runs` runs of a unit, for comparison with another process.
std::uint64_t HashOfUnit(const Unit& unit, std::uint64_t seed, std::uint64_t runs,
                         std::optional<Strategy> strategy = {});

}  // namespace interlock::scenarios
