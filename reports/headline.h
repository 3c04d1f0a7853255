// SPDX-License-Identifier: MIT
//
// The word that sums up a whole report, its look in each kind of output, and the words for one row.
//
// Thread safety: pure functions.
#pragma once

#include <string_view>

#include "reports/exit_code.h"
#include "reports/run_report.h"

namespace interlock::reports {

/// "PASS", "FAIL", "INCONCLUSIVE" or "INTERNAL FAULT".
std::string_view Headline(ExitCode code);

/// The terminal's escape sequence that begins the colour. "MEASURED" looks the same as "PASS".
std::string_view ColorOf(std::string_view headline);
/// The class in the HTML style sheet; "soft" for an empty headline.
std::string_view StyleOf(std::string_view headline);

/// "FAIL", "acquitted", "inconclusive" or "now passes". REQUIRES: the row does not pass.
std::string_view TroubleOf(const ResultRow& row);

}  // namespace interlock::reports
