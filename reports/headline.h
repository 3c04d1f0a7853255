// SPDX-License-Identifier: MIT
//
// The word that stands for a whole report, and the look that it has in each kind of output; and the
// words for one row.
//
// Thread safety: pure functions.
#pragma once

#include <string_view>

#include "reports/exit_code.h"
#include "reports/run_report.h"

namespace interlock::reports {

/// "PASS", "FAIL", "INCONCLUSIVE" or "INTERNAL FAULT".
std::string_view Headline(ExitCode code);

/// "MEASURED" looks as "PASS" does. On a terminal: what begins the colour.
std::string_view ColorOf(std::string_view headline);
/// In HTML: a class of the style sheet; "soft" for an empty one.
std::string_view StyleOf(std::string_view headline);

/// "FAIL", "acquitted", "inconclusive" or "now passes". REQUIRES: the row does not pass.
std::string_view TroubleOf(const ResultRow& row);

}  // namespace interlock::reports
