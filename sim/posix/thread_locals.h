// SPDX-License-Identifier: MIT
//
// The thread_local variables of one simulated thread that shares an OS thread with others: while it
// runs its variables are put where that thread has its own, so they have one address for all, and a
// pointer to one must not be given to another thread. One with a Carrier has no need of this.
//
// Covers errno and what the program and its shared libraries declare, but for the C and C++
// libraries, and for libraries loaded after the OS thread's first task. Internal to sim/posix.
// Thread safety: none.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace interlock::sim::posix {

/// Declares that a thread_local variable of the simulator belongs to the OS thread, whichever task
/// it runs. Made before main, at most 16 of them. REQUIRES: it is declared in the program itself,
/// and its bytes may be copied.
class OfOsThread {
 public:
  /// Whether it goes along when another OS thread goes on in this one's stead.
  enum class Passed { kYes, kNo };

  OfOsThread(const void* variable, std::size_t size, Passed passed = Passed::kYes);

  /// The values on the calling OS thread of all that are passed.
  static void Save(std::vector<std::byte>& to);
  static void Load(std::span<const std::byte> from);
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
