// SPDX-License-Identifier: MIT
//
// Converts the reports of client processes to a History for the oracles, with instants counted from
// the run's start.
//
// On a real server only the two ends of each request are known. History::server_holds has one entry
// per grant, in the order of History::holds, and bounds the server's promise from below: it has
// begun when the grant was told, and lasts at least until `promised_until`, counted from before the
// request was sent. Nothing is assumed that might be false. Thread safety: pure functions.
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

struct RealHistory : History {
  bool asked_late = false;            ///< asked whether a lease was valid after its end
  std::vector<Violation> told_valid;  ///< and was told that it is
};

RealHistory HistoryOf(const std::vector<EventRecord>& records, const HistoryFrame& frame);

/// The latest end of the server's lease, as last extended by then; kOpen: the outcome of an
/// extension is not known.
VirtualTime LatestEnd(const History& history, const ServerHold& hold);

/// When this grant proves that the server kept the resource for it: until its release was called,
/// if that was answered "released", otherwise as long as the promise surely lasted.
Interval ProvenHold(const ServerHold& hold);

}  // namespace interlock::scenarios::real
