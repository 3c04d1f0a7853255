// SPDX-License-Identifier: MIT
//
// Looks at an instant world (see WorldOptions::latency_max) whenever a choice is about to be made
// in it. Thread safety: as the world's.
#pragma once

#include <cstdint>
#include <span>

namespace interlock::sim {

/// A task that may be chosen to go on.
struct ReadyTask {
  int process = 0;
  std::uint32_t ordinal = 0;  ///< among its process's
  /// No other process sees what it does up to its next yield point.
  bool unseen = false;

  /// Whether both are one task, wherever each stands.
  bool operator==(const ReadyTask& other) const {
    return process == other.process && ordinal == other.ordinal;
  }
};

class WorldProbe {
 public:
  virtual ~WorldProbe() = default;
  /// Every living process waits, or stands before something that others will see. `ready`: the
  /// tasks that can go on, as the schedule lane counts them if there are several; empty: the run
  /// has ended. False: Run returns kStopped.
  virtual bool GoOn(std::span<const ReadyTask> ready) = 0;
  /// Whether World::footprint will be asked for when the step that begins now is over.
  virtual bool WantsFootprint() const = 0;
};

}  // namespace interlock::sim
