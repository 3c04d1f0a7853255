// SPDX-License-Identifier: MIT
//
// Makes a failing run small: clients, faults, operations, schedule and lengths together. Every step
// is a new run that fails for the same reason (see trial.h), so what remains is a true run and
// replays exactly.
//
// The order of the passes: the tape is cut where it no longer matters; faults go in batches, then
// clients, resources, operations, and what matters only for its time or for which client does it;
// what the schedule chose becomes "go on"; lengths become simple ones. All of it again, until
// nothing gives way.
//
// Determinism: a function of its inputs, unless `stop` is set. Thread safety: as Universe.
#pragma once

#include <atomic>

#include "scenarios/run/run.h"
#include "scenarios/search/shrink/trial.h"

namespace interlock::scenarios {

struct ShrinkResult {
  Workload workload;
  sim::Tape tape;
  int tries = 0;    ///< runs made
  int shrinks = 0;  ///< of them, those that were smaller and still failed
};

/// REQUIRES: `found` with `tape` violates `property`. At most `budget` runs, and none
/// after `stop` (if any) is set: what was reached by then is returned, and fails as well. A case
/// that does not fail three times in a row in one way is returned as it came.
ShrinkResult Shrink(sim::Universe& universe, const RunCase& run_case, const Workload& found,
                    const sim::Tape& tape, Judged property, int budget,
                    const std::atomic<bool>* stop = nullptr);

}  // namespace interlock::scenarios
