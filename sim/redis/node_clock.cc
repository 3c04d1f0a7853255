// SPDX-License-Identifier: MIT
#include "sim/redis/node_clock.h"

#include <algorithm>

namespace interlock::sim::redis {

std::int64_t NodeClock::TimeAt(std::int64_t unix_us) const {
  const std::int64_t missing = unix_us - base_us_;
  if (drift_ppm_ == 0) return since_us_ + missing;
  if (missing <= 0) return since_us_;
  const std::int64_t rate = 1'000'000 + drift_ppm_;
  constexpr std::int64_t kVeryLong = INT64_MAX / 1'000'000 / 4;
  std::int64_t at = since_us_ + std::min(missing, kVeryLong) * 1'000'000 / rate;
  // The clock shows whole us, rounded towards its base.
  while (At(at) < unix_us && missing <= kVeryLong) ++at;
  while (at > since_us_ && At(at - 1) >= unix_us) --at;
  return at;
}

void NodeClock::Step(std::int64_t now_us, std::int64_t us) {
  base_us_ = At(now_us) + us;
  since_us_ = now_us;
}

void NodeClock::SetDrift(std::int64_t now_us, std::int64_t parts_per_million) {
  Step(now_us, 0);
  drift_ppm_ = parts_per_million;
}

}  // namespace interlock::sim::redis
