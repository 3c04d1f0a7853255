// SPDX-License-Identifier: MIT
//
// The thresholds of a measurement, from a file:
//
//   [[threshold]]
//   lock    = "mutex"         # "*", and what is not given, is every one
//   clients = 64              # if not given: every number that was measured
//   metric  = "wait_p99_ns"   # see reports::Figures()
//   max     = 50_000_000      # or min, or both
//
// And what else a measurement of contention is held against: an earlier one. Thread safety: pure
// functions, but for reading files.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reports/contention.h"
#include "reports/contention_gates.h"
#include "reports/exit_code.h"
#include "reports/json_writer.h"

namespace interlock::scenarios::cli {

/// The error names the line and the values that are known there.
[[nodiscard]] reports::ReadResult<std::vector<reports::Threshold>> ReadThresholds(
    std::string_view toml);

struct Yardstick {
  std::vector<reports::Threshold> thresholds;
  std::optional<reports::ContentionReport> before;
};

/// Reads both before anything is measured. `gate`, `baseline`: files; empty: none. kBadInput, after
/// a complaint: a file cannot be read, or has other content.
reports::ExitCode ReadYardstick(const std::string& gate, const std::string& baseline,
                                Yardstick& yardstick);

/// Adds to the report what became of the thresholds, and what differs from before.
void HoldAgainst(const Yardstick& yardstick, reports::ContentionReport& report);

}  // namespace interlock::scenarios::cli
