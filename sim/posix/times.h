// SPDX-License-Identifier: MIT
//
// Lengths of time in the C library's forms. Internal to sim/posix. Thread safety: pure functions.
#pragma once

#include <sys/time.h>
#include <time.h>

#include <chrono>

#include <interlock/time.h>

namespace interlock::sim::posix {

/// EINVAL otherwise.
inline bool IsTime(const timespec& time) {
  return time.tv_nsec >= 0 && time.tv_nsec < 1'000'000'000;
}

/// At most what a Duration holds.
inline Duration LengthOf(const timespec& time) {
  constexpr time_t kMostSeconds =
      std::chrono::floor<std::chrono::seconds>(Duration::max()).count() - 1;
  if (time.tv_sec >= kMostSeconds) return Duration::max();
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

inline Duration LengthOf(const timeval& time) {
  return std::chrono::seconds(time.tv_sec) + std::chrono::microseconds(time.tv_usec);
}

inline timespec ToTimespec(Duration length) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(length);
  const std::chrono::nanoseconds rest = length - seconds;
  return {static_cast<time_t>(seconds.count()), static_cast<long>(rest.count())};
}

}  // namespace interlock::sim::posix
