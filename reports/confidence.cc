// SPDX-License-Identifier: MIT
#include "reports/confidence.h"

#include <fmt/format.h>

#include <algorithm>

#include "reports/text_layout.h"

namespace interlock::reports {

std::optional<std::uint64_t> RarerThanOneIn(const ResultRow& row) {
  constexpr std::uint64_t kRuleOfThree = 3;
  if (row.kind != LockKind::kSound || row.verdict != Verdict::kHolds) return std::nullopt;
  if (row.placings || row.proof || !row.saved_case.empty()) return std::nullopt;
  return std::max<std::uint64_t>(1, row.exercised / kRuleOfThree);
}

std::string RarenessText(std::uint64_t rarer, std::string_view before, std::string_view after) {
  return rarer == 1 ? "too few runs"
                    : fmt::format("{}1 in {}{}", before, GroupDigits(rarer), after);
}

std::string WorthSentence(const ResultRow& row) {
  const auto rarer = RarerThanOneIn(row);
  if (!rarer) return {};
  if (*rarer == 1) return "too few to say how rare a violation is";
  return fmt::format("at 95 % a violation is rarer than 1 in {} of the runs that are drawn there",
                     GroupDigits(*rarer));
}

const ResultRow* WeakestRow(const RunReport& report) {
  if (report.totals.runs < 2) return nullptr;
  const ResultRow* weakest = nullptr;
  for (const ResultRow& row : report.results) {
    if (row.witness || !row.pass || row.expected != Expectation::kHolds) continue;
    if (!RarerThanOneIn(row)) continue;
    if (weakest == nullptr || row.exercised < weakest->exercised) weakest = &row;
  }
  return weakest;
}

}  // namespace interlock::reports
