// SPDX-License-Identifier: MIT
//
// A run as one page of HTML, to be opened from disk: the verdict first; below it, of a run that
// failed, the first counterexample as a diagram of clients and servers over time with a table
// beside it, at its violation; then what was put to the test as a table of locks and properties.
// The other counterexamples, and every lock in every scenario, are folded.
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
/// Within class "first" it is as high as is left of the first screen.
std::string ToHtmlCase(const Counterexample& example, std::size_t number);

}  // namespace interlock::reports
