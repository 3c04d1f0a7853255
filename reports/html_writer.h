// SPDX-License-Identifier: MIT
//
// A run as one HTML page, to be opened from disk: the verdict first; below it, for a failed run,
// the first counterexample as a diagram of clients and servers over time next to a table,
// positioned at its violation; then a table of the locks and properties that were put to the test.
// The other counterexamples, and every lock in every scenario, are folded.
//
// Guarantee: one file, which loads nothing else: its content security policy forbids everything but
// its own style and script. Foreign text stays text: it can neither be markup or script nor break
// out of either. The page is readable without the script, without colour, in print, in dark mode
// and with a screen reader; a case is stepped through with the keyboard. Equal input gives equal
// bytes.
// Non-guarantee: at most kMostCaseRows rows of a case and kMostCases cases are shown; the page
// names what it left out. Thread safety: pure functions.
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
/// Inside class "first" its height is limited to the rest of the first screen.
std::string ToHtmlCase(const Counterexample& example, std::size_t number);

}  // namespace interlock::reports
