// SPDX-License-Identifier: MIT
#include "sim/posix/pace.h"

#include <algorithm>

namespace interlock::sim::posix {

namespace {

// Calls that cost no time, and how much those after them take: each so many of them twice as much.
constexpr int kFreeCalls = 64;
constexpr int kCallsOfOneLength = 64;
constexpr int kMostDoublings = 10;
constexpr Duration kCall = std::chrono::microseconds(1);
constexpr Duration kYield = std::chrono::microseconds(10);

}  // namespace

void Pace::Count(bool yields) {
  if (engine_.scheduler.tearing_down()) {
    engine_.scheduler.CountTeardownCall(/*may_throw=*/false);
    return;
  }
  idle_calls_ = engine_.now() == last_call_ ? idle_calls_ + 1 : 0;
  if (yields || idle_calls_ > kFreeCalls) {
    const int paid = std::max(idle_calls_ - kFreeCalls, 0);
    const int doublings = std::min(paid / kCallsOfOneLength, kMostDoublings);
    const Duration length = yields ? kYield : kCall;
    const MonotonicTime now = process_.clock.Local(engine_.now());
    engine_.Wait(WaitKind::kEvent, process_, AddSaturating(now, length * (1 << doublings)));
  }
  last_call_ = engine_.now();
}

}  // namespace interlock::sim::posix
