// SPDX-License-Identifier: MIT
//
// The random search for a violation in a user's program, which ends at the first.
//
// The first run is calm and tells how many steps each client makes; each later one has a strategy
// and faults of its own. A sample of the runs is made twice. Determinism: a function of its inputs.
// Thread safety: may be called from any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "scenarios/run/program/program_faults.h"
#include "scenarios/run/program/program_run.h"
#include "scenarios/search/program/program_case.h"
#include "scenarios/search/program/program_shrink.h"

namespace interlock::scenarios {

struct ProgramSearchOptions {
  std::uint64_t seed = 1;
  std::uint64_t runs = 1;
  std::vector<FaultLimit> limits;
  int shrink_runs = 0;
  int jobs = 1;  ///< threads; the result does not depend on it
};

struct FoundBreach {
  ProgramCase original;
  ShrunkProgram shrunk;
  Breach breach;  ///< of the smallest case
};

struct ProgramSearchResult {
  std::uint64_t runs = 0;
  std::optional<FoundBreach> found;
  std::string no_verdict;  ///< why there is none; empty: there is
  std::string token;       ///< of the run without a verdict, if it is about one
};

ProgramSearchResult SearchProgram(const harness::Program& program, const Workload& calm,
                                  const ProgramSearchOptions& options);

/// As a search that has found this case in its last run, and shrinks it by `shrink_runs`. Nothing
/// is found if the program does not fail with it.
ProgramSearchResult ResultOf(const harness::Program& program, const ProgramCase& one,
                             std::uint64_t runs, int shrink_runs);

/// How two runs of one case differ, as a sentence; empty: they do not.
std::string HowTheyDiffer(const ProgramResult& once, const ProgramResult& again);

}  // namespace interlock::scenarios
