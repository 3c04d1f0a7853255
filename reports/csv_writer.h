// SPDX-License-Identifier: MIT
//
// The verdicts as CSV (RFC 4180): a line for each row, all fields quoted, lines ended by CR LF.
//
// Guarantee: readers of RFC 4180 get back the fields of run.json, with two exceptions: control
// characters become visible escapes, and text that a spreadsheet would take for a formula (it
// begins with = + - @) begins with an apostrophe. Equal input gives equal bytes. Thread safety:
// pure function.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "reports/run_report.h"

namespace interlock::reports {

std::string ToCsv(const RunReport& report);

/// One line, each field quoted.
void AddCsvLine(std::initializer_list<std::string_view> fields, std::string& csv);

}  // namespace interlock::reports
