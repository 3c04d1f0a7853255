// SPDX-License-Identifier: MIT
//
// Bounded exhaustive exploration: every order of steps and every placement of faults within the
// bounds, each state once. Stateless: a run replays its prefix and goes on depth first; the
// alternatives it passes are left for later runs.
//
// Guarantee: when `complete`, every run of the workload within the bounds either was made, or comes
// through a state from which all runs were made (see sim/fingerprint.h for when states are equal,
// and CollisionBound for the chance of mistaking two for one). The verdict, the number of states
// and the outcomes do not depend on `jobs`; the number of runs does, and so does which of several
// violations of equal size is shown.
// Non-guarantee: nothing is said about runs beyond the bounds.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/run/run.h"
#include "scenarios/search/explore/bounds.h"

namespace interlock::scenarios {

/// A violating run that replays: RunOnce of this workload and tape violates the property.
struct MinimalCase {
  Workload workload;
  sim::Tape tape;
  Judged property = Judged::kServerExclusion;
  std::string what;  ///< the violation, one sentence
  Bounds bounds;     ///< the smallest in which it was looked for and found
  int faults = 0;
  std::uint64_t commands = 0;
  bool minimal =
      false;  ///< no run of fewer faults, or as many and fewer clients or attempts, fails
};

struct ExploreProgress {
  double done = 0;  ///< 0 to 1: the share of states on random paths already visited
  std::uint64_t states = 0;
  std::uint64_t runs = 0;
};

struct ExploreOptions {
  RunCase run_case;
  Bounds bounds;
  std::vector<Judged> only;  ///< look only for violations of these; empty: of all that is promised
  int jobs = 1;
  bool merge = true;
  bool symmetry =
      true;            ///< clients may change places; if that turns out to be wrong, it is given up
  bool reduce = true;  ///< commuting steps of different clients are taken in one order only
  /// After a violation, look for the smallest: fewest faults, then clients, attempts and commands.
  bool minimise = true;
  std::uint64_t most_states = 0;  ///< stop, incomplete, beyond this many; 0: no limit
  std::optional<std::chrono::milliseconds> budget;
  const std::atomic<bool>* stop = nullptr;
  std::string version;     ///< this program's: checkpoints of other versions are refused
  std::string checkpoint;  ///< file to continue from and to save to; empty: none
  std::function<void(const ExploreProgress&)> progress;  ///< called now and then
};

struct Exploration {
  bool complete = false;
  bool symmetric = false;  ///< interchangeable clients were treated as the same
  ExploreProgress progress;
  std::uint64_t commands = 0;          ///< of all runs together
  std::uint64_t audited = 0;           ///< random paths whose states must all have been visited
  std::uint64_t divergences = 0;       ///< new states and outcomes found on those paths
  std::uint64_t unlike = 0;            ///< how many of those paths differed when repeated
  PerJudged<std::uint64_t> exercised;  ///< runs that put the property to the test
  PerJudged<bool> violated;            ///< all of those met; without `minimise`, all there are
  std::set<std::string> outcomes;
  std::string inconclusive;  ///< why there is no verdict, complete or not; empty: there is
  std::optional<MinimalCase> violation;
  std::string lost_checkpoint;  ///< why it could not be saved; empty: saved, or not asked for
};

/// Why no lock can promise the property within these bounds, as half a sentence; empty: one can.
std::string_view WhyNotDemanded(Judged property, const ExploreOptions& options);

/// The properties whose violations an exploration looks for: those judged by the scenario that a
/// lock can promise (see WhyNotDemanded), or those in `options.only`.
std::vector<Judged> LookedFor(const ExploreOptions& options);

/// Throws std::runtime_error if the checkpoint file belongs to another exploration, is damaged, or
/// could not be overwritten.
Exploration Explore(const ExploreOptions& options);

}  // namespace interlock::scenarios
