// SPDX-License-Identifier: MIT
//
// What a measurement is held against: thresholds, and an earlier measurement.
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

/// One for each threshold and point that it is about; one that is about no point, or whose figure
/// could not be measured, is not `measured`.
std::vector<GateResult> Judge(const ContentionReport& report,
                              const std::vector<Threshold>& thresholds);

/// Sentences about what differs from an earlier measurement, the largest change first. In virtual
/// time every difference counts; in wall time less than two in a hundred is noise. What cannot be
/// compared, because the load or the points differ, is said first.
std::vector<std::string> Compare(const ContentionReport& before, const ContentionReport& now);

}  // namespace interlock::reports
