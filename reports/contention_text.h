// SPDX-License-Identifier: MIT
//
// A measurement of contention as text: what a terminal is told, GitHub's Markdown, CSV with every
// figure, and JUnit with a case for each threshold. Foreign text is made safe for each.
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

/// kThreshold if a gate was crossed, kInconclusive if one had nothing to be held against.
ExitCode ExitCodeOf(const ContentionReport& report);

/// "PASS", "FAIL", "INCONCLUSIVE"; without gates "MEASURED".
std::string_view Headline(const ContentionReport& report);

/// Of what kind its times are: "virtual" or "wall".
std::string_view TimeOf(const ContentionReport& report);

/// The load in one line: "closed loop, sections of 5 ms, …".
std::string InWords(const ContentionReport& report);

}  // namespace interlock::reports
