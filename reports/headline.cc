// SPDX-License-Identifier: MIT
#include "reports/headline.h"

namespace interlock::reports {

std::string_view Headline(ExitCode code) {
  switch (code) {
    case ExitCode::kPass:
      return "PASS";
    case ExitCode::kInconclusive:
      return "INCONCLUSIVE";
    case ExitCode::kInternal:
      return "INTERNAL FAULT";
    default:
      return "FAIL";
  }
}

std::string_view ColorOf(std::string_view headline) {
  if (headline == "PASS" || headline == "MEASURED") return "\x1b[32m";
  return headline == "INCONCLUSIVE" ? "\x1b[33m" : "\x1b[1;31m";
}

std::string_view StyleOf(std::string_view headline) {
  if (headline.empty()) return "soft";
  if (headline == "PASS" || headline == "MEASURED") return "pass";
  return headline == "INCONCLUSIVE" ? "doubt" : "fail";
}

std::string_view TroubleOf(const ResultRow& row) {
  switch (ExitCodeOf(row)) {
    case ExitCode::kInconclusive:
      return "inconclusive";
    case ExitCode::kKnownFailurePasses:
      return "now passes";
    default:
      return row.verdict == Verdict::kHolds ? "acquitted" : "FAIL";
  }
}

}  // namespace interlock::reports
