// SPDX-License-Identifier: MIT
//
// Explains a failing case by trial: what is needed, and how much of it; what may vary; the nearest
// passing run; and the critical step. Each claim was tried on this very case, and holds for it
// alone.
//
// Determinism: a function of its inputs. Thread safety: that of Universe.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "scenarios/run/run.h"
#include "scenarios/search/shrink/trial.h"

namespace interlock::scenarios {

struct Explanation {
  std::vector<std::string> needed;      ///< "pause of C1 > 1099.1 ms before its DEL"
  std::vector<std::string> irrelevant;  ///< "C2's thinking time"
  std::string nearest;                  ///< how the nearest passing run differs; may be empty
  std::string critical;                 ///< the critical step; empty: there was no choice
  int tries = 0;                        ///< runs made
};

/// REQUIRES: `one` violates `property`; `run` is its run, with its events. Makes at most `budget`
/// runs, and reports what they showed.
Explanation ExplainByTrying(sim::Universe& universe, const RunCase& run_case, const TrialCase& one,
                            const RunResult& run, Judged property, int budget,
                            const std::atomic<bool>* stop = nullptr);

/// The last step at or before the violation; 0 if the run has no events.
std::uint64_t ViolatingStep(const RunResult& run, const Violation& violation);

}  // namespace interlock::scenarios
