// SPDX-License-Identifier: MIT
//
// A violation in a user's program as a counterexample, laid out like those of locks. Thread safety:
// pure functions, apart from the program's own code.
#pragma once

#include <string>
#include <vector>

#include "reports/run_report.h"
#include "scenarios/run/program/program_run.h"
#include "scenarios/search/program/program_case.h"
#include "scenarios/search/program/program_search.h"

namespace interlock::scenarios {

/// `run` is that of the case, with its events. REQUIRES: it has a breach.
reports::Counterexample CounterexampleOf(const harness::Program& program, const ProgramCase& one,
                                         const ProgramResult& run);

/// The counterexample of what a search has found, with how it was found.
reports::Counterexample CounterexampleOf(const harness::Program& program,
                                         const ProgramSearchResult& result);

/// A line for each fault: "C1 at step 5: pause for 2000.000 ms".
std::vector<std::string> FaultLines(const Workload& workload);

/// The case as text, and how to replay it.
std::string TextOf(const reports::Counterexample& counterexample, const std::string& token);

}  // namespace interlock::scenarios
