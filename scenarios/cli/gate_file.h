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
// Thread safety: pure function.
#pragma once

#include <string_view>
#include <vector>

#include "reports/contention_gates.h"
#include "reports/json_writer.h"

namespace interlock::scenarios::cli {

/// The error names the line and the values that are known there.
[[nodiscard]] reports::ReadResult<std::vector<reports::Threshold>> ReadThresholds(
    std::string_view toml);

}  // namespace interlock::scenarios::cli
