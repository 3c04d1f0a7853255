// SPDX-License-Identifier: MIT
//
// A client's monotonic clock as a function of virtual time, and its inverse. Exact integer
// arithmetic: no rounding can make two builds differ. Thread safety: a value.
//
// Jump, SetRate and Stand change what it shows from `now` on. `now` never decreases from one of
// them to the next, and only Global may be asked about moments before the last change: it answers
// with the moment of the change.
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

  /// What the clock shows at `when`; when >= 0, and not before the last change.
  MonotonicTime Local(VirtualTime when) const;

  /// The earliest moment (not before the last change) at which the clock shows `local` or more.
  /// kNever, and anything beyond the range, is VirtualTime::max().
  VirtualTime Global(MonotonicTime local) const;

  /// Sets it ahead by `length`. REQUIRES: length >= 0, since a monotonic clock never goes back.
  void Jump(VirtualTime now, Duration length);
  /// Makes it run `rate_ppm` faster than true time from now on; see the constructor.
  void SetRate(VirtualTime now, std::int64_t rate_ppm);
  /// Makes it stand still until `until`, and then go on from there. If it stands already, it goes
  /// on at `until` instead.
  void Stand(VirtualTime now, VirtualTime until);
  std::int64_t rate_ppm() const { return rate_ - kMillion; }
  bool stands(VirtualTime now) const { return now < runs_; }

 private:
  static constexpr std::int64_t kMillion = 1'000'000;
  void Rebase(VirtualTime now);

  VirtualTime changed_{};  // it shows shown_ from here
  VirtualTime runs_{};     // to here, and runs from then on
  MonotonicTime shown_;
  std::int64_t rate_;
};

}  // namespace interlock::sim
