// SPDX-License-Identifier: MIT
//
// Decides whether a reply is waited for awake. Being woken takes about as long as a server on the
// same machine needs to answer, so a reply that comes at once is worth a short busy wait; one that
// comes over a network is not. It is tried, and as long as it fails, tried again ever more rarely.
//
// Thread safety: a BusyWait is its connection's own; a BusyTurn may be shared by all connections of
// a connector.
#pragma once

#include <algorithm>
#include <atomic>

namespace interlock::internal {

/// One thread at a time: several busy waiters would take the processor from the server they wait
/// for.
class BusyTurn {
 public:
  bool Take() { return !taken_.exchange(true, std::memory_order_acquire); }
  void GiveBack() { taken_.store(false, std::memory_order_release); }

 private:
  std::atomic<bool> taken_ = false;
};

class BusyWait {
 public:
  /// Whether to wait awake for the next reply.
  bool WorthTrying() {
    if (left_out_ >= leave_out_) return true;
    ++left_out_;
    return false;
  }

  /// Reports how the last busy wait ended.
  void Told(bool paid) {
    leave_out_ = paid ? 0 : std::min(2 * leave_out_ + 1, kMostLeftOut);
    left_out_ = 0;
  }

 private:
  static constexpr int kMostLeftOut = 15;
  int leave_out_ = 0;  // replies between two tries
  int left_out_ = 0;
};

}  // namespace interlock::internal
