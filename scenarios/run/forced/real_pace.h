// SPDX-License-Identifier: MIT
//
// Real time that follows the virtual time of a run: nothing happens in reality before its time. It
// may lag, and never catches up.
//
// Thread safety: none.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>

#include <interlock/runtime.h>

#include "scenarios/run/forced/alike.h"
#include "sim/machine/admin.h"

namespace interlock::scenarios::real {

class RealPace {
 public:
  /// `stop` ends every wait. `haste`: thousandths of virtual time that real time leaves out.
  RealPace(Runtime& runtime, const std::atomic<bool>& stop, int haste)
      : runtime_(runtime), stop_(stop), haste_(haste) {}

  /// What a simulated server's clock shows.
  static std::int64_t SimulatedUs(Duration now);

  bool begun() const { return began_.has_value(); }
  /// Begins at the same fraction of a second as the simulated clock shows, because some locks count
  /// in seconds. Errors as Admin::Call.
  Status Begin(sim::machine::Admin& clock, Duration now);

  /// Waits until real time has come this far from the beginning; what the clocks show then.
  /// REQUIRES: begun.
  TwoClocks WaitFor(Duration now);

  /// How far real time lags; never less than before.
  Duration late() const { return late_; }
  /// The same, or more if it is later by now.
  Duration Late(Duration now) const;
  void NoteLate(Duration now) { late_ = Late(now); }

  /// False: not within the time that a server may take for what it does at once.
  bool Until(const std::function<bool()>& done) const;
  /// When an answer is overdue that a server gives at once.
  MonotonicTime Patience() const;

  Duration took() const { return began_ ? runtime_.Now() - *began_ : Duration{}; }
  Runtime& runtime() const { return runtime_; }

 private:
  /// How much real time passes until then.
  Duration Scaled(Duration now) const { return now - now * haste_ / 1'000; }

  Runtime& runtime_;
  const std::atomic<bool>& stop_;
  const int haste_;
  std::optional<MonotonicTime> began_;
  std::int64_t began_us_ = 0;  // the real servers' clock then
  Duration late_{};
};

}  // namespace interlock::scenarios::real
