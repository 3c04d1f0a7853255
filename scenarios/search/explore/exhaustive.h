// SPDX-License-Identifier: MIT
//
// Bounded exhaustive exploration: every order of steps and every placing of faults within the
// bounds, each state once. Stateless: a run repeats its prefix and goes on depth first; what it
// passes by is work for later runs.
//
// Guarantee: when `complete`, every run of the workload within the bounds either was made, or comes
// through a state from which all runs were made (see sim/fingerprint.h for when states are one, and
// CollisionBound for the chance that two were mistaken for one). The verdict, the number of states
// and the outcomes do not depend on `jobs`; the number of runs does, and which of several
// violations of one size is shown.
// Non-guarantee: nothing is said about what is beyond the bounds.
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
  double done = 0;  ///< 0 to 1: the share of the states on random paths that have been visited
  std::uint64_t states = 0;
  std::uint64_t runs = 0;
};

struct ExploreOptions {
  RunCase run_case;
  Bounds bounds;
  std::vector<Judged> only;  ///< look for violations of these alone; empty: of all that is promised
  int jobs = 1;
  bool merge = true;
  bool symmetry =
      true;            ///< clients may change places; if that turns out to be wrong, it is given up
  bool reduce = true;  ///< steps of different clients that commute are taken in one order
  bool minimise = true;           ///< after a violation, look for the smallest
  std::uint64_t most_states = 0;  ///< cut off, incomplete, once it has more; 0: no limit
  std::optional<std::chrono::milliseconds> budget;
  const std::atomic<bool>* stop = nullptr;
  std::string version;     ///< this program's: checkpoints of another one are refused
  std::string checkpoint;  ///< file to continue from and to save to; empty: none
  std::function<void(const ExploreProgress&)> progress;  ///< called now and then
};

struct Exploration {
  bool complete = false;
  bool symmetric = false;  ///< clients that may change places were taken for the same
  ExploreProgress progress;
  std::uint64_t whole_runs = 0;        ///< runs that came to their end
  std::uint64_t beyond = 0;            ///< runs that left the bound of expiries
  std::uint64_t commands = 0;          ///< of all runs together
  std::uint64_t audited = 0;           ///< random paths whose states must all have been visited
  std::uint64_t divergences = 0;       ///< states and outcomes of those paths that had not been met
  std::uint64_t unlike = 0;            ///< how many of those paths went otherwise when repeated
  PerJudged<std::uint64_t> exercised;  ///< runs that put the property to the test
  PerJudged<bool> violated;            ///< all of those met; without `minimise`, all there are
  std::set<std::string> outcomes;
  std::string inconclusive;  ///< why nothing can be said, complete or not; empty: it can
  std::optional<MinimalCase> violation;
  std::string lost_checkpoint;  ///< why it could not be saved; empty: it was, or none was asked for
};

/// The smallest violation within the bounds: the one with the fewest faults, then clients, then
/// attempts, then commands. nullopt: there is none, or it was not found before `options.budget` or
/// `stop`.
std::optional<MinimalCase> ExploreMinimal(ExploreOptions options);

/// Why no lock can promise the property within these bounds, in half a sentence; empty: it can.
std::string_view WhyNotDemanded(Judged property, const ExploreOptions& options);

/// The properties whose violations an exploration looks for: what a lock can promise of those that
/// the scenario judges, see WhyNotDemanded, or what `options.only` names.
std::vector<Judged> LookedFor(const ExploreOptions& options);

/// Throws std::runtime_error if the checkpoint file belongs to another exploration or is damaged,
/// or if none could be written in its place.
Exploration Explore(const ExploreOptions& options);

}  // namespace interlock::scenarios
