// SPDX-License-Identifier: MIT
//
// Shrinks a failing run: clients, faults, operations, schedule and lengths together. Every step is
// a new run that fails for the same reason (see trial.h), so the result is a real run and replays
// exactly.
//
// Order of the passes: truncate the tape where it no longer matters; remove faults in batches, then
// clients, resources, operations, and what matters only for its time or its client; replace
// schedule choices by "go on"; simplify lengths. Repeats until nothing changes.
//
// Determinism: a function of its inputs, unless `stop` is set. Thread safety: that of Universe.
#pragma once

#include <atomic>

#include "scenarios/run/run.h"
#include "scenarios/search/shrink/trial.h"

namespace interlock::scenarios {

struct ShrinkResult {
  Workload workload;
  sim::Tape tape;
  int tries = 0;    ///< runs made
  int spent = 0;    ///< of the budget
  int shrinks = 0;  ///< how many of them were smaller and still failed
};

/// REQUIRES: `found` with `tape` violates `property`. Makes at most `budget` runs (see
/// Trial), and none after `stop` (if any) is set; returns the smallest failing case so far. A case
/// that does not fail the same way three times in a row is returned unchanged.
ShrinkResult Shrink(sim::Universe& universe, const RunCase& run_case, const Workload& found,
                    const sim::Tape& tape, Judged property, int budget,
                    const std::atomic<bool>* stop = nullptr);

}  // namespace interlock::scenarios
