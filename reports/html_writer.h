// SPDX-License-Identifier: MIT
//
// A run as one page of HTML, to be opened from disk: the verdict first, then what did not pass with
// each case as a diagram of clients and servers over time and as a table beside it, then every lock
// in every scenario.
//
// Guarantee: one file, which asks for nothing else: its content security policy forbids all but its
// own style and script. Foreign text is text: it can be neither markup, nor script, nor a way out
// of either. Readable without the script, without colour, in print, in the dark and by a screen
// reader; a case is stepped through with the keyboard. Equal input gives equal bytes.
// Non-guarantee: more than kMostCaseRows rows of a case, or kMostCases cases: what is left out is
// named. Thread safety: pure functions.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "reports/run_report.h"

namespace interlock::reports {

inline constexpr std::size_t kMostCaseRows = 10'000;
inline constexpr std::size_t kMostCases = 60;

std::string ToHtml(const RunReport& report, const std::vector<Counterexample>& counterexamples);

/// One case, for a page that has kPageStyle and kPageScript. `number` makes its identifiers unique.
std::string ToHtmlCase(const Counterexample& example, std::size_t number);

}  // namespace interlock::reports
