// SPDX-License-Identifier: MIT
//
// Replaces the C library's functions that tell the time. Readings of the time of day differ by some
// microseconds from each other and between clients, as on any machine, because some locks use them
// as tokens; readings of the monotonic clock differ by a nanosecond, because some programs poll it
// until it advances. Apart from that, time stands still between two moves of the clock.
#include <errno.h>
#include <sys/syscall.h>

#include <algorithm>

#include "sim/machine/clock/sleeper.h"

namespace interlock::sim::machine {
namespace {

constexpr std::int64_t kClientNs = 1'000;  // at most 64 clients, each with its own readings
constexpr std::uint64_t kMostSteps = 900;  // of the monotonic clock, which moves by at least a us
constexpr std::int64_t kReadingNs = 64'000;
constexpr std::int64_t kAheadNs = 990'000;  // ahead of the servers' clock, at most

std::int64_t TimeOfDayNs() {
  SharedClock& clock = *Clock();
  const std::int64_t now_ns = NowNs() + clock.client * kClientNs;
  std::int64_t last_ns = clock.last_reading_ns;
  for (;;) {
    const std::int64_t later_ns = last_ns + kReadingNs;
    std::int64_t reading_ns = last_ns;  // as far ahead as allowed
    if (now_ns > last_ns) {
      reading_ns = now_ns;
    } else if (later_ns < now_ns + kAheadNs) {
      reading_ns = later_ns;
    }
    if (clock.last_reading_ns.compare_exchange_weak(last_ns, reading_ns)) return reading_ns;
  }
}

/// Returns false if the clock is not a shared one.
bool Read(clockid_t id, std::int64_t& ns) {
  if (Clock() == nullptr) return false;
  switch (id) {
    case CLOCK_REALTIME:
    case CLOCK_REALTIME_COARSE:
    case CLOCK_TAI:
      ns = WallNs(*Clock(), TimeOfDayNs());
      return true;
    case CLOCK_MONOTONIC:
    case CLOCK_MONOTONIC_RAW:
    case CLOCK_MONOTONIC_COARSE:
    case CLOCK_BOOTTIME:
      ns = NowNs() - kBootNs;
      ns += static_cast<std::int64_t>(std::min<std::uint64_t>(Clock()->readings, kMostSteps));
      return true;
    default:
      return false;
  }
}

}  // namespace
}  // namespace interlock::sim::machine

namespace drive = interlock::sim::machine;

extern "C" {

int clock_gettime(clockid_t id, timespec* time) {
  std::int64_t ns = 0;
  if (!drive::Read(id, ns)) {
    return static_cast<int>(drive::Ask(SYS_clock_gettime, id, drive::Word(time)));
  }
  *time = drive::FromNs(ns);
  return 0;
}

int gettimeofday(timeval* time, void* zone) {
  timespec now{};
  const int result = clock_gettime(CLOCK_REALTIME, &now);
  *time = {now.tv_sec, now.tv_nsec / 1'000};
  if (zone != nullptr) *static_cast<struct timezone*>(zone) = {};
  return result;
}

time_t time(time_t* result) {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  if (result != nullptr) *result = now.tv_sec;
  return now.tv_sec;
}

int timespec_get(timespec* time, int base) {
  return base == TIME_UTC && clock_gettime(CLOCK_REALTIME, time) == 0 ? base : 0;
}

}  // extern "C"
