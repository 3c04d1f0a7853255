// SPDX-License-Identifier: MIT
//
// Monotonic time as the library sees it: 64-bit nanoseconds since an arbitrary epoch of the Runtime
// in use. Values of two runtimes (two processes, two simulated clients) must never be compared.
// There is deliberately no now() here: the only source of time is Runtime::Now().
#pragma once

#if __cplusplus < 202002L
#error "interlock needs C++20: -std=c++20"
#endif

#include <chrono>
#include <ratio>
#include <type_traits>

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

/// Converts to nanoseconds, rounded up. What is too long for them (292 years), such as
/// `hours::max()`, becomes Duration::max(), where std::chrono's own conversion overflows; likewise
/// in the past. NaN becomes zero.
template <typename Rep, typename Period>
constexpr Duration ToDuration(std::chrono::duration<Rep, Period> time) {
  using Real = std::chrono::duration<long double, std::nano>;
  const Real ns(time);
  if (ns.count() != ns.count()) return Duration::zero();
  if (ns >= Real(Duration::max())) return Duration::max();
  if (ns <= Real(Duration::min())) return Duration::min();
  return std::chrono::ceil<Duration>(time);
}

/// A duration as a parameter: any that converts to nanoseconds without loss, see ToDuration.
class AnyDuration {
 public:
  template <typename Rep, typename Period>
  requires std::is_convertible_v<std::chrono::duration<Rep, Period>, Duration>
  // NOLINTNEXTLINE(google-explicit-constructor): `5s` is the point
  constexpr AnyDuration(std::chrono::duration<Rep, Period> time) : time_(ToDuration(time)) {}
  // NOLINTNEXTLINE(google-explicit-constructor): so that it can be used as a Duration
  constexpr operator Duration() const { return time_; }

 private:
  Duration time_;
};

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
