// SPDX-License-Identifier: MIT
//
// Where a run with a case's choices went another way than the case: its clients are other ones, or
// its choices were changed, so that it says nothing of the recorded race.
//
// Thread safety: pure function.
#pragma once

#include <string>

#include "reports/run_report.h"
#include "scenarios/run/foreign/drive_run.h"

namespace interlock::scenarios::drive {

/// "C1 sends EVAL ..., where it sends GET stock in the case": the first difference in what is sent,
/// or in the faults; empty: there is none. Words that clients draw anew may differ.
std::string DifferenceFrom(const reports::Counterexample& example, const DriveRun& run);

}  // namespace interlock::scenarios::drive
