// SPDX-License-Identifier: MIT
//
// Memory shared by a foreign client and `interlock drive`: a page with the client's clock, which
// moves only when told to, and the client's threads that wait for a time on it. The library loaded
// into the client (see sleeper.h) records the waiting threads; VirtualClock moves the clock and
// wakes them.
//
// Thread safety: lock-free, between processes. All times are Unix times in ns.
#pragma once

#include <sys/socket.h>
#include <sys/un.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <span>

#include "sim/machine/clock/wait_word.h"

namespace interlock::sim::machine {

/// The environment variable that names the file of a client's page.
inline constexpr const char* kClockVariable = "INTERLOCK_CLOCK";
inline constexpr std::int64_t kNoWakeUp = INT64_MAX;
/// The zero of the monotonic clock, which is not a time of day, as on any machine.
inline constexpr std::int64_t kBootNs = 1'799'900'000'000'000'000;

/// How a waiting thread is woken.
enum class WakeBy : std::int32_t {
  kFutex,   ///< it waits for nothing else
  kSocket,  ///< it also waits for files, and so for a datagram
  kNaps,    ///< it also waits for another thread, and polls the clock
};

struct Sleeper {
  std::atomic<std::int32_t> thread = 0;  ///< its id; 0: the slot is free
  std::atomic<std::int32_t> process = 0;
  std::atomic<std::int64_t> until_ns = kNoWakeUp;  ///< the time to be passed; kNoWakeUp: none
  std::atomic<std::int64_t> since_ns = 0;          ///< when the wait began
  std::atomic<WakeBy> by = WakeBy::kFutex;
  std::atomic<std::uint32_t> woken = 0;  ///< a futex
};

/// As many as a run has servers, at most.
inline constexpr int kMostPorts = 16;

struct PortPair {
  std::uint16_t sought = 0;
  std::uint16_t real = 0;
};

constexpr std::int64_t kMillion = 1'000'000;

struct SharedClock {
  std::atomic<std::int64_t> now_ns = 0;
  std::atomic<std::int64_t> last_reading_ns = 0;  ///< of the time of day; all readings differ
  std::atomic<std::uint64_t> entropy = 0;         ///< the state of the client's random numbers
  std::atomic<std::uint64_t> waits = 0;           ///< number of waits begun by its threads
  std::atomic<std::uint64_t> readings = 0;        ///< since it moved; spinning makes many
  /// The time of day is `wall_offset_ns` ahead, and has run `wall_rate_ppm` ppm faster since
  /// `wall_since_ns`.
  std::atomic<std::int64_t> wall_offset_ns = 0;
  std::atomic<std::int64_t> wall_rate_ppm = 0;
  std::atomic<std::int64_t> wall_since_ns = 0;
  WaitWord wait;
  /// A timer of the kernel's was armed: it acts at the machine's time, without any sign before.
  std::atomic<bool> kernel_timer = false;
  std::int32_t client = 0;
  /// The template's process (see template.cc), which may become another program; 0: not known yet.
  std::atomic<std::int32_t> process = 0;
  /// In a template's page: the page of its present copy, as a descriptor of the driver's, for the
  /// programs that the copy starts; -1: none.
  std::atomic<std::int32_t> copy_page = -1;
  /// In a copy's page: the ports at which it looks for servers, and those at which they are.
  std::array<PortPair, kMostPorts> ports;
  std::atomic<std::int32_t> port_count = 0;
  std::atomic<std::int32_t> slots = 0;  ///< how many of the sleepers have ever been in use
  std::array<Sleeper, 256> sleepers;
};

static_assert(std::atomic<std::int64_t>::is_always_lock_free);
static_assert(std::atomic<WakeBy>::is_always_lock_free);
static_assert(std::atomic<bool>::is_always_lock_free);

/// The sleepers that may be in use.
inline std::span<Sleeper> SleepersOf(SharedClock& clock) {
  return std::span(clock.sleepers).first(static_cast<std::size_t>(clock.slots.load()));
}

/// Converts the clock's time to the client's time of day, and back. REQUIRES: later than
/// wall_since_ns.
inline std::int64_t WallNs(const SharedClock& clock, std::int64_t ns) {
  const std::int64_t rate = clock.wall_rate_ppm;
  const std::int64_t length = ns - clock.wall_since_ns;
  const std::int64_t gained = length / kMillion * rate + length % kMillion * rate / kMillion;
  return ns + clock.wall_offset_ns + gained;
}
inline std::int64_t TrueNs(const SharedClock& clock, std::int64_t wall_ns) {
  if (wall_ns == kNoWakeUp) return wall_ns;
  const std::int64_t speed = kMillion + clock.wall_rate_ppm;
  const std::int64_t length = wall_ns - clock.wall_offset_ns - clock.wall_since_ns;
  return clock.wall_since_ns + length / speed * kMillion + length % speed * kMillion / speed;
}

/// The address at which a thread receives wake-up datagrams: an abstract name, not a file.
inline socklen_t WakeAddress(std::int32_t thread, sockaddr_un& address) {
  address = {};
  address.sun_family = AF_UNIX;
  const int length = std::snprintf(&address.sun_path[1], sizeof address.sun_path - 1,
                                   "interlock-clock-%d", static_cast<int>(thread));
  return static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 +
                                static_cast<std::size_t>(length));
}

}  // namespace interlock::sim::machine
