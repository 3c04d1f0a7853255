// SPDX-License-Identifier: MIT
//
// The clock of foreign clients: it stands still until moved, and is the only time visible to a
// client linked dynamically with the C library (see clock/sleeper.h). So a sleeping client costs no
// time, and no lease expires and no client wakes except when the driver says so. Random numbers
// that a client requests from the system are drawn from the run's own.
//
// Guarantee: no page remains when the object is gone, and nothing at all when the process is: the
// library and the pages are files in memory, which clients open by this process's number. The
// library's is made once. Thread safety: none.
// All times are Unix times in us.
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
#include "sim/machine/wait_watch.h"

namespace interlock::sim::machine {

class VirtualClock {
 public:
  /// When each run begins: always the same, so that times recorded by clients are the same.
  static constexpr std::int64_t kEpochUs = 1'800'000'000'000'000;

  /// `entropy`: the seed of each client's random numbers. kUnavailable: no memory, or no file in
  /// it.
  static Result<std::unique_ptr<VirtualClock>> Make(const std::vector<std::uint64_t>& entropy);
  ~VirtualClock();
  VirtualClock(const VirtualClock&) = delete;
  VirtualClock& operator=(const VirtualClock&) = delete;

  /// The environment with which a client's process must be started.
  ForeignProcess::Environment EnvironmentOf(int client) const;

  /// The file of the client's page, open in this process.
  int PageOf(int client) const;
  /// Where a client's readings and random numbers stand.
  struct Standing {
    std::int64_t last_reading_ns = 0;
    std::uint64_t entropy = 0;
    std::uint64_t readings = 0;
    std::int32_t process = 0;
  };
  Standing StandingOf(int client) const;
  /// Its process is a copy that goes on from there, and looks for servers at the ports `sought`,
  /// which are at `real`. REQUIRES: as many of both, at most kMostPorts.
  void Continue(int client, const Standing& from, const std::vector<int>& sought,
                const std::vector<int>& real);
  /// What the client's copy starts lives by the client's page in `by`.
  void LeadTo(int client, const VirtualClock& by) const;

  /// Moves all clients' clocks, and wakes threads that are due. REQUIRES: not backwards.
  void SetTime(std::int64_t unix_us);
  /// Shifts the client's time of day by `by_us`, from now on, and makes it run `rate_ppm` ppm
  /// faster; negative: back, or slower. Its monotonic clock and waits that have begun are
  /// unaffected. REQUIRES: `rate_ppm` is more than -1'000'000.
  void ShiftWallClock(int client, std::int64_t by_us, std::int64_t rate_ppm);
  /// The clients woken by SetTime since the last call of this.
  std::vector<int> TakeWoken();
  /// When the client's first thread wakes; nullopt: none waits for a time.
  std::optional<std::int64_t> NextWakeUs(int client) const;
  /// Whether one of its threads has waited at least since then for a time still to come.
  bool SleepsSince(int client, std::int64_t unix_us) const;
  /// Whether a thread is due, but has not reacted yet.
  bool IsWaking(int client) const;
  /// Number of waits begun by its threads.
  std::uint64_t waits(int client) const { return page(client).waits; }
  /// Threads that poll the clock, and so run again and again.
  Napping NappingOf(int client) const;
  /// What its process publishes about its waits.
  WaitWatch& watch(int client) const;
  /// Brackets something that a client is given, such as bytes. `clock`: null means none.
  class Gift {
   public:
    Gift(VirtualClock* clock, int client)
        : watch_(clock != nullptr ? &clock->watch(client) : nullptr) {
      if (watch_ != nullptr) watch_->BeginGift();
    }
    ~Gift() {
      if (watch_ != nullptr) watch_->EndGift();
    }
    Gift(const Gift&) = delete;
    Gift& operator=(const Gift&) = delete;

   private:
    WaitWatch* watch_;
  };
  /// Whether it does nothing but read the time.
  bool Spins(int client) const;
  /// Whether it has ever armed a timer of the kernel's, which goes by the machine's clock.
  bool HasKernelTimer(int client) const;
  /// The library's file name, which identifies programs that have loaded it.
  static constexpr std::string_view kLibrary = "interlock-clock";

 private:
  struct Page;
  VirtualClock() = default;
  SharedClock& page(int client) const;

  int library_ = -1;    // a file
  int datagrams_ = -1;  // a socket
  std::vector<Page> pages_;
  std::vector<int> woken_;  // clients
};

}  // namespace interlock::sim::machine
