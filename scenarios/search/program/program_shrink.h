// SPDX-License-Identifier: MIT
//
// Shrinks a violation of a user's program: faults and choices together. Every step is a new run
// that violates the same invariant, so the result is a real run and replays exactly. What the
// clients do stays as it is, because that is code.
//
// Order of the passes: cut the tape where it no longer matters; remove faults in batches; calm the
// tape; simpler lengths; earlier faults. Repeats until nothing changes. Determinism: a function of
// its inputs. Thread safety: that of Universe.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "scenarios/run/program/program_run.h"
#include "scenarios/search/program/program_case.h"

namespace interlock::scenarios {

struct ShrunkProgram {
  ProgramCase smallest;
  int tries = 0;    ///< runs made
  int shrinks = 0;  ///< how many of them were smaller and still failed
  /// For each fault of the smallest case, whether the case without it is in order.
  std::vector<bool> needed;
};

/// REQUIRES: `found` has the breach `like`, whenever it is run. Makes at most `budget` runs, and a
/// last one for each fault that is left.
ShrunkProgram ShrinkProgram(sim::Universe& universe, const harness::Program& program,
                            const ProgramCase& found, const Breach& like, int budget);

}  // namespace interlock::scenarios
