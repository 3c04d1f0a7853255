// SPDX-License-Identifier: MIT
//
// How time passes for foreign clients and their servers. A virtual clock steps from one wake-up of
// a sleeper to the next, at no cost; by the machine's clock, sleepers are waited for. Time does not
// pass the end of anything owned by a client that is kept from proceeding.
//
// Thread safety: that of ForeignProcess.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <interlock/time.h>

#include "scenarios/run/foreign/drive_state.h"
#include "scenarios/run/foreign/end_of_run.h"

namespace interlock::scenarios::drive {

class TimeKeeper {
 public:
  TimeKeeper(DriveState& state, const EndOfRun& end) : state_(state), end_(end) {}

  /// Whether the passing of time lets any client proceed.
  bool SomebodySleeps() const;
  /// The same, before the run reaches its bound of virtual time.
  bool SomebodyWakesInTime() const;
  /// Lets time pass until a sleeper may act.
  void Sleep(Duration at_most);
  /// Advances to that time, or to the limit.
  void AdvanceTo(std::int64_t unix_us);
  /// How far time may advance, on the servers' clock.
  std::int64_t LimitUs() const;
  /// Whether any client cannot proceed by itself: at the gate, with its reply withheld, or stopped.
  bool AnyKept() const;

 private:
  std::vector<bool> Kept() const;
  bool GoesOn(int client) const;
  std::optional<std::int64_t> NextAlarmUs() const;
  bool CanHurry() const;
  void SleepByMachine(Duration at_most);

  DriveState& state_;
  const EndOfRun& end_;
};

}  // namespace interlock::scenarios::drive
