// SPDX-License-Identifier: MIT
//
// A client's monotonic clock as a function of virtual time, and its inverse. Exact integer
// arithmetic: no rounding can make two builds differ. Thread safety: a value.
#pragma once

#include <cstdint>

#include <interlock/time.h>

#include "sim/trace.h"

namespace interlock::sim {

class ClientClock {
 public:
  /// REQUIRES: rate_ppm in [-500'000, 500'000].
  ClientClock(Duration offset, std::int64_t rate_ppm)
      : offset_(offset), rate_(kMillion + rate_ppm) {}

  /// What the clock shows at `when`; when >= 0.
  MonotonicTime Local(VirtualTime when) const;

  /// The earliest moment (not before 0) at which the clock shows `local` or more. kNever, and
  /// anything beyond the range, is VirtualTime::max().
  VirtualTime Global(MonotonicTime local) const;

 private:
  static constexpr std::int64_t kMillion = 1'000'000;
  Duration offset_;
  std::int64_t rate_;
};

}  // namespace interlock::sim
