// SPDX-License-Identifier: MIT
//
// The events of a run of foreign clients as rows of a time table, in which a client that asks again
// and again is shown twice, with the number of its requests. Thread safety: pure function.
#pragma once

#include <span>
#include <vector>

#include "reports/case_rows.h"
#include "scenarios/log/event.h"

namespace interlock::scenarios::drive {

/// Columns: the clients, then the servers.
std::vector<reports::TableRow> RowsOf(std::span<const LogEvent> events, int clients);

}  // namespace interlock::scenarios::drive
