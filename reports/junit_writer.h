// SPDX-License-Identifier: MIT
//
// JUnit XML, in the common subset that GitLab and Jenkins read.
//
// Guarantee: well-formed XML 1.0 whatever the strings contain; equal input gives equal bytes (so no
// timestamp); each pair of classname and name occurs once, because readers keep only the first of
// several; the counts agree with ExitCodeOf(row). A run that cannot be trusted as a whole (a
// diverged double run, an unreached goal, an interruption, no rows) gets a suite of its own and is
// never passed over in silence. Non-guarantee: very long names and bodies are cut; run.json has
// them in full. Thread safety: pure function. Errors: none.
#pragma once

#include <string>
#include <vector>

#include "reports/run_report.h"

namespace interlock::reports {

/// One suite per lock, one testcase per row. A failing row whose case is among `counterexamples`
/// has the whole explanation in its body, which is where GitLab shows it.
std::string ToJUnit(const RunReport& report, const std::vector<Counterexample>& counterexamples);

}  // namespace interlock::reports
