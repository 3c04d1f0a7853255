// SPDX-License-Identifier: MIT
//
// What a verdict that rests on samples is worth.
//
// The rule of three (Hanley and Lippman-Hand 1983): after n independent runs without a violation,
// its probability is below 3/n at 95 % confidence, because 0.95 = 1 - (1 - 3/n)^n for n that are
// not small. It is the probability among the runs that this generator draws, and of nothing else.
// Thread safety: pure functions. Errors: none.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "reports/run_report.h"

namespace interlock::reports {

/// n / 3 of the runs that put the property to the test: at 95 % a violation is rarer than one in so
/// many runs. 1 says nothing. nullopt: the row is no pass of drawn runs (it is violated or
/// inconclusive, or about a specimen, a pinned case, a proof or a saved case).
std::optional<std::uint64_t> RarerThanOneIn(const ResultRow& row);

/// It without a sentence: "1 in n" between `before` and `after`, or that the runs are too few.
std::string RarenessText(std::uint64_t rarer, std::string_view before = {},
                         std::string_view after = {});

/// The same as the end of a sentence about the row; empty without it.
std::string WorthSentence(const ResultRow& row);

/// The row of a report of which drawn runs say the least; nullptr: they say nothing of any row, or
/// there was one run, which is a case and no sample.
const ResultRow* WeakestRow(const RunReport& report);

}  // namespace interlock::reports
