// SPDX-License-Identifier: MIT
//
// The longest that faults may last at the instant they strike: what the synchrony class of a run
// allows, and the drift that every lease lock must tolerate. Faults that the class rules out have
// length 0.
//
// Thread safety: only reads the log, see run_log.h.
#pragma once

#include "scenarios/run/recorder/run_log.h"
#include "sim/faults.h"

namespace interlock::scenarios {

class FaultBounds {
 public:
  explicit FaultBounds(const RunLog& log) : log_(log) {}

  /// See sim::WorldObserver::ClipFault.
  Duration Clip(const sim::Fault& fault, Duration wanted, VirtualTime now) const;

 private:
  /// Clips a pause whose process does not see time pass.
  Duration ClipFrozenPause(Users::Range users, Duration wanted, VirtualTime now) const;
  /// Clips a pause so that clients relying on a validity come back in time.
  Duration ClipPause(Users::Range users, Duration wanted, VirtualTime now) const;
  /// The lease of the client's grants, if far below the one it asks for; a few milliseconds either
  /// way are rounding.
  Duration LeaseGranted(int client) const;

  const RunLog& log_;
};

}  // namespace interlock::scenarios
