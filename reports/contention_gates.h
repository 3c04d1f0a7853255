// SPDX-License-Identifier: MIT
//
// Compares a measurement with thresholds and with an earlier measurement.
//
// Thread safety: pure functions.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "reports/contention.h"

namespace interlock::reports {

struct Threshold {
  std::string lock = "*";  ///< a name, or "*" for every lock
  std::optional<int> clients;
  std::string metric;
  std::optional<double> least;
  std::optional<double> most;
};

/// One result for each threshold and each point that it covers. A threshold that covers no point,
/// or whose figure could not be measured, gives a result that is not `measured`.
std::vector<GateResult> Judge(const ContentionReport& report,
                              const std::vector<Threshold>& thresholds);

/// Sentences about the differences from an earlier measurement, the largest first. In virtual time
/// every difference counts; in wall time less than 2 % is noise. Anything that cannot be compared
/// because the load or the points differ is named first.
std::vector<std::string> Compare(const ContentionReport& before, const ContentionReport& now);

}  // namespace interlock::reports
