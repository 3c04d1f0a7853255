// SPDX-License-Identifier: MIT
//
// Detects by polling whether a process is still: twice in a row, some time apart, none of its
// threads is running, and none has run in between. One look suffices for a process that has sent
// its command, and for one of a single thread that has begun to wait for a time. A napping thread
// (see Napping) runs now and then: it counts as still once seen not running after the others became
// still, as a thread woken by one of them runs until it has left its nap. Thread safety: none.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <interlock/time.h>

#include "sim/machine/foreign_process.h"

namespace interlock::sim::machine {

/// What a process has shown since it was given something to do.
enum class Sign : std::uint8_t {
  kNone,
  kWait,     ///< it has begun to wait for a time
  kCommand,  ///< it has a command at the gate
};

/// The threads of a process that uses a virtual clock.
struct Napping {
  std::vector<int> threads;  ///< those that poll the clock
  std::uint64_t waits = 0;   ///< number of waits begun by threads
};

class Stillness {
 public:
  bool Look(const ForeignProcess& process, Sign sign, const Napping& napping, Duration apart) {
    const auto now = std::chrono::steady_clock::now();
    const auto activity = process.ActivityOf(napping.threads);
    if (!activity) {
      Forget();
      return false;
    }
    const std::pair<std::uint64_t, std::uint64_t> seen(activity->switches, napping.waits);
    const bool first = seen_ != seen;
    if (first) {
      seen_ = seen;
      since_ = now;
      napped_.clear();
    }
    if (process.stopped()) return true;
    if (!AllNap(napping.threads)) return false;
    if (sign == Sign::kCommand || (sign == Sign::kWait && activity->alone)) return true;
    return !first && now - since_ >= apart;
  }

  /// The process has been given something to do, which it may not have begun yet.
  void Forget() { seen_.reset(); }

 private:
  bool AllNap(const std::vector<int>& threads) {
    bool all = true;
    for (const int thread : threads) {
      if (std::find(napped_.begin(), napped_.end(), thread) != napped_.end()) continue;
      if (ForeignProcess::Runs(thread)) {
        all = false;
      } else {
        napped_.push_back(thread);
      }
    }
    return all;
  }

  std::optional<std::pair<std::uint64_t, std::uint64_t>> seen_;  // switches, waits
  std::chrono::steady_clock::time_point since_;
  std::vector<int> napped_;  // threads seen not running since then
};

}  // namespace interlock::sim::machine
