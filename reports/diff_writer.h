// SPDX-License-Identifier: MIT
//
// The differences between two runs: for a terminal, as GitHub's Markdown for a comment, and as JSON
// (schema interlock.diff/1). Foreign text is made safe for each.
//
// Guarantee: equal data gives equal bytes; the last line of the text agrees with ExitCodeOf(diff).
// Thread safety: pure functions.
#pragma once

#include <string>
#include <string_view>

#include "reports/run_diff.h"
#include "reports/text_layout.h"

namespace interlock::reports {

std::string ToText(const RunDiff& diff, const TextOptions& options);
std::string ToMarkdown(const RunDiff& diff);
std::string ToJson(const RunDiff& diff);

/// "PASS", "FAIL", "INCONCLUSIVE" or "INTERNAL FAULT".
std::string_view Headline(const RunDiff& diff);

}  // namespace interlock::reports
