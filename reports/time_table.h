// SPDX-License-Identifier: MIT
//
// Draws the time table of a counterexample: one column per client and per server, time running
// downwards, bars for sections and pauses, marks in the margin for faults and the violation.
//
// Guarantee: no line is wider than asked; long cells are wrapped, too many columns become a list,
// and a very long table keeps its beginning and the surroundings of the violation and says what it
// left out. Thread safety: pure function. Errors: none; a row of an unknown column goes to the last
// one.
#pragma once

#include <string>
#include <vector>

#include "reports/run_report.h"
#include "reports/text_layout.h"

namespace interlock::reports {

/// Returns lines without newlines or colours.
std::vector<std::string> TimeTable(const Counterexample& counterexample,
                                   const TextOptions& options);

}  // namespace interlock::reports
