// SPDX-License-Identifier: MIT
//
// What lasted in a run, for viewers that draw time: the spans in which clients believed to hold the
// lock, and those in which the servers had them as its owner.
//
// Thread safety: pure function.
#pragma once

#include <vector>

#include "reports/case_rows.h"
#include "scenarios/run/run.h"

namespace interlock::scenarios {

/// By resource, kind and beginning. REQUIRES: the run has its histories; `rows`, of the same run,
/// are sorted by time. Left out: owners whose client is not known (a hand-over that nobody has
/// shown yet), and what begins after the last row.
std::vector<reports::Stretch> StretchesOf(const RunResult& run,
                                          const std::vector<reports::TableRow>& rows);

}  // namespace interlock::scenarios
