// SPDX-License-Identifier: MIT
//
// Ends a run of foreign clients that does not end by itself, and judges that. A client is stranded
// if nothing visible will let it proceed: it has no command at the gate, waits for no time, and is
// not held back by a fault; or it spins. Clients that provably make no progress are a violation at
// once; at a bound, only if none has got anything for long, and no sleeping holder will wake.
//
// Thread safety: that of ForeignProcess.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "scenarios/run/foreign/drive_state.h"

namespace interlock::scenarios::drive {

class EndOfRun {
 public:
  explicit EndOfRun(DriveState& state) : state_(state) {}

  /// Called before each step. True: the run is over, and the state has its finding or why there is
  /// none.
  bool Reached();
  /// Nobody is ready and, by the virtual clock, nobody has anything to wait for: ends the run,
  /// unless a client moves after all.
  void StandStillForEver();

  /// No progress for longer than the patience. With a virtual clock nobody is waited for.
  bool StandsStill() const;
  /// The fewest commands that any client able to proceed has sent since the last change.
  std::uint64_t InVain() const;
  /// Where the clients are, as text.
  std::string Standing() const;

 private:
  bool IsStranded(int client) const;
  bool IsFruitless();
  bool AtBound();
  bool AHolderGoesOn() const;
  std::uint64_t MostCommands() const;
  bool SleepsSince(std::int64_t unix_us) const;
  Duration LastChance() const;
  bool SomebodyMoves();
  void NobodyGotAny(std::string_view slug, std::string_view what);

  DriveState& state_;
  bool over_ = false;           // nothing more can be learnt
  std::uint64_t fruits_ = 0;    // at the last look
  std::uint64_t fruit_at_ = 0;  // command count at the last one
  std::int64_t fruit_us_ = 0;   // the same on the servers' clock
  std::uint64_t held_at_ = 0;   // command count when a lock was last held
  std::size_t fruit_event_ = 0;
};

}  // namespace interlock::scenarios::drive
