// SPDX-License-Identifier: MIT
//
// How long faults may be at the instant they strike: what the synchrony class of a run allows, and
// the drift that every lease lock must allow for. A fault that the class rules out has length 0.
//
// Thread safety: reads the log alone, see run_log.h.
#pragma once

#include "scenarios/log/run_log.h"
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
  /// Clips a pause so that clients that rely on a validity come back in time.
  Duration ClipPause(Users::Range users, Duration wanted, VirtualTime now) const;
  /// The lease of the client's grants, if that is much less than the client asks for: some
  /// milliseconds more or less are a matter of how it is shown.
  Duration LeaseGranted(int client) const;

  const RunLog& log_;
};

}  // namespace interlock::scenarios
