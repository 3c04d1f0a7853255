// SPDX-License-Identifier: MIT
//
// What a measurement is held against: thresholds from a file (TOML), and an earlier measurement.
//
//   [[threshold]]
//   lock    = "mutex"         # or "*"
//   clients = 64              # if not given: every number that was measured
//   metric  = "wait_p99_ns"   # see Figures()
//   max     = 50_000_000      # or min, or both
//
// Thread safety: pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reports/contention.h"
#include "reports/json_writer.h"

namespace interlock::reports {

struct Threshold {
  std::string lock = "*";  ///< a name, or "*" for every lock
  std::optional<int> clients;
  std::string metric;
  std::optional<double> least;
  std::optional<double> most;
};

/// The error says in which line, and for an unknown word which one may be meant.
[[nodiscard]] ReadResult<std::vector<Threshold>> ReadThresholds(std::string_view toml);

/// One for each threshold and point that it is about; one that is about no point, or whose figure
/// could not be measured, is not `measured`.
std::vector<GateResult> Judge(const ContentionReport& report,
                              const std::vector<Threshold>& thresholds);

/// Sentences about what differs from an earlier measurement, the largest change first. In virtual
/// time every difference counts; in wall time less than two in a hundred is noise. What cannot be
/// compared, because the load or the points differ, is said first.
std::vector<std::string> Compare(const ContentionReport& before, const ContentionReport& now);

}  // namespace interlock::reports
