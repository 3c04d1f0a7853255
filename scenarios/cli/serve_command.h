// SPDX-License-Identifier: MIT
//
// The exit code of `interlock serve`.
//
// Thread safety: a pure function. Errors: none.
#pragma once

#include "reports/exit_code.h"
#include "scenarios/cli/output.h"
#include "sim/serve/options.h"

namespace interlock::scenarios::cli {

/// The exit code of a server that ended with `end`. `printed` says whether its addresses could be
/// printed; it matters only if they were the reason for the end (kNoOutput).
reports::ExitCode ServeExitCode(sim::serve::ServeEnd end, Printed printed);

}  // namespace interlock::scenarios::cli
