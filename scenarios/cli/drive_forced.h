// SPDX-License-Identifier: MIT
//
// `interlock drive --replay FILE --redis URL|spawn`: a case of foreign clients on real servers; see
// search/foreign/real_replay.h. Thread safety: none.
#pragma once

#include <string>

#include "reports/exit_code.h"
#include "reports/run_report.h"
#include "scenarios/search/foreign/real_replay.h"

namespace interlock::scenarios::cli {

/// Prints what came of it, as text or as JSON (interlock.forced/1). `source`: the case's file.
/// Returns 1: reproduced at least once; 70: never; 2: no server can be made to do it, or it was
/// stopped before a try was over; 64, 65 or 69, with a complaint, as real_replay.h has it.
reports::ExitCode ReplayDriveCase(const reports::Counterexample& example, const std::string& source,
                                  const drive::RealReplayOptions& options, bool json);

}  // namespace interlock::scenarios::cli
