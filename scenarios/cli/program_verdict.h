// SPDX-License-Identifier: MIT
//
// The result of a search through a user's program as the public functions give it. Thread safety:
// pure functions, apart from the program's own code.
#pragma once

#include <string>

#include <interlock/harness/simulate.h>

#include "scenarios/search/program/program_search.h"

namespace interlock::scenarios::cli {

/// There is none, and the message says why.
harness::SimulateVerdict WithoutVerdict(std::string message);

harness::SimulateVerdict VerdictOf(const harness::Program& program,
                                   const ProgramSearchResult& result);

}  // namespace interlock::scenarios::cli
