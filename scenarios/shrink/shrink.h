// SPDX-License-Identifier: MIT
//
// Makes a failing run small: workload, faults and schedule together. Every step keeps the same
// violated property; it is a new run each time, so what remains is a true run and replays exactly.
#pragma once

#include <atomic>

#include "scenarios/generators.h"
#include "scenarios/run.h"

namespace interlock::scenarios {

struct ShrinkResult {
  Workload workload;
  sim::Tape tape;
  int tries = 0;    ///< runs made
  int shrinks = 0;  ///< of them, those that were smaller and still failed
};

/// REQUIRES: `found` with `tape` violates `property`. At most `budget` runs, and none
/// after `stop` (if any) is set: what was reached by then is returned, and fails as well.
ShrinkResult Shrink(sim::Universe& universe, const RunCase& run_case, GeneratedWorkload found,
                    sim::Tape tape, Judged property, int budget,
                    const std::atomic<bool>* stop = nullptr);

}  // namespace interlock::scenarios
