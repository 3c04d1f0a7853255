// SPDX-License-Identifier: MIT
//
// The report as GitHub's Markdown: for a step's summary, a comment or a wiki.
//
// Guarantee: verdict first, then what did not pass, each property's first case in full, then a line
// for each lock. Foreign text has no meaning as Markdown or HTML, and no fence can be left early.
// At most `most_bytes`: what does not fit is cut at a line, and the last line says so (GitHub loses
// a step summary of more than 1 MiB as a whole). Equal input gives equal bytes. Thread safety: pure
// function.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "reports/run_report.h"

namespace interlock::reports {

/// Of GitHub's 1 MiB, some is left to other steps.
inline constexpr std::size_t kStepSummaryBytes = 900'000;

/// Foreign text in code marks, also in a cell, where a backtick ends the one and a pipe the other;
/// never cut, so that it can be copied.
std::string MarkdownCode(std::string_view text);

/// The beginning of it, whole lines and no open fence, and that the rest is in run.json.
std::string CutMarkdown(std::string text, std::size_t most_bytes);

std::string ToMarkdown(const RunReport& report, const std::vector<Counterexample>& counterexamples,
                       std::size_t most_bytes = kStepSummaryBytes);

}  // namespace interlock::reports
