// SPDX-License-Identifier: MIT
//
// A case as a log for ShiViz (bestchai.bitbucket.io/shiviz), which draws it as a space-time diagram
// of clients and servers.
//
// The first line is what ShiViz has to be given as the regular expression of the log; the second
// says, by being empty, that the log is one execution. Then come two lines for each event: its time
// and text; its host, a blank and its vector clock as JSON.
//
// Guarantee: a host's own entry rises by one with each of its events, from 1; an event that takes
// delivery of a message knows all that the sender knew when it sent; what was lost is delivered
// nowhere. No foreign text can be taken for a host's line, hide one, or be a command to a CI
// system: it is cut to 300 columns, on one line behind the time, and hosts are renamed to letters,
// digits,
// '.', '-' and '_'. Equal input gives equal bytes. Thread safety: pure function. Errors: none.
#pragma once

#include <string>
#include <string_view>

#include "reports/run_report.h"

namespace interlock::reports {

inline constexpr std::string_view kShiVizExpression =
    R"((?<event>.*)\n(?<host>\S*) (?<clock>{.*}))";

std::string ToShiViz(const Counterexample& example);

}  // namespace interlock::reports
