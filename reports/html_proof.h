// SPDX-License-Identifier: MIT
//
// An overview of what a run has put to the test: a table of the locks and the properties checked on
// each, and the specimens with the evidence that convicted them. For the page of html_writer.h.
//
// Guarantee: a verdict that does not pass shows in its lock's and property's cell, whatever else
// passed there. Thread safety: pure functions.
#pragma once

#include <string>

#include "reports/run_report.h"

namespace interlock::reports {

/// A summary sentence, the verdict that the fewest runs put to the test, and the table. A lock's
/// name links to "#lock-N", where N is its number in the report, from 1.
std::string ToHtmlProof(const RunReport& report);

struct SpecimensTold {
  std::size_t convicted = 0;
  std::size_t all = 0;
  std::string table;  ///< one row per specimen
};

SpecimensTold ToHtmlSpecimens(const RunReport& report);

}  // namespace interlock::reports
