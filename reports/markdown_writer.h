// SPDX-License-Identifier: MIT
//
// The report as GitHub's Markdown, for a step summary, a comment or a wiki.
//
// Guarantee: the verdict first, then the rows that did not pass, with each property's first case in
// full, then a line for each lock. Foreign text has no meaning as Markdown or HTML and cannot close
// a fence. At most `most_bytes` long: longer text is cut at the end of a line, and the last line
// says so (GitHub drops a step summary of more than 1 MiB altogether). Equal input gives equal
// bytes. Thread safety: pure function.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "reports/run_report.h"

namespace interlock::reports {

/// Less than GitHub's 1 MiB, to leave room for other steps.
inline constexpr std::size_t kStepSummaryBytes = 900'000;

/// Foreign text as inline code, also inside a table cell; backticks and pipes cannot end either. It
/// is never cut, so that it can be copied.
std::string MarkdownCode(std::string_view text);

/// The beginning of the text, in whole lines and with no fence left open, and a note that the rest
/// is in run.json.
std::string CutMarkdown(std::string text, std::size_t most_bytes);

std::string ToMarkdown(const RunReport& report, const std::vector<Counterexample>& counterexamples,
                       std::size_t most_bytes = kStepSummaryBytes);

}  // namespace interlock::reports
