// SPDX-License-Identifier: MIT
//
// Measures locks under growing numbers of clients, in virtual time or on real servers, point by
// point. Thread safety: each call by itself.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include <interlock/result.h>

#include "reports/contention.h"
#include "scenarios/locks/entry.h"
#include "scenarios/log/log_file.h"
#include "scenarios/run/load/load.h"
#include "scenarios/run/load/wall.h"

namespace interlock::scenarios::contend {

struct ContendOptions {
  std::vector<Entry> entries;
  std::vector<int> clients;  ///< each 1 or more
  Load load;
  std::uint64_t seed = 1;
  int jobs = 1;                  ///< threads, in virtual time; the result does not depend on it
  std::optional<Target> target;  ///< real servers; otherwise virtual time
  const std::atomic<bool>* stop = nullptr;
  std::function<void(std::uint64_t done, std::uint64_t planned)> progress;
  /// Called with each log, in the order of the points; empty: logs are not kept.
  std::function<void(const reports::ContentionPoint& point, const EventLog& log)> keep;
};

/// kInvalidArgument: a lock that cannot be measured, or a URL; kUnavailable: a server cannot be
/// reached or started. Other failures are in the report.
Result<reports::ContentionReport> Contend(const ContendOptions& options);

/// The first line of a point's log.
LogHeader HeaderOf(const reports::ContentionPoint& point, const Load& load);

/// The description of the load in a report.
reports::LoadText Describe(const Load& load);

}  // namespace interlock::scenarios::contend
