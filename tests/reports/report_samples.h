// SPDX-License-Identifier: MIT
//
// Reports for the writers' tests: one of every kind of row, and the failing case of the style page.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "reports/run_report.h"

namespace interlock::reports {

/// Passes, an expected weakness, a failure, inconclusive, now-passing, a conviction and an
/// acquittal.
RunReport MixedReport();

/// Only passes and an expected weakness; every goal reached.
RunReport PassingReport();

/// The failure of MixedReport.
Counterexample ForeignRelease();

/// Two clients and one server, with numbered commands, requests, stretches, two commands of one
/// client at once, a reply and a request that got lost, and much at one instant.
Counterexample Exchange();

/// Every string that a user or a lock can choose is `hostile`.
RunReport HostileReport(const std::string& hostile);
Counterexample HostileCounterexample(const std::string& hostile);

/// Markup, control characters, CI commands, line ends, bidirectional overrides, broken UTF-8, NUL.
std::string HostileText();

/// What xmllint says of `xml`; empty if it is valid by reports/schema/junit.xsd, or if there is no
/// xmllint.
std::string XmllintComplaint(std::string_view xml);

/// False if xmllint was not found when the build was configured.
bool HaveXmllint();

}  // namespace interlock::reports
