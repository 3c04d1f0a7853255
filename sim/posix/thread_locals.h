// SPDX-License-Identifier: MIT
//
// The thread_local variables of one simulated thread. All tasks run on one OS thread, so while one
// runs its variables are put where that thread has its own; they have one address for all, and a
// pointer to one must not be given to another thread.
//
// Covers errno and what the program and its shared libraries declare, but for the C and C++
// libraries, and for libraries loaded after the OS thread's first task. Internal to sim/posix.
// Thread safety: none.
#pragma once

#include <cstddef>
#include <vector>

namespace interlock::sim::posix {

/// Declares that a thread_local variable of the simulator belongs to the OS thread, whichever task
/// it runs. Made before main, at most 16 of them. REQUIRES: it is declared in the program itself.
class OfOsThread {
 public:
  OfOsThread(const void* variable, std::size_t size);
};

class ThreadLocals {
 public:
  /// As at a thread's start.
  ThreadLocals();
  /// Puts these in place, until others are; null: those of the OS thread. REQUIRES: those in place
  /// live.
  static void PutInPlace(ThreadLocals* wanted);

 private:
  /// Puts these in place, and keeps what was there; the next call puts that back.
  void Exchange();

  int errno_ = 0;
  std::vector<std::byte> kept_;
};

}  // namespace interlock::sim::posix
