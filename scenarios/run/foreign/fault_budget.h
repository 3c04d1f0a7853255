// SPDX-License-Identifier: MIT
//
// Which faults a run of foreign clients may still have, and whether one strikes now. A few kinds at
// a time find more than all of them (swarm testing, Groce et al. 2012), so each random run first
// draws which kinds it has, and how often.
//
// A draw of 0 is always calm: no kind, no fault. Determinism: a function of the choices. Thread
// safety: none.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "scenarios/run/foreign/drive_run.h"
#include "sim/choices.h"

namespace interlock::scenarios::drive {

enum class Strike : std::uint8_t {
  kCrash,
  kLostRequest,
  kLostReply,
  kPause,
  kExpiry,
  kDelayedRequest,
  kDelayedReply,
  kForgottenScripts,
  kClock,
  kFailover,
  kReshard,
  kSlotMigration,
  kLateClaim,
};

class FaultBudget {
 public:
  explicit FaultBudget(const DriveOptions& options);

  void DrawSwarm(sim::Choices& choices);
  /// The client whose clock is off from the start, drawn after DrawSwarm; nullopt: none.
  std::optional<int> DrawClockAtStart(sim::Choices& choices, int clients);

  /// The situation of a client when a fault may strike it.
  struct Place {
    bool alone = false;    ///< no other client is left that could proceed meanwhile
    bool owns = false;     ///< a lock's key
    bool names = false;    ///< its command names that key: it looks, extends, or releases
    bool ends = false;     ///< something that it owns will expire
    bool by_hash = false;  ///< its command runs a script that the server must know
    bool primary = false;  ///< a replica can replace the server that its command is for
    bool movable = false;  ///< a cluster's slots can begin to move
  };
  std::optional<Strike> Draw(sim::Choices& choices, const Place& place);

  /// The faults that may strike there, each once, without those that are placed by other choices:
  /// a pause or delay by the order of steps. Clocks are left out, too.
  std::vector<Strike> Possible(const Place& place) const;
  void Spend(Strike strike);
  /// Whether slots may still move.
  bool AllowsMoves() const {
    return left(Strike::kReshard) + left(Strike::kSlotMigration) + left(Strike::kLateClaim) > 0;
  }

 private:
  static constexpr std::size_t kKinds = 13;
  int& left(Strike strike) { return left_[static_cast<std::size_t>(strike)]; }
  int left(Strike strike) const { return left_[static_cast<std::size_t>(strike)]; }
  void Use(Strike used, Strike one, Strike other);

  std::array<int, kKinds> left_;
  bool any_clocks_;
  std::uint32_t one_in_ = 1;
};

}  // namespace interlock::scenarios::drive
