// SPDX-License-Identifier: MIT
//
// The wall clock of a served Redis: the machine's own until told otherwise. It can be stepped,
// frozen, and made to run faster or slower than real time.
//
// All times are Unix times in us; `real_us` is the machine's. Thread safety: none. Errors: none; a
// time out of range is clamped.
#pragma once

#include <cstdint>
#include <optional>

namespace interlock::sim::serve {

class ServeClock {
 public:
  /// Starts at the machine's time; `frozen`: stands still there until Set, Advance or Run.
  ServeClock(std::int64_t real_us, bool frozen);

  std::int64_t Now(std::int64_t real_us) const;
  bool frozen() const { return frozen_; }
  double rate() const { return rate_; }

  void Set(std::int64_t real_us, std::int64_t unix_us);
  void Advance(std::int64_t real_us, std::int64_t us);
  void Freeze(std::int64_t real_us);
  void Run(std::int64_t real_us);
  /// Server seconds per real second, while it runs. REQUIRES: 0 < rate <= kFastest.
  void SetRate(std::int64_t real_us, double rate);
  static constexpr double kFastest = 1e6;

  /// Real us from now until it shows `unix_us`; 0: it already does; nullopt: never by itself.
  std::optional<std::int64_t> RealUntil(std::int64_t real_us, std::int64_t unix_us) const;

 private:
  std::int64_t base_real_us_;
  std::int64_t base_us_;
  double rate_ = 1;
  bool frozen_;
};

}  // namespace interlock::sim::serve
