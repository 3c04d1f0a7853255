// SPDX-License-Identifier: MIT
//
// The report for a terminal.
//
//   fmt::print("{}", ToText(report, counterexamples, {.utf8 = true, .color = IsTerminal()}));
//
// Guarantee: equal input gives equal bytes; no line is wider than asked except a replay command,
// which is meant to be copied; nothing from the code under test can move the cursor, forge a line
// or give a command to a CI system. The last line begins with PASS, FAIL, INCONCLUSIVE or INTERNAL
// FAULT and agrees with ExitCodeOf(report).
// Non-guarantee: very long names and texts are cut; run.json has them in full.
// Thread safety: pure functions. Errors: none.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "reports/run_report.h"
#include "reports/text_layout.h"

namespace interlock::reports {

/// Verdicts by lock, coverage, failures, totals. The first failing row of each property code is
/// explained in full if `counterexamples` has its case; the others get a line each.
std::string ToText(const RunReport& report, const std::vector<Counterexample>& counterexamples,
                   const TextOptions& options);

/// ToText in three parts, for verdicts that are shown as they arrive: this, then the rows as
/// formatted by a RowsText (see text_rows.h), then TextRest. The head uses only tool, seed and
/// backend.
std::string TextHead(const RunReport& report, const TextOptions& options);
std::string TextRest(const RunReport& report, const std::vector<Counterexample>& counterexamples,
                     const TextOptions& options);

/// One failing case in full, followed by a newline.
std::string ToText(const Counterexample& counterexample, const TextOptions& options);

/// The case of `row`, or nullptr.
const Counterexample* FindCounterexample(const std::vector<Counterexample>& counterexamples,
                                         const ResultRow& row);

/// "PASS", "FAIL", "INCONCLUSIVE" or "INTERNAL FAULT", matching ExitCodeOf(report).
std::string_view Headline(const RunReport& report);

}  // namespace interlock::reports
