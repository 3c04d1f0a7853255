// SPDX-License-Identifier: MIT
//
// Ctrl-C and SIGTERM ask a long command to end early with what it has; asked twice, it just ends.
// The second signal of one process is still its first request, because timeout(1) sends two.
#pragma once

#include <atomic>

#include "reports/exit_code.h"

namespace interlock::scenarios::cli {

/// From now on the two signals only set the flag. To be called once.
void CatchInterruption();

/// Set by a signal.
const std::atomic<bool>& Interrupted();

/// kPass, or the code of the signal that came.
reports::ExitCode InterruptionCode();

}  // namespace interlock::scenarios::cli
