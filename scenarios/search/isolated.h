// SPDX-License-Identifier: MIT
//
// Runs locks that are not ours, one worker per thread (worker_process.h), so that nothing such a
// lock does to its process affects the verdicts of the others.
//
// Design. The parent requests a whole piece of work (a block of runs, an exploration, a case to
// shrink or explain) and waits. If the worker ends before it answers, or a run exceeds the
// patience, the black box tells which run it was. Then
// - a unit ends at its first crash in run order: earlier runs are repeated in a new worker, so that
//   they count; later ones do not count. So sums and hashes depend neither on the number of threads
//   nor on shards. After a hang the rest of the lock's work is left out, see WhyLeftOut in plan.h:
//   each such unit would cost the patience again.
// - the crash is a violation of LK017 in a row of its own, whose token is the seed of the run or,
//   without one, the workload with the draws so far; the unit's other rows fail as inconclusive
//   unless already violated.
// - a case that crashes while being shrunk stays as found; an explanation that crashes is repeated
//   without trying neighbours.
// What code as it is compiled allocates and never frees stays in its worker, which is replaced
// after kCompiledRuns. Our own locks run in the calling process: they are known not to crash, and
// that is faster.
//
// Non-guarantee: a crash that depends on state left by earlier runs of the process may, with
// another number of threads, be found in another run or not at all; its replay says so. Thread
// safety: belongs to the thread that made it.
#pragma once

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

/// What each of so many runs leaves, a MiB at most, its worker may have.
inline constexpr std::uint64_t kCompiledRuns = 1000;

class IsolatedRunner {
 public:
  /// The options outlive it.
  explicit IsolatedRunner(const CampaignOptions& options) : options_(options), here_(options) {}

  /// Whether this lock runs in a worker; otherwise, or if no worker can be started, it runs here.
  bool Isolates(const Entry& entry);

  /// As in UnitRunner.
  UnitResult RunBlock(const Unit& unit, std::uint64_t first, std::uint64_t count);
  void Shrink(Found& found, int budget);
  void TakeAsFound(Found& found);
  /// As in lock_exploration.h.
  ExplorationSum Explore(const LockExploration& exploration);
  /// As in to_report.h. For a crash, explains the steps up to it.
  reports::Counterexample Explain(const Found& found, std::string_view program, Effort effort);

  /// Makes the run that a token names, alone, in its own worker. nullopt: it reached its end, or
  /// was stopped. REQUIRES: Isolates(entry).
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
  std::uint64_t compiled_runs_ = 0;  ///< of this worker, of locks with Traits::posix
  bool unavailable_ = false;
};

/// Explains a run whose process ended like this.
reports::Counterexample ExplainEnd(const Found& found, const WorkerEnd& end,
                                   std::string_view program);

/// A fresh process that has run none of these locks before, to compare with.
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
