// SPDX-License-Identifier: MIT
#include "reports/confidence.h"

#include <algorithm>

namespace interlock::reports {

std::optional<std::uint64_t> RarerThanOneIn(const ResultRow& row) {
  constexpr std::uint64_t kRuleOfThree = 3;
  if (row.kind != LockKind::kSound || row.verdict != Verdict::kHolds) return std::nullopt;
  if (row.placings || row.proof || !row.saved_case.empty()) return std::nullopt;
  return std::max<std::uint64_t>(1, row.exercised / kRuleOfThree);
}

const ResultRow* WeakestRow(const RunReport& report) {
  const ResultRow* weakest = nullptr;
  for (const ResultRow& row : report.results) {
    if (row.witness || !row.pass || row.expected != Expectation::kHolds) continue;
    if (!RarerThanOneIn(row)) continue;
    if (weakest == nullptr || row.exercised < weakest->exercised) weakest = &row;
  }
  return weakest;
}

}  // namespace interlock::reports
