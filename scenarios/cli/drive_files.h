// SPDX-License-Identifier: MIT
//
// The files that `interlock drive` and `interlock audit` leave of a foreign client's cases. Thread
// safety: none.
#pragma once

#include <string>

#include "reports/exit_code.h"
#include "reports/run_report.h"
#include "scenarios/cli/publish.h"

namespace interlock::scenarios::cli {

/// Writes the case below `folder` of settings.out (empty: there itself), with the command line that
/// replays it, and notes in the row of its property where it is. `report` is in that folder, too,
/// and knows its tool.
reports::ExitCode WriteDriveCase(const OutputSettings& settings, const std::string& folder,
                                 reports::RunReport& report, reports::Counterexample& example);

}  // namespace interlock::scenarios::cli
