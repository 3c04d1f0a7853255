// SPDX-License-Identifier: MIT
//
// Ctrl-C and SIGTERM ask a long command to end early with the results so far; a second request ends
// it at once. Two signals from the same process count as one request, because timeout(1) sends two.
#pragma once

#include <atomic>

#include "reports/exit_code.h"

namespace interlock::scenarios::cli {

/// From now on the two signals only set the flag. REQUIRES: called only once.
void CatchInterruption();

/// True once a signal has come.
const std::atomic<bool>& Interrupted();

/// kPass, or the code of the signal that came.
reports::ExitCode InterruptionCode();

}  // namespace interlock::scenarios::cli
