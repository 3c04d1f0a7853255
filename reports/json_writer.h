// SPDX-License-Identifier: MIT
//
// run.json (schema interlock.run/1) and counterexample.json (schema interlock.counterexample/1),
// both ways.
//
//   auto read = ReadRunReport(text);
//   if (!read.value) return Complain(file + ": " + read.error);   // "results[3].verdict: ..."
//
// Guarantee: equal data gives equal bytes; what ToJson wrote is read back equal, except that bytes
// that are no UTF-8 have become U+FFFD. Reading takes any bytes and never throws (but for memory).
// Unknown members are ignored, so that a newer minor version stays readable; a schema of another
// number is refused. Non-guarantee: reading does not judge whether verdicts fit expectations.
// Thread safety: pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "reports/run_report.h"

namespace interlock::reports {

template <typename T>
struct ReadResult {
  std::optional<T> value;
  std::string error;  ///< where and what, on one line; empty if there is a value
};

std::string ToJson(const RunReport& report);

/// `program` is embedded as JSON if it is JSON, else as a string, so that nothing is lost.
std::string ToJson(const Counterexample& counterexample);

[[nodiscard]] ReadResult<RunReport> ReadRunReport(std::string_view json);

/// `program` comes back as compact JSON text of the same value.
[[nodiscard]] ReadResult<Counterexample> ReadCounterexample(std::string_view json);

}  // namespace interlock::reports
