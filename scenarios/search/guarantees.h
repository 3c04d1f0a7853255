// SPDX-License-Identifier: MIT
//
// The guarantee table: each lock under each class of faults on each topology, compared with what
// the lock promises there (harness::Promise).
//
// Each class of faults is a generated scenario that draws only its faults and judges every
// property. In tokens its name, "guarantee.<class>.<topology>", works like any scenario's.
#pragma once

#include <cstdint>
#include <string>

#include "reports/guarantees.h"
#include "reports/run_report.h"
#include "scenarios/cases/scenario.h"

namespace interlock::scenarios {

/// What the subject promises about the property in one of these scenarios.
reports::Expectation Promised(const harness::Subject& subject, const Scenario& scenario,
                              Judged property);

/// Empty if each promise names a class and topology of the table, and properties judged there,
/// once. Otherwise describes the first bad one.
std::string WrongPromise(const harness::Subject& subject);

/// With fewer runs, not seeing a known failure means nothing.
inline constexpr std::uint64_t kTellingRuns = 1000;

/// Makes the table from a campaign over some of these scenarios.
reports::GuaranteeTable TableOf(const reports::RunReport& report);

}  // namespace interlock::scenarios
