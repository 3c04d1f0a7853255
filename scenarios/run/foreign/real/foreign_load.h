// SPDX-License-Identifier: MIT
//
// Measures how clients in any language contend for a lock of theirs on real servers: each is a
// process that takes and gives back its lock again and again until it is killed. They reach the
// servers through a relay, which answers INTERLOCK.ENTER when the section's time is over, so that
// sections last as long in every language, and LEAVE at once.
//
// Non-guarantee: figures are those of the machine, which clients, relay and servers share. Thread
// safety: that of ForeignProcess.
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include <interlock/result.h>

#include "reports/contention.h"
#include "scenarios/log/event.h"
#include "scenarios/run/load/load.h"

namespace interlock::scenarios::drive {

struct ForeignLoad {
  std::vector<std::string> command;         ///< as of DriveOptions
  std::vector<int> clients;                 ///< a measurement for each
  contend::Load load;                       ///< of which: hold, duration, warm_up, permits
  std::string redis = "spawn";              ///< or URLs of this machine, separated by commas
  int masters = 1;                          ///< servers to be spawned
  const std::atomic<bool>* stop = nullptr;  ///< not null
  std::function<void(std::uint64_t done, std::uint64_t planned)> progress;
  /// Called with each log; empty: logs are not kept.
  std::function<void(const reports::ContentionPoint& point, const EventLog& log)> keep;
};

/// The most clients of one measurement.
inline constexpr int kMostForeignClients = 128;

/// kInvalidArgument: a URL, a server that has keys, or a client that cannot be measured: it does
/// not start, connect, or report sections, or has ended; kUnavailable: no server, port or process.
Result<reports::ContentionReport> MeasureForeign(const ForeignLoad& options);

}  // namespace interlock::scenarios::drive
