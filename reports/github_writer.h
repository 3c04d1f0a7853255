// SPDX-License-Identifier: MIT
//
// Workflow commands of GitHub Actions: an annotation for each verdict that does not pass.
//
//   ::error title=LK005 released somebody else's lock::acme.job-lock in overstay [none]: ...
//
// Guarantee: one command on each line, and none that a name or a text of the code under test makes:
// what has a meaning there is escaped (%25, %0D, %0A, and %3A, %2C in a title). At most ten lines:
// of more than ten annotations for a step GitHub drops the rest in silence, so the tenth says how
// many there are. Source: docs.github.com, "Workflow commands for GitHub Actions". Thread safety:
// pure functions.
#pragma once

#include <string>
#include <vector>

#include "reports/contention.h"
#include "reports/run_report.h"

namespace interlock::reports {

/// Empty if everything passes. Print it as it is: it is made to be obeyed.
std::string ToGitHubAnnotations(const RunReport& report,
                                const std::vector<Counterexample>& counterexamples);

/// Of a measurement: an error for each threshold that was crossed, a warning for each that there
/// was nothing to hold against.
std::string ToGitHubAnnotations(const ContentionReport& report);

}  // namespace interlock::reports
