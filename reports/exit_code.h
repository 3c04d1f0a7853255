// SPDX-License-Identifier: MIT
//
// The exit codes of the program, and how a report is turned into one. Every writer judges rows
// through the functions here, so that text, JUnit and the exit code cannot disagree.
//
// Thread safety: pure functions. Errors: none.
#pragma once

#include "reports/run_report.h"

namespace interlock::reports {

enum class ExitCode : int {
  kPass = 0,
  kViolated = 1,            ///< a property was violated, or a specimen acquitted
  kInconclusive = 2,        ///< budget ended, goal never fired, or property never put to the test
  kThreshold = 3,           ///< only contention thresholds were crossed
  kKnownFailurePasses = 4,  ///< an expected weakness did not show
  kUsage = 64,
  kBadInput = 65,
  kRedisUnreachable = 69,
  kInternal = 70,  ///< internal fault; nondeterminism (LK016) included
  kInterrupted = 130,
  kTerminated = 143,
};

/// The code to return when both apply: 70, then the signals (130, 143), then errors that ended the
/// program before any verdict (64, 65, 69), then 1 > 3 > 4 > 2 > 0. Commutative and associative.
ExitCode Combine(ExitCode a, ExitCode b);

/// The code that this row alone demands. A row that passes is kPass whatever its verdict; otherwise
/// a violation (or an acquitted specimen) is kViolated, an expected weakness that holds is
/// kKnownFailurePasses, and a violated LK016 is kInternal.
ExitCode ExitCodeOf(const ResultRow& row);

/// The code that the report demands: that of its rows, kInternal if a double run diverged,
/// kInconclusive if a listed goal has count 0, if there are no rows, or if the run is partial. The
/// caller combines it with a signal's code and with contention thresholds.
ExitCode ExitCodeOf(const RunReport& report);

inline int ToInt(ExitCode code) { return static_cast<int>(code); }

}  // namespace interlock::reports
