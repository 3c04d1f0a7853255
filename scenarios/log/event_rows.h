// SPDX-License-Identifier: MIT
//
// The events of a run as rows of a time table, with the violation among them. Rows that explain
// nothing, such as vain polling and late events, are left out; scripts appear by name.
//
// Thread safety: pure function.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "reports/run_report.h"
#include "scenarios/log/run_result.h"

namespace interlock::scenarios {

struct EventTable {
  std::vector<reports::TableRow> rows;
  std::vector<std::string> scripts;  ///< texts of S1, S2, ... in the rows
};

/// REQUIRES: the run has its events. `server` is the column for events at the server; `property`
/// names what was violated: "LK005 foreign-release".
EventTable TableOf(const RunResult& run, const Violation& violation, std::string_view property,
                   std::size_t server);

}  // namespace interlock::scenarios
