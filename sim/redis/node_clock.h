// SPDX-License-Identifier: MIT
//
// The wall clock of one node of a topology: what it was set to, and how fast it has run since.
//
// Thread safety: none. Units: us; of Unix time what it shows, of topology time all else.
#pragma once

#include <cstdint>

namespace interlock::sim::redis {

class NodeClock {
 public:
  NodeClock() = default;
  /// Shows `unix_us` at topology time 0.
  explicit NodeClock(std::int64_t unix_us) : base_us_(unix_us) {}

  /// What it shows at that time, which is none before the last Step.
  std::int64_t At(std::int64_t time_us) const {
    const std::int64_t passed = time_us - since_us_;
    return base_us_ + passed + passed * drift_ppm_ / 1'000'000;
  }
  /// The first time at which it shows `unix_us` or more, if nothing sets it; never before the last
  /// Step.
  std::int64_t TimeAt(std::int64_t unix_us) const;

  /// From `now_us` on it shows so much more.
  void Step(std::int64_t now_us, std::int64_t us);
  /// How much faster than topology time it runs from `now_us` on.
  void SetDrift(std::int64_t now_us, std::int64_t parts_per_million);
  std::int64_t drift_ppm() const { return drift_ppm_; }

 private:
  std::int64_t base_us_ = 0;  // What it shows at `since_us_`.
  std::int64_t since_us_ = 0;
  std::int64_t drift_ppm_ = 0;
};

}  // namespace interlock::sim::redis
