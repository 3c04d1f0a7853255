// SPDX-License-Identifier: MIT
//
// Folds what clients report (processes of ours, or a log of anybody's) to a History for the judges.
//
// On a real server only the two ends of each request are known. History::server_holds has one entry
// per grant, in the order of History::holds, and bounds the server's promise from below: it has
// begun when the grant was told, and lasts at least until `promised_until`, counted from before the
// request was sent. Nothing is assumed that might be false. judge/outside.h judges it.
// Thread safety: pure functions.
#pragma once

#include <interlock/time.h>

#include "scenarios/log/event.h"
#include "scenarios/log/history.h"

namespace interlock::scenarios::real {

struct HistoryFrame {
  VirtualTime end{};
  Duration lease{};
  int permits = 1;
  int clients = 0;
  bool prefers_writers = false;  ///< as in harness::Readers
  /// End of the last fault of links and servers; the clients' own are among the events.
  VirtualTime faults_over{};
};

/// REQUIRES: the instants count from the run's start.
History HistoryOf(const EventLog& log, const HistoryFrame& frame);

}  // namespace interlock::scenarios::real
