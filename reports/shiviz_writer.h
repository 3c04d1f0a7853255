// SPDX-License-Identifier: MIT
//
// A case as a log for ShiViz (bestchai.bitbucket.io/shiviz), which draws it as a space-time diagram
// of clients and servers.
//
// The first line is the regular expression that ShiViz must be given for the log; the second is
// empty, which says that the log is one execution. Two lines follow for each event: its time and
// text; its host, a space and its vector clock as JSON.
//
// Guarantee: a host's own entry grows by one with each of its events, from 1; an event that
// receives a message knows everything that the sender knew when it sent; a lost message is received
// nowhere. No foreign text can be taken for a host's line, hide one, or be a command to a CI
// system: it is cut to 300 columns, on one line after the time, and hosts are renamed to letters,
// digits, '.', '-' and '_'. Equal input gives equal bytes. Thread safety: pure function. Errors:
// none.
#pragma once

#include <string>
#include <string_view>

#include "reports/run_report.h"

namespace interlock::reports {

inline constexpr std::string_view kShiVizExpression =
    R"((?<event>.*)\n(?<host>\S*) (?<clock>{.*}))";

std::string ToShiViz(const Counterexample& example);

}  // namespace interlock::reports
