// SPDX-License-Identifier: MIT
#include "sim/serve/clock.h"

#include <algorithm>
#include <cmath>

namespace interlock::sim::serve {
namespace {

// The fake counts microseconds in 64 bits; half of that range is far beyond any date, and sums
// cannot overflow.
constexpr std::int64_t kLatestUs = INT64_MAX / 2;

std::int64_t Clamp(double us) {
  constexpr auto kLimit = static_cast<double>(kLatestUs);
  return static_cast<std::int64_t>(std::clamp(us, -kLimit, kLimit));
}

std::int64_t Sum(std::int64_t a, std::int64_t b) {
  return std::clamp(a, -kLatestUs, kLatestUs) + std::clamp(b, -kLatestUs, kLatestUs);
}

}  // namespace

ServeClock::ServeClock(std::int64_t real_us, bool frozen)
    : base_real_us_(real_us), base_us_(real_us), frozen_(frozen) {}

std::int64_t ServeClock::Now(std::int64_t real_us) const {
  if (frozen_) return base_us_;
  const std::int64_t passed = real_us - base_real_us_;
  // The multiplication would lose the last digits of long runs, so the usual rate avoids it.
  if (rate_ == 1) return Sum(base_us_, passed);
  return Sum(base_us_, Clamp(std::floor(static_cast<double>(passed) * rate_)));
}

void ServeClock::Set(std::int64_t real_us, std::int64_t unix_us) {
  base_real_us_ = real_us;
  base_us_ = std::clamp(unix_us, -kLatestUs, kLatestUs);
}

void ServeClock::Advance(std::int64_t real_us, std::int64_t us) {
  Set(real_us, Sum(Now(real_us), us));
}

void ServeClock::Freeze(std::int64_t real_us) {
  Set(real_us, Now(real_us));
  frozen_ = true;
}

void ServeClock::Run(std::int64_t real_us) {
  Set(real_us, Now(real_us));
  frozen_ = false;
}

void ServeClock::SetRate(std::int64_t real_us, double rate) {
  Set(real_us, Now(real_us));
  rate_ = rate;
}

std::optional<std::int64_t> ServeClock::RealUntil(std::int64_t real_us,
                                                  std::int64_t unix_us) const {
  const std::int64_t left = Sum(unix_us, -Now(real_us));
  if (left <= 0) return 0;
  if (frozen_) return std::nullopt;
  return Clamp(std::ceil(static_cast<double>(left) / rate_));
}

}  // namespace interlock::sim::serve
