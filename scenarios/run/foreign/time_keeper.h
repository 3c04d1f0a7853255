// SPDX-License-Identifier: MIT
//
// How time passes for foreign clients and their servers. By a virtual clock it goes from one moment
// at which a sleeper wakes up to the next, and costs none; by the machine's, sleepers are waited
// for. It does not pass the end of what a client owns that is kept from going on.
//
// Thread safety: as ForeignProcess.
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

  /// Whether the passing of time lets any client go on.
  bool SomebodySleeps() const;
  /// Lets sleepers sleep, until one of them may do something.
  void Sleep(Duration at_most);
  /// Goes on to then, or to the limit.
  void AdvanceTo(std::int64_t unix_us);
  /// How far time may go on, by the servers' clock.
  std::int64_t LimitUs() const;
  /// A client cannot go on by itself: at the gate, without the reply that it has got, or stopped.
  bool AnyKept() const;

 private:
  std::vector<bool> Kept() const;
  std::optional<std::int64_t> NextAlarmUs() const;
  bool CanHurry() const;
  void SleepByMachine(Duration at_most);

  DriveState& state_;
  const EndOfRun& end_;
};

}  // namespace interlock::scenarios::drive
