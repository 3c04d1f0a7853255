// SPDX-License-Identifier: MIT
//
// How a run of foreign clients that does not end by itself is ended, and what that says. A client
// is stranded if nothing that is seen will let it go on: it has no command at the gate, waits for
// no time, and is not held back by a fault; or it spins. Clients that provably get nowhere are a
// violation at once; at a bound, they are one only if none has got anything for long, and no holder
// sleeps that will wake up.
//
// Thread safety: as ForeignProcess.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "scenarios/run/foreign/drive_state.h"

namespace interlock::scenarios::drive {

class EndOfRun {
 public:
  explicit EndOfRun(DriveState& state) : state_(state) {}

  /// Called before each step. True: the run is over, and its finding, or why there is none, stands
  /// in the state.
  bool Reached();
  /// Nobody is ready, and by the virtual clock nobody has anything to wait for: the run is over,
  /// unless one moves after all.
  void StandStillForEver();

  /// No progress for longer than the patience. By a virtual clock nobody is waited for.
  bool StandsStill() const;
  /// The least number of commands that any client able to go on has sent since anything changed.
  std::uint64_t InVain() const;
  /// Where the clients are, in words.
  std::string Standing() const;

 private:
  bool IsStranded(int client) const;
  bool IsFruitless();
  bool AtBound();
  bool SleepsSince(std::int64_t unix_us) const;
  bool SomebodyMoves();
  void Deadlock(std::string_view what);
  void NobodyGotAny(std::string_view slug, std::string_view what);

  DriveState& state_;
  bool over_ = false;           // nothing more can be learnt
  std::uint64_t fruits_ = 0;    // when it was looked last
  std::uint64_t fruit_at_ = 0;  // commands, when the last one came
  std::int64_t fruit_us_ = 0;   // the same, of the servers' clock
};

}  // namespace interlock::scenarios::drive
