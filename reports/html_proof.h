// SPDX-License-Identifier: MIT
//
// What a run has put to the test, at a glance: a table of the locks and of the properties that each
// was held to, and the specimens with what convicted them. For the page of html_writer.h.
//
// Guarantee: a verdict that does not pass shows in its lock's and property's place, whatever else
// passed there. Thread safety: pure functions.
#pragma once

#include <string>

#include "reports/run_report.h"

namespace interlock::reports {

/// A sentence about all, the verdict that the fewest runs put to the test, and the table. A lock's
/// name is a link to "#lock-N", the Nth lock of the report counted from 1.
std::string ToHtmlProof(const RunReport& report);

struct SpecimensTold {
  std::size_t convicted = 0;
  std::size_t all = 0;
  std::string table;  ///< one row for each specimen
};

SpecimensTold ToHtmlSpecimens(const RunReport& report);

}  // namespace interlock::reports
