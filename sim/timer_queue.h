// SPDX-License-Identifier: MIT
//
// The pending events of a world in a total order: by time, then by insertion. Cancelled timers are
// removed at once, so those left can still fire.
//
// A world has a few timers per client, so a sorted array is cheaper than a heap. Thread safety:
// none.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "sim/trace.h"

namespace interlock::sim {

enum class TimerKind : std::uint8_t {
  kWake,          ///< a task's deadline; id: task
  kThaw,          ///< the end of a pause; id: process
  kRestart,       ///< a process's next incarnation; id: process
  kRequest,       ///< something arrives at the server; id: link
  kMessage,       ///< something arrives at the client; id: link
  kServerClose,   ///< the server's keepalive gives up; id: link
  kClientBreak,   ///< the client's keepalive gives up; id: link
  kElsewhere,     ///< something arrives outside Redis; id: its number
  kServerTimers,  ///< Servers::RunTimers
  kServerFault,   ///< the end of a server's fault; id: its index
};

/// Valid until the timer fires or is cancelled; then its owner clears it.
using TimerId = std::uint32_t;
inline constexpr TimerId kNoTimer = std::numeric_limits<TimerId>::max();

class TimerQueue {
 public:
  struct Timer {
    TimerKind kind;
    std::uint32_t id;
  };

  void Clear() {
    pending_.clear();
    last_ = 0;
  }
  bool empty() const { return pending_.empty(); }
  /// REQUIRES: not empty().
  VirtualTime next_time() const { return pending_.back().time; }

  TimerId Add(VirtualTime time, Timer timer) {
    const Pending pending{time, timer, ++last_};
    // New timers are due sooner than most, so their place is near the end.
    std::size_t place = pending_.size();
    pending_.push_back(pending);
    for (; place > 0 && pending_[place - 1].time <= time; --place) {
      pending_[place] = pending_[place - 1];
    }
    pending_[place] = pending;
    return pending.id;
  }

  /// Sets `timer` to kNoTimer; no-op if it already is.
  void Cancel(TimerId& timer) {
    if (timer == kNoTimer) return;
    std::size_t place = pending_.size() - 1;
    while (pending_[place].id != timer) --place;
    pending_.erase(pending_.begin() + static_cast<std::ptrdiff_t>(place));
    timer = kNoTimer;
  }

  /// REQUIRES: not empty().
  Timer Pop() {
    const Timer timer = pending_.back().timer;
    pending_.pop_back();
    return timer;
  }

 private:
  struct Pending {
    VirtualTime time;
    Timer timer;
    TimerId id;
  };

  std::vector<Pending> pending_;  // The next one last.
  TimerId last_ = 0;
};

}  // namespace interlock::sim
