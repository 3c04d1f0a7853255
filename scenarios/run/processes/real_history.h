// SPDX-License-Identifier: MIT
//
// Converts the reports of client processes to a History for the oracles, with instants counted from
// the run's start.
//
// On a real server only the two ends of each request are known. History::server_holds has one entry
// per grant, in the order of History::holds, and bounds the server's promise from below: it has
// begun when the grant was told, and lasts at least until `promised_until`, counted from before the
// request was sent. Nothing is assumed that might be false. judge/outside.h judges it.
// Thread safety: pure functions.
#pragma once

#include <vector>

#include <interlock/time.h>

#include "scenarios/log/history.h"
#include "scenarios/run/processes/client_process.h"

namespace interlock::scenarios::real {

struct HistoryFrame {
  MonotonicTime started{};
  MonotonicTime ended{};
  Duration lease{};
  int permits = 1;
  int clients = 0;
  bool prefers_writers = false;  ///< as in Traits
  /// End of the last fault of links and servers; the clients' own are in their reports.
  MonotonicTime faults_over{};
};

History HistoryOf(const std::vector<EventRecord>& records, const HistoryFrame& frame);

}  // namespace interlock::scenarios::real
