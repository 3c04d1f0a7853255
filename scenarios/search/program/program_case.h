// SPDX-License-Identifier: MIT
//
// All that determines a run of a user's program, and its token. Thread safety: pure functions.
#pragma once

#include <string>
#include <string_view>

#include <interlock/harness/program.h>
#include <interlock/result.h>

#include "scenarios/cases/replay_token.h"

namespace interlock::scenarios {

using ProgramCase = PackedRun;

std::string TokenOf(const ProgramCase& one, const harness::Program& program);

/// kInvalidArgument, with what is wrong: the token is none, or is of another program, or of one
/// with other clients or servers than `calm` has, the program's workload.
Result<ProgramCase> CaseIn(std::string_view token, const harness::Program& program,
                           const Workload& calm);

}  // namespace interlock::scenarios
