// SPDX-License-Identifier: MIT
//
// A contention measurement as text: for a terminal, as GitHub's Markdown, as CSV with every figure,
// and as JUnit with a case for each threshold. Foreign text is made safe for each.
//
// Thread safety: pure functions.
#pragma once

#include <string>

#include "reports/contention.h"
#include "reports/exit_code.h"
#include "reports/text_layout.h"

namespace interlock::reports {

std::string ToText(const ContentionReport& report, const TextOptions& options);
std::string ToMarkdown(const ContentionReport& report);
/// A line for each lock, number of clients and figure; unknown values are empty.
std::string ToCsv(const ContentionReport& report);
std::string ToJUnit(const ContentionReport& report);

/// kThreshold if a gate was crossed, kInconclusive if one had no value to compare.
ExitCode ExitCodeOf(const ContentionReport& report);

/// "PASS", "FAIL", "INCONCLUSIVE"; without gates "MEASURED".
std::string_view Headline(const ContentionReport& report);

/// The kind of its times: "virtual" or "wall".
std::string_view TimeOf(const ContentionReport& report);

/// The load in one line: "closed loop, sections of 5 ms, …".
std::string InWords(const ContentionReport& report);

}  // namespace interlock::reports
