// SPDX-License-Identifier: MIT
#include "reports/exit_code.h"

namespace interlock::reports {
namespace {

int Rank(ExitCode code) {
  switch (code) {
    case ExitCode::kPass:
      return 0;
    case ExitCode::kInconclusive:
      return 1;
    case ExitCode::kKnownFailurePasses:
      return 2;
    case ExitCode::kThreshold:
      return 3;
    case ExitCode::kViolated:
      return 4;
    case ExitCode::kUsage:
      return 5;
    case ExitCode::kBadInput:
      return 6;
    case ExitCode::kRedisUnreachable:
      return 7;
    case ExitCode::kInterrupted:
      return 8;
    case ExitCode::kTerminated:
      return 9;
    case ExitCode::kInternal:
      return 10;
  }
  return 10;
}

}  // namespace

ExitCode Combine(ExitCode a, ExitCode b) { return Rank(a) >= Rank(b) ? a : b; }

ExitCode ExitCodeOf(const ResultRow& row) {
  if (row.code == "LK016" && row.verdict == Verdict::kViolated) return ExitCode::kInternal;
  if (row.pass || row.witness) return ExitCode::kPass;
  if (row.verdict == Verdict::kInconclusive) return ExitCode::kInconclusive;
  const bool weakness_gone = row.kind == LockKind::kSound && row.verdict == Verdict::kHolds &&
                             row.expected == Expectation::kBreaks;
  return weakness_gone ? ExitCode::kKnownFailurePasses : ExitCode::kViolated;
}

ExitCode ExitCodeOf(const RunReport& report) {
  ExitCode code = ExitCode::kPass;
  for (const ResultRow& row : report.results) code = Combine(code, ExitCodeOf(row));
  for (const GoalCount& goal : report.goals) {
    if (goal.count == 0) code = Combine(code, ExitCode::kInconclusive);
  }
  if (report.results.empty() || report.status == RunStatus::kPartial) {
    code = Combine(code, ExitCode::kInconclusive);
  }
  if (report.totals.divergences > 0) code = Combine(code, ExitCode::kInternal);
  return code;
}

}  // namespace interlock::reports
