// SPDX-License-Identifier: MIT
//
// The clock of foreign clients: it stands still until it is moved, and is the only time that a
// client sees that is linked dynamically with the C library (see clock/sleeper.h). So a client that
// sleeps costs no time, and no lease runs out, nor does any client wake up, except when the driver
// says so. Random numbers that a client asks the system for are drawn from the run's own.
//
// Guarantee: nothing of it is left when the object is gone, or the process killed: the library and
// the pages are files in memory, which clients open by the number of this process. Thread safety:
// none. All times are Unix times in us.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include <interlock/result.h>

#include "sim/machine/clock/shared_clock.h"
#include "sim/machine/foreign_process.h"
#include "sim/machine/stillness.h"

namespace interlock::sim::machine {

class VirtualClock {
 public:
  /// When each run begins: the same in all, so that times written down by clients are the same.
  static constexpr std::int64_t kEpochUs = 1'800'000'000'000'000;

  /// `entropy`: one value for each client, from which its random numbers come. kUnavailable: no
  /// memory, or no file in it.
  static Result<std::unique_ptr<VirtualClock>> Make(const std::vector<std::uint64_t>& entropy);
  ~VirtualClock();
  VirtualClock(const VirtualClock&) = delete;
  VirtualClock& operator=(const VirtualClock&) = delete;

  /// The environment that a client's process has to be started with.
  ForeignProcess::Environment EnvironmentOf(int client) const;

  /// Moves all clients' clocks, and wakes those threads whose time has come. REQUIRES: not
  /// backwards.
  void SetTime(std::int64_t unix_us);
  /// Sets the client's time of day ahead by `by_us`, or back, from now on, and makes it run
  /// `rate_ppm` millionths faster, or slower; its monotonic clock does not notice, nor do waits
  /// that have begun. REQUIRES: `rate_ppm` is more than -1'000'000.
  void ShiftWallClock(int client, std::int64_t by_us, std::int64_t rate_ppm);
  /// The clients that SetTime has woken since the last call of this.
  std::vector<int> TakeWoken();
  /// When the first thread of the client wakes up; nullopt: none waits for a time.
  std::optional<std::int64_t> NextWakeUs(int client) const;
  /// A thread of it has waited since then, or longer, for a time that is still to come.
  bool SleepsSince(int client, std::int64_t unix_us) const;
  /// A thread's time has come, and it has not taken notice yet.
  bool IsWaking(int client) const;
  /// How often a thread of it has begun to wait.
  std::uint64_t waits(int client) const { return page(client).waits; }
  /// Threads that look at the clock by themselves, and run for that again and again.
  Napping NappingOf(int client) const;
  /// It does nothing but ask what time it is.
  bool Spins(int client) const;
  /// The name of the library's file, by which a program that has loaded it is known.
  static constexpr std::string_view kLibrary = "interlock-clock";

 private:
  struct Page;
  VirtualClock() = default;
  SharedClock& page(int client) const;

  int library_ = -1;    // files
  int datagrams_ = -1;  // a socket
  std::vector<Page> pages_;
  std::vector<int> woken_;  // clients
};

}  // namespace interlock::sim::machine
