// SPDX-License-Identifier: MIT
//
// The confidence that a verdict based on samples deserves.
//
// The rule of three (Hanley and Lippman-Hand 1983): after n independent runs without a violation,
// its probability is below 3/n at 95 % confidence, because 0.95 = 1 - (1 - 3/n)^n for n that are
// not small. That probability refers to the runs that this generator draws, and to nothing else.
// Thread safety: pure functions. Errors: none.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "reports/run_report.h"

namespace interlock::reports {

/// n / 3, where n is the number of runs that put the property to the test: at 95 % a violation is
/// rarer than one in that many runs. 1 says nothing. nullopt: the row is not a pass of drawn runs
/// (it is violated or inconclusive, or about a specimen, a pinned case, a proof or a saved case).
std::optional<std::uint64_t> RarerThanOneIn(const ResultRow& row);

/// That bound as a phrase: "1 in n" between `before` and `after`, or that the runs are too few.
std::string RarenessText(std::uint64_t rarer, std::string_view before = {},
                         std::string_view after = {});

/// That bound as the end of a sentence about the row; empty if the row has none.
std::string WorthSentence(const ResultRow& row);

/// The row of a report about which drawn runs say the least; nullptr: they say nothing about any
/// row, or there was only one run, which is a case and not a sample.
const ResultRow* WeakestRow(const RunReport& report);

}  // namespace interlock::reports
