// SPDX-License-Identifier: MIT
//
// A case as a trace for Perfetto: drop the file on ui.perfetto.dev, which reads it in the browser
// and uploads it nowhere.
//
// Each client has a thread with its requests, commands and critical sections as slices, and a track
// for the spans in which it believed that it held the lock. Each Redis server has a thread with the
// commands that it executed; each resource has a track with its owners. Faults and the violation
// are shown beside them. Arrows lead from a command to its execution and to its reply.
//
// Guarantee: times are the case's virtual nanoseconds, unchanged (a time before the start is shown
// at the start); slices that never ended have no end; events of the same nanosecond are in the
// order in which they happened. A command whose reply never came is an instant, because it is
// unknown how long its client waited. Foreign text is cut to 300 columns on one line. Equal input
// gives equal bytes. Thread safety: pure function. Errors: none.
#pragma once

#include <string>

#include "reports/run_report.h"

namespace interlock::reports {

/// A binary message of type perfetto.protos.Trace.
std::string ToPerfetto(const Counterexample& example);

}  // namespace interlock::reports
