// SPDX-License-Identifier: MIT
//
// Runs of locks that are not ours, each thread's in a worker (worker_process.h): nothing that such
// a lock does to its process takes the verdicts of the others down.
//
// Design. The parent asks for a whole piece of work (a block of runs, an exploration, a case to be
// made small or explained) and waits. If the worker ends before it answers, or a run takes longer
// than the patience, the black box says which run it was. Then
// - a unit ends at its first crash in the order of runs: the runs before it are made once more, in
//   a new worker, so that they count; those after it do not. So sums and hashes depend neither on
//   the number of threads nor on shards. What follows a hang is left out for the whole lock, see
//   WhyLeftOut in plan.h: each such unit would cost the patience again.
// - the crash is a violation of LK017 in a row of its own, whose token is the seed of the run or,
//   where it has none, the workload with what had been drawn; the unit's other rows fail as
//   inconclusive unless they were violated before.
// - a case that crashes while it is made small stays as it was found; an explanation that crashes
//   is made again without trying neighbours.
// Our own locks run where they are asked for: they are known not to crash, and that is faster.
//
// Non-guarantee: a crash that depends on what earlier runs of the same process left is found in
// another run, or not at all, with another number of threads; its replay says so. Thread safety:
// belongs to the thread that made it.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "reports/work_request.h"
#include "scenarios/search/campaign.h"
#include "scenarios/search/lock_exploration.h"
#include "scenarios/search/to_report.h"
#include "scenarios/search/unit_runner.h"
#include "scenarios/search/worker_process.h"

namespace interlock::scenarios {

class IsolatedRunner {
 public:
  /// The options outlive it.
  explicit IsolatedRunner(const CampaignOptions& options) : options_(options), here_(options) {}

  /// Whether runs of this lock are made in a worker; otherwise, or if no worker can be started,
  /// they are made here.
  bool Isolates(const Entry& entry);

  /// As UnitRunner has them.
  UnitResult RunBlock(const Unit& unit, std::uint64_t first, std::uint64_t count);
  void Shrink(Found& found, int budget);
  void TakeAsFound(Found& found);
  /// As in lock_exploration.h.
  ExplorationSum Explore(const LockExploration& exploration);
  /// As in to_report.h. For a crash, the steps up to there.
  reports::Counterexample Explain(const Found& found, std::string_view program, Effort effort);

  /// The run that a token names, alone, in a worker of its own. nullopt: it came to its end, or was
  /// stopped. REQUIRES: Isolates(entry).
  std::optional<WorkerEnd> EndOf(const Unit& unit, const std::string& token, bool keep_events);

 private:
  reports::WorkRequest RequestFor(const Found& found, reports::Task task) const;
  WorkerAnswer Ask(const reports::WorkRequest& request);
  bool TakeSmallCase(const reports::WorkRequest& request, Found& found);
  void TakeCrashAsFound(Found& found);
  reports::Counterexample ExplainCrash(const Found& found, std::string_view program);

  const CampaignOptions& options_;
  UnitRunner here_;
  std::unique_ptr<WorkerProcess> worker_;
  bool unavailable_ = false;
};

/// Explains a run whose process ended like this.
reports::Counterexample ExplainEnd(const Found& found, const WorkerEnd& end,
                                   std::string_view program);

/// A process other than any that has run these locks before, to compare with: for all locks.
class SecondProcess {
 public:
  explicit SecondProcess(const CampaignOptions& options) : options_(options) {}

  /// The hash of a unit's first runs. kUnavailable: no process can be started, or it ended.
  Result<std::uint64_t> HashOf(const Unit& unit, std::uint64_t runs);

 private:
  const CampaignOptions& options_;
  std::unique_ptr<WorkerProcess> worker_;
};

}  // namespace interlock::scenarios
