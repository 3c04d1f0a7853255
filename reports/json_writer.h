// SPDX-License-Identifier: MIT
//
// Writes and reads run.json (schema interlock.run/1) and counterexample.json (schema
// interlock.counterexample/1).
//
//   auto read = ReadRunReport(text);
//   if (!read.value) return Complain(file + ": " + read.error);   // "results[3].verdict: ..."
//
// Guarantee: equal data gives equal bytes; what ToJson wrote is read back equal, except that bytes
// that are not UTF-8 have become U+FFFD. Reading takes any bytes and never throws (except for lack
// of memory). Unknown members are ignored, so that a newer minor version stays readable; a schema
// with another number is rejected. Non-guarantee: reading does not judge whether verdicts fit
// expectations.
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
  std::string error;  ///< where and what is wrong, on one line; empty if there is a value
};

std::string ToJson(const RunReport& report);

/// `program` is embedded as JSON if it is valid JSON, otherwise as a string, so that nothing is
/// lost.
std::string ToJson(const Counterexample& counterexample);

[[nodiscard]] ReadResult<RunReport> ReadRunReport(std::string_view json);

/// `program` is read back as compact JSON text of the same value.
[[nodiscard]] ReadResult<Counterexample> ReadCounterexample(std::string_view json);

}  // namespace interlock::reports
