// SPDX-License-Identifier: MIT
//
// A client's monotonic clock as a function of virtual time, and its inverse. Exact integer
// arithmetic: no rounding can make two builds differ. Thread safety: a value.
//
// Jump, SetRate and Stand change its reading from `now` on. `now` never decreases between them.
// Only Global accepts moments before the last change, for which it returns the moment of the
// change.
#pragma once

#include <cstdint>

#include <interlock/time.h>

#include "sim/trace.h"

namespace interlock::sim {

class ClientClock {
 public:
  static constexpr std::int64_t kMostRatePpm = 500'000;

  /// REQUIRES: rate_ppm in [-kMostRatePpm, kMostRatePpm].
  ClientClock(Duration offset, std::int64_t rate_ppm)
      : shown_(offset), rate_(kMillion + rate_ppm) {}

  /// The reading at `when`; when >= 0, and not before the last change.
  MonotonicTime Local(VirtualTime when) const;

  /// The earliest moment (not before the last change) at which the clock shows `local` or more.
  /// VirtualTime::max() for kNever and anything out of range.
  VirtualTime Global(MonotonicTime local) const;

  /// Moves it ahead by `length`. REQUIRES: length >= 0, since a monotonic clock never goes back.
  void Jump(VirtualTime now, Duration length);
  /// Makes it run `rate_ppm` faster than true time from now on; see the constructor.
  void SetRate(VirtualTime now, std::int64_t rate_ppm);
  /// Stops it until `until`. If it is stopped already, it resumes at `until` instead.
  void Stand(VirtualTime now, VirtualTime until);
  std::int64_t rate_ppm() const { return rate_ - kMillion; }
  bool stands(VirtualTime now) const { return now < runs_; }

 private:
  static constexpr std::int64_t kMillion = 1'000'000;
  void Rebase(VirtualTime now);

  VirtualTime changed_{};  // it shows shown_ from here
  VirtualTime runs_{};     // until here, and runs afterwards
  MonotonicTime shown_;
  std::int64_t rate_;
};

}  // namespace interlock::sim
