// SPDX-License-Identifier: MIT
//
// Makes a failing run small: workload, faults and schedule together. Every step keeps the same
// violated property; it is a new run each time, so what remains is a true run and replays exactly.
#pragma once

#include "scenarios/generators.h"
#include "scenarios/run.h"

namespace interlock::scenarios {

struct ShrinkResult {
  Workload workload;
  sim::Tape tape;
  int tries = 0;    ///< runs made
  int shrinks = 0;  ///< of them, those that were smaller and still failed
};

/// REQUIRES: `found` with `tape` violates `property`. At most `budget` runs.
ShrinkResult Shrink(sim::Universe& universe, const RunCase& run_case, GeneratedWorkload found,
                    sim::Tape tape, Judged property, int budget);

}  // namespace interlock::scenarios
