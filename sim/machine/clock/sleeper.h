// SPDX-License-Identifier: MIT
//
// Inside a foreign client: its side of the shared clock. The library is loaded before all others
// (LD_PRELOAD), and replaces the C library functions that tell the time, wait for one, or make
// random numbers. Without a shared clock they behave as the originals.
//
// Guarantee: a program that waits for a time waits until that clock shows it, and no longer. Not
// covered: programs not linked dynamically with the C library, or making system calls directly
// (Go); timer file descriptors, alarms, and timeouts kept by the kernel (SO_RCVTIMEO): they use the
// machine's clock.
//
// Uses only the C library, allocates nothing, and works in a forked child, like the functions it
// replaces. Thread safety: any thread.
#pragma once

#include <sys/time.h>
#include <time.h>

#include <cstdint>

#include "sim/machine/clock/shared_clock.h"

namespace interlock::sim::machine {

/// Null: this program uses the machine's clock.
SharedClock* Clock();
std::int64_t NowNs();
/// Uses another page from now on, in a file open here. Returns false if it cannot be mapped.
bool TakePage(int file);

/// A system call that bypasses all replaced functions. Sets errno, as they do.
long Ask(long number, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0, long f = 0);

inline long Word(const void* pointer) { return reinterpret_cast<long>(pointer); }

constexpr std::int64_t kSecondNs = 1'000'000'000;
/// Out of range means for ever: `sleep infinity` waits for the largest number.
inline std::int64_t ToNs(const timespec& time) {
  if (time.tv_sec >= kNoWakeUp / kSecondNs) return kNoWakeUp;
  return time.tv_sec * kSecondNs + time.tv_nsec;
}
inline timespec FromNs(std::int64_t ns) { return {ns / kSecondNs, ns % kSecondNs}; }
/// Converts a time since the monotonic clock's zero.
inline std::int64_t SinceBootNs(std::int64_t ns) {
  return ns > kNoWakeUp - kBootNs ? kNoWakeUp : ns + kBootNs;
}
/// The deadline after a duration from now; very distant ones are never reached.
std::int64_t DeadlineNs(std::int64_t length_ns);

/// Marks this thread as waiting for a time, during the object's lifetime.
class Wait {
 public:
  Wait(std::int64_t until_ns, WakeBy by);
  ~Wait();
  Wait(const Wait&) = delete;
  Wait& operator=(const Wait&) = delete;

  /// A wait always lasts slightly longer: some programs poll until the time is past.
  bool over() const { return NowNs() > until_ns_; }
  /// Sleeps until then; false, with errno, if a signal interrupts.
  bool Sleep();
  /// A file descriptor that becomes readable then, and occasionally earlier; -1: none is available.
  int descriptor();
  void TakeWakeUps();  ///< makes it unreadable again

 private:
  const std::int64_t until_ns_;
  Sleeper* sleeper_;  // null: all slots are taken
};

}  // namespace interlock::sim::machine
