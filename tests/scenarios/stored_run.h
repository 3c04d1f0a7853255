// SPDX-License-Identifier: MIT
//
// What a run of the program leaves, for tests of what is made of it.
#pragma once

#include <string>
#include <vector>

#include "reports/run_report.h"

namespace interlock::scenarios::testing {

/// What run.json says; a test that hands it anything else fails.
reports::RunReport ReadReport(const std::string& json);

/// Checks somebody's lock that releases whatever is there (cli/mendable.cc), with these further
/// words of `check`, and leaves run.json and counterexamples in `folder`.
void LeaveFailingRun(const std::string& folder, const std::vector<std::string>& more);

}  // namespace interlock::scenarios::testing
