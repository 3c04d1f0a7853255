// SPDX-License-Identifier: MIT
//
// The spans of a run, for viewers that draw time: when clients believed that they held the lock,
// and when the servers had them as its owner.
//
// Thread safety: pure function.
#pragma once

#include <vector>

#include "reports/case_rows.h"
#include "scenarios/log/run_result.h"

namespace interlock::scenarios {

/// Sorted by resource, kind and beginning. REQUIRES: the run has its histories; `rows`, of the same
/// run, are sorted by time. Leaves out owners whose client is not known (a hand-over whose token
/// nobody has shown yet), and spans that begin after the last row.
std::vector<reports::Stretch> StretchesOf(const RunResult& run,
                                          const std::vector<reports::TableRow>& rows);

}  // namespace interlock::scenarios
