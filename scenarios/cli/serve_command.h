// SPDX-License-Identifier: MIT
//
// What `interlock serve` tells its caller.
//
// Thread safety: a pure function. Errors: none.
#pragma once

#include "reports/exit_code.h"
#include "scenarios/cli/output.h"
#include "sim/serve/options.h"

namespace interlock::scenarios::cli {

/// The exit code of a server that has ended in this way; `printed`: what became of the addresses
/// that it had to print, which counts where they were the reason (kNoOutput).
reports::ExitCode ServeExitCode(sim::serve::ServeEnd end, Printed printed);

}  // namespace interlock::scenarios::cli
