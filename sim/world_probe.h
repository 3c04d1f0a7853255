// SPDX-License-Identifier: MIT
//
// Inspects an instant world (see WorldOptions::latency_max) before each choice in it. Thread
// safety: that of the world.
#pragma once

#include <cstdint>
#include <span>

namespace interlock::sim {

/// A task that may be chosen to continue.
struct ReadyTask {
  int process = 0;
  std::uint32_t ordinal = 0;  ///< within its process
  /// No other process sees what it does up to its next yield point.
  bool unseen = false;

  /// Whether both are the same task, wherever each is.
  bool operator==(const ReadyTask& other) const {
    return process == other.process && ordinal == other.ordinal;
  }
};

class WorldProbe {
 public:
  virtual ~WorldProbe() = default;
  /// Every living process waits, or is about to do something visible to others. `ready`: the tasks
  /// that can continue, as numbered on the schedule lane if there are several; empty: the run has
  /// ended. False: Run returns kStopped.
  virtual bool GoOn(std::span<const ReadyTask> ready) = 0;
  /// Whether World::footprint will be asked for after the step that begins now.
  virtual bool WantsFootprint() const = 0;
};

}  // namespace interlock::sim
