// SPDX-License-Identifier: MIT
#include "scenarios/search/explore/exhaustive.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "scenarios/judge/demanded.h"
#include "scenarios/search/explore/checkpoint.h"
#include "scenarios/search/explore/search.h"

namespace interlock::scenarios {
namespace {

using Deadline = std::optional<std::chrono::steady_clock::time_point>;

constexpr std::uint64_t kAuditedPaths = 200;
constexpr std::chrono::seconds kBetweenCheckpoints{30};

/// The smallest case of the same property: the first one in the order of growing bounds. Returns
/// nothing if the time is up before.
std::optional<MinimalCase> Minimise(const ExploreOptions& options, const MinimalCase& found,
                                    Deadline deadline) {
  for (int faults = 0; faults <= found.faults; ++faults) {
    for (int clients = 1; clients <= options.bounds.clients; ++clients) {
      for (int attempts = 1; attempts <= options.bounds.attempts; ++attempts) {
        Bounds bounds = options.bounds;
        bounds.faults = faults;
        bounds.clients = clients;
        bounds.attempts = attempts;
        Search search(options, bounds, {found.property}, false);
        search.Run(deadline);
        if (!search.result().complete) return std::nullopt;
        if (search.result().violation) {
          std::optional<MinimalCase> minimal = search.result().violation;
          minimal->minimal = true;
          return minimal;
        }
      }
    }
  }
  return std::nullopt;
}

bool Interrupted(const ExploreOptions& options, Deadline deadline) {
  if (options.stop != nullptr && *options.stop) return true;
  return deadline && std::chrono::steady_clock::now() >= *deadline;
}

/// Runs the search. Returns why a checkpoint was lost; empty if none was.
std::string RunWithCheckpoints(const ExploreOptions& options, Deadline deadline, Search& search) {
  if (options.checkpoint.empty()) {
    search.Run(deadline);
    return "";
  }
  RequireWritable(options.checkpoint);
  const std::string key = CheckpointKey(options);
  if (auto saved = LoadCheckpoint(options.checkpoint, key)) search.Restore(std::move(*saved));
  do {
    const auto pause = std::chrono::steady_clock::now() + kBetweenCheckpoints;
    search.Run(deadline ? std::min(*deadline, pause) : pause);
    // The branches left do not include the one that led to the violation: resuming from the last
    // checkpoint finds it again.
    if (search.result().violation) break;
    try {
      SaveCheckpoint(options.checkpoint, key, search.Save());
    } catch (const std::runtime_error& error) {
      // A full disk costs the checkpoint, but not the search's findings.
      search.Run(deadline);
      return error.what();
    }
  } while (!search.result().complete && !Interrupted(options, deadline));
  return "";
}

/// Clients are not interchangeable where names matter, for example if a server sorts by them.
/// Anything explored as if they were is useless, checkpoints included.
ExploreOptions KeptApart(ExploreOptions options) {
  options.symmetry = false;
  options.checkpoint.clear();
  return options;
}

/// A property that no run exercises cannot be violated, whatever the lock does.
bool NothingExercised(const Exploration& result, const std::vector<Judged>& judged) {
  return std::ranges::all_of(judged,
                             [&](Judged property) { return result.exercised[property] == 0; });
}

}  // namespace

std::string_view WhyNotDemanded(Judged property, const ExploreOptions& options) {
  const RunCase& run_case = options.run_case;
  const bool accepts_stale_ones = options.bounds.writes == GuardKind::kUnfenced ||
                                  options.bounds.writes == GuardKind::kCheckAndSet;
  if (property == Judged::kFencedWrites && accepts_stale_ones &&
      run_case.synchrony == SynchronyClass::kArbitrary) {
    return "what is guarded looks at no fencing token";
  }
  return WhyNotPromised(property, *run_case.scenario, run_case.synchrony,
                        run_case.subject->traits());
}

std::vector<Judged> LookedFor(const ExploreOptions& options) {
  const RunCase& run_case = options.run_case;
  std::vector<Judged> judged = JudgedFor(*run_case.scenario, *run_case.subject);
  const std::vector<Judged>& only = options.only;
  std::erase_if(judged, [&](Judged property) {
    if (only.empty()) return !WhyNotDemanded(property, options).empty();
    return std::find(only.begin(), only.end(), property) == only.end();
  });
  return judged;
}

Exploration Explore(const ExploreOptions& options) {
  Deadline deadline;
  if (options.budget) deadline = std::chrono::steady_clock::now() + *options.budget;
  const std::vector<Judged> judged = LookedFor(options);
  Search search(options, options.bounds, judged, options.minimise);
  std::string lost_checkpoint = RunWithCheckpoints(options, deadline, search);
  if (search.result().complete && options.merge) {
    search.Audit(std::min(kAuditedPaths, search.result().progress.runs));
  }
  Exploration result = search.result();
  result.lost_checkpoint = std::move(lost_checkpoint);
  if (result.divergences > 0 && options.symmetry) return Explore(KeptApart(options));
  if (result.complete && result.inconclusive.empty() && NothingExercised(result, judged)) {
    result.inconclusive = "no run put it to the test";
  }
  if (result.violation && options.minimise) {
    if (auto minimal = Minimise(options, *result.violation, deadline)) {
      result.violation = std::move(minimal);
    }
  }
  return result;
}

}  // namespace interlock::scenarios
