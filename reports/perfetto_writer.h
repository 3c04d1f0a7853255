// SPDX-License-Identifier: MIT
//
// A case as a trace for Perfetto: drop the file on ui.perfetto.dev, which reads it in the browser
// and sends it nowhere.
//
// Of the clients: a thread each, with what it asked for, its commands and its sections as slices,
// and a track for the times in which it believed to hold the lock. Of Redis: a thread for each
// server with what it executed, and a track for each resource with whom it had as the owner. Beside
// them faults and the violation. Arrows lead from a command to its execution and to its reply.
//
// Guarantee: times are the case's virtual nanoseconds, unchanged (one before the start is shown at
// the start); what never ended has no end; what happened at one nanosecond stands in the order in
// which it happened. A command whose reply never came is an instant, because nobody can say for how
// long it was waited for. Foreign text is cut to 300 columns, and one line. Equal input gives equal
// bytes. Thread safety: pure function. Errors: none.
#pragma once

#include <string>

#include "reports/run_report.h"

namespace interlock::reports {

/// Binary: a message of type perfetto.protos.Trace.
std::string ToPerfetto(const Counterexample& example);

}  // namespace interlock::reports
