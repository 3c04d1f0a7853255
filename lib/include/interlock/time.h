// SPDX-License-Identifier: MIT
//
// Monotonic time as the library sees it: 64-bit nanoseconds since an arbitrary epoch of the Runtime
// in use. Values of two runtimes (two processes, two simulated clients) must never be compared.
// There is deliberately no now() here: the only source of time is Runtime::Now().
#pragma once

#include <chrono>

namespace interlock {

using Duration = std::chrono::nanoseconds;

struct MonotonicClock {
  using rep = Duration::rep;
  using period = Duration::period;
  using duration = Duration;
  using time_point = std::chrono::time_point<MonotonicClock>;
  static constexpr bool is_steady = true;
};

using MonotonicTime = MonotonicClock::time_point;

/// The deadline that never comes.
inline constexpr MonotonicTime kNever = MonotonicTime::max();

/// `time + delta`, saturating at both ends of the range, so that a deadline computed from a huge
/// duration is "never" and not a moment in the past.
constexpr MonotonicTime AddSaturating(MonotonicTime time, Duration delta) {
  const auto count = time.time_since_epoch().count();
  if (delta.count() > 0 && count > Duration::max().count() - delta.count()) {
    return MonotonicTime::max();
  }
  if (delta.count() < 0 && count < Duration::min().count() - delta.count()) {
    return MonotonicTime::min();
  }
  return time + delta;
}

}  // namespace interlock
