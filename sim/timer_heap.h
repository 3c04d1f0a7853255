// SPDX-License-Identifier: MIT
//
// The pending events of a world in a total order: by time, then by the order in which they were
// added. A timer that is cancelled is gone at once, so what is left in the heap is what can still
// happen. Thread safety: none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "sim/trace.h"

namespace interlock::sim {

enum class TimerKind : std::uint8_t {
  kWake,          ///< a task's deadline; id: task
  kThaw,          ///< the end of a pause; id: process
  kRestart,       ///< a new life of a process; id: process
  kRequest,       ///< something arrives at the server; id: link
  kMessage,       ///< something arrives at the client; id: link
  kServerClose,   ///< the server's keepalive gives up; id: link
  kClientBreak,   ///< the client's keepalive gives up; id: link
  kElsewhere,     ///< something arrives at a place outside of Redis; id: its number
  kServerTimers,  ///< Servers::RunTimers
  kServerFault,   ///< the end of a server's fault; id: which
};

/// Valid until the timer fires or is cancelled; the owner forgets it then.
using TimerId = std::uint32_t;
inline constexpr TimerId kNoTimer = std::numeric_limits<TimerId>::max();

class TimerHeap {
 public:
  struct Timer {
    TimerKind kind;
    std::uint32_t id;
  };

  void Clear() {
    heap_.clear();
    timers_.clear();
    positions_.clear();
    free_.clear();
    next_sequence_ = 0;
  }
  bool empty() const { return heap_.empty(); }
  /// REQUIRES: not empty().
  VirtualTime next_time() const { return heap_.front().time; }

  TimerId Add(VirtualTime time, Timer timer) {
    TimerId slot = 0;
    if (free_.empty()) {
      slot = static_cast<TimerId>(timers_.size());
      timers_.push_back(timer);
      positions_.push_back(0);
    } else {
      slot = free_.back();
      free_.pop_back();
      timers_[slot] = timer;
    }
    heap_.push_back({time, next_sequence_++, slot});
    SiftUp(heap_.size() - 1);
    return slot;
  }

  /// Sets `timer` to kNoTimer; nothing happens if it is that already.
  void Cancel(TimerId& timer) {
    if (timer == kNoTimer) return;
    Remove(positions_[timer]);
    timer = kNoTimer;
  }

  /// REQUIRES: not empty().
  Timer Pop() {
    const Timer timer = timers_[heap_.front().slot];
    Remove(0);
    return timer;
  }

 private:
  struct Entry {
    VirtualTime time;
    std::uint64_t sequence;
    TimerId slot;
    bool operator<(const Entry& other) const {
      return time != other.time ? time < other.time : sequence < other.sequence;
    }
  };

  void Place(std::size_t position, const Entry& entry) {
    heap_[position] = entry;
    positions_[entry.slot] = static_cast<std::uint32_t>(position);
  }

  void SiftUp(std::size_t position) {
    const Entry entry = heap_[position];
    while (position > 0) {
      const std::size_t parent = (position - 1) / 2;
      if (!(entry < heap_[parent])) break;
      Place(position, heap_[parent]);
      position = parent;
    }
    Place(position, entry);
  }

  void SiftDown(std::size_t position) {
    const Entry entry = heap_[position];
    for (;;) {
      std::size_t child = 2 * position + 1;
      if (child >= heap_.size()) break;
      if (child + 1 < heap_.size() && heap_[child + 1] < heap_[child]) ++child;
      if (!(heap_[child] < entry)) break;
      Place(position, heap_[child]);
      position = child;
    }
    Place(position, entry);
  }

  void Remove(std::size_t position) {
    free_.push_back(heap_[position].slot);
    const Entry last = heap_.back();
    heap_.pop_back();
    if (position == heap_.size()) return;
    Place(position, last);
    SiftUp(position);
    SiftDown(positions_[last.slot]);
  }

  std::vector<Entry> heap_;
  std::vector<Timer> timers_;             // by slot
  std::vector<std::uint32_t> positions_;  // in heap_, by slot
  std::vector<TimerId> free_;
  std::uint64_t next_sequence_ = 0;
};

}  // namespace interlock::sim
