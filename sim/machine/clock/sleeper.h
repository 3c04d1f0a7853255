// SPDX-License-Identifier: MIT
//
// Inside a foreign client: its side of the shared clock. The library is loaded before all others
// (LD_PRELOAD), and its functions take the place of those of the C library that tell the time, wait
// for one, or make random numbers. Without a shared clock they do what those do.
//
// Guarantee: a program that waits for a time waits until that clock shows it, and no longer. Not
// reached: programs that are not linked dynamically with the C library, or that ask the kernel by
// instructions of their own (Go); timer file descriptors, alarms, and time-outs that the kernel
// keeps itself (SO_RCVTIMEO): they go by the machine's clock.
//
// It uses the C library alone, allocates nothing, and works in a child that was forked, as those
// functions must. Thread safety: any thread.
#pragma once

#include <sys/time.h>
#include <time.h>

#include <cstdint>

#include "sim/machine/clock/shared_clock.h"

namespace interlock::sim::machine {

/// Null: this program goes by the machine's clock.
SharedClock* Clock();
std::int64_t NowNs();

/// A system call, past all functions that take the place of others. Sets errno, as they do.
long Ask(long number, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0, long f = 0);

inline long Word(const void* pointer) { return reinterpret_cast<long>(pointer); }

constexpr std::int64_t kSecondNs = 1'000'000'000;
/// For ever, if the time is beyond the range: `sleep infinity` waits for the largest number.
inline std::int64_t ToNs(const timespec& time) {
  if (time.tv_sec >= kNoWakeUp / kSecondNs) return kNoWakeUp;
  return time.tv_sec * kSecondNs + time.tv_nsec;
}
inline timespec FromNs(std::int64_t ns) { return {ns / kSecondNs, ns % kSecondNs}; }
/// Converts a time since the monotonic clock's zero.
inline std::int64_t SinceBootNs(std::int64_t ns) {
  return ns > kNoWakeUp - kBootNs ? kNoWakeUp : ns + kBootNs;
}
/// The deadline after a duration from now on; far ones are never reached.
std::int64_t DeadlineNs(std::int64_t length_ns);

/// This thread waits for a time, for as long as the object lives.
class Wait {
 public:
  Wait(std::int64_t until_ns, WakeBy by);
  ~Wait();
  Wait(const Wait&) = delete;
  Wait& operator=(const Wait&) = delete;

  /// A wait always takes a little longer: some programs ask until the time is past.
  bool over() const { return NowNs() > until_ns_; }
  /// Sleeps until then, or until a signal comes: false, with errno.
  bool Sleep();
  /// A file descriptor that becomes readable then, and now and then before; -1: none can be had.
  int descriptor();
  void TakeWakeUps();  ///< so that it is not readable any more

 private:
  const std::int64_t until_ns_;
  Sleeper* sleeper_;  // null: all places are taken
};

}  // namespace interlock::sim::machine
