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
#include <span>
#include <string>
#include <vector>

#include "reports/run_report.h"
#include "reports/shard_report.h"
#include "scenarios/cases/strategies.h"
#include "scenarios/locks/entry.h"
#include "scenarios/run/run.h"

namespace interlock::scenarios {

/// One of several processes that share a campaign.
struct Shard {
  std::uint64_t index = 0;  ///< from 0
  std::uint64_t total = 1;
  bool operator==(const Shard&) const = default;
};

/// How many violating runs of a property are kept.
inline constexpr std::size_t kCandidates = 8;

struct Unit;
struct UnitResult;
struct LockExploration;
struct ExplorationSum;

/// Which violations are made small and explained. The others keep the token of the run in which
/// they were found.
enum class Explaining : std::uint8_t {
  kAll,
  kFirst,  ///< one for each property of each lock; a failure rather than what was expected
  kNone,
};

struct CampaignOptions {
  std::uint64_t seed = 1;
  /// Per lock, scenario and class; 0: the share that each scenario has in the gate.
  std::uint64_t runs = 1000;
  /// A specimen's hunt has at least this many runs, even if it is convicted earlier; fewer if one
  /// is endless, see IsOver.
  std::uint64_t least_hunt = 0;
  int jobs = 1;
  std::optional<std::chrono::milliseconds>
      budget;  ///< repeat rounds of `runs` for this long instead
  Explaining explaining = Explaining::kAll;
  /// The server of the scenarios was asked for: specimens whose convictions are on another one are
  /// left out. Else those are run there.
  bool server_chosen = false;
  bool explore = false;  ///< each lock that is no specimen exhaustively, within its own bound
  std::optional<Strategy> strategy;  ///< else the portfolio
  /// Foreign locks run in workers (see isolated.h), so that one that takes its process down costs
  /// no other's verdict. REQUIRES: this program serves as one, as harness::Main does.
  bool isolate = false;
  std::chrono::seconds patience{30};  ///< real time that a run in a worker may take
  /// Runs only the blocks assigned to this shard. If there are several shards, the rows leave out
  /// what no shard can decide alone, and the report is partial. Not together with `budget`.
  Shard shard;
  std::vector<Entry> entries;
  std::vector<const Scenario*> scenarios;
  /// Sound locks that may be run as witnesses of convictions that have no control among `entries`.
  std::vector<Entry> controls;
  /// Rows known beforehand, from saved cases. They come first.
  std::vector<reports::ResultRow> saved;
  /// Called now and then from the calling thread: runs done, runs planned.
  std::function<void(std::uint64_t, std::uint64_t)> progress;
  /// The same, afterwards, for findings: made small so far, to be made small.
  std::function<void(std::uint64_t, std::uint64_t)> shrink_progress;
  /// Called for each block of runs, in order, from the calling thread: the index of its first run,
  /// and what it gave.
  std::function<void(const Unit&, std::uint64_t, const UnitResult&)> on_block;
  /// The same for each exploration.
  std::function<void(const LockExploration&, const ExplorationSum&)> on_exploration;
  /// Called for rows as soon as they are known, in their order, from the calling thread. Not with a
  /// budget, nor in a shard: there they are known at the end only.
  std::function<void(std::span<const reports::ResultRow>)> on_rows;
  /// Set by a signal: end early, with a partial report. What was found by then is still made
  /// replayable, which takes one run each, but shrunk no further.
  const std::atomic<bool>* stop = nullptr;
  bool stopped() const { return stop != nullptr && *stop; }
};

/// What its servers are: the same in all of its scenarios.
const sim::redis::Dialect& ServerOf(const CampaignOptions& options);

/// One (lock, scenario, class) and what its runs gave.
struct Unit {
  const Entry* entry = nullptr;
  const Scenario* scenario = nullptr;
  SynchronyClass synchrony = SynchronyClass::kNone;
  /// The properties for which it is the control of a conviction; if there are any, it was not asked
  /// for otherwise, and is in no total.
  std::vector<Judged> witness_of = {};
};

RunCase CaseOf(const Unit& unit);

/// A run that took its process down, or went on for longer than it may.
using LockCrash = reports::ShardCrash;

/// The sums of a unit's runs. Which crash is the first of a unit does not depend on which process
/// came to it first; one that is endless ends the unit, see kManyCommands.
struct UnitResult : reports::RunCounts {
  Duration virtual_time{};
  PerJudged<std::uint64_t> exercised;
  PerJudged<std::uint64_t> violating_runs;
  PerJudged<std::vector<std::uint64_t>> violations;  ///< indices of the first few violating runs
  GoalCounts goals{};
  std::array<std::uint64_t, kFaultNumbers> struck{};  ///< runs in which the kind took effect
  std::map<std::string, std::uint64_t> stories;       ///< as the scenarios tell them, and how often
  std::string left_out;                               ///< why it was not run; empty: it was
};

struct Found {
  std::size_t row = 0;                    ///< index into RunReport::results
  std::vector<std::uint64_t> candidates;  ///< indices of violating runs; empty: `token` is the run
  bool explain = true;                    ///< false: the run stays as it was found
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

/// Adds the verdicts on rows that are filled and decided, and a shrunk counterexample of each
/// violation that is to be explained.
void Conclude(const CampaignOptions& options, CampaignResult& result);

}  // namespace interlock::scenarios
