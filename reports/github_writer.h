// SPDX-License-Identifier: MIT
//
// Workflow commands of GitHub Actions: an annotation for each verdict that does not pass.
//
//   ::error title=LK005 released somebody else's lock::acme.job-lock in overstay [none]: ...
//
// Guarantee: one command on each line, none of them produced by a name or text of the code under
// test: characters with a meaning there are escaped (%25, %0D, %0A, and %3A, %2C in a title). At
// most ten lines: GitHub silently drops all but ten annotations of a step, so the tenth says how
// many there are. Source: docs.github.com, "Workflow commands for GitHub Actions". Thread safety:
// pure functions.
#pragma once

#include <string>
#include <vector>

#include "reports/contention.h"
#include "reports/run_report.h"

namespace interlock::reports {

/// Empty if everything passes. Print it unchanged, so that GitHub obeys it.
std::string ToGitHubAnnotations(const RunReport& report,
                                const std::vector<Counterexample>& counterexamples);

/// Annotations of a measurement: an error for each crossed threshold, a warning for each threshold
/// without a value to compare.
std::string ToGitHubAnnotations(const ContentionReport& report);

}  // namespace interlock::reports
