// SPDX-License-Identifier: MIT
//
// Records what clients do from grant to release: sections, extensions, and how long a client
// believes that it holds the lock; and whether what the client is told about a release or an
// extension is true of the servers.
//
// Thread safety: that of the log, see run_log.h.
#pragma once

#include <cstdint>

#include <interlock/harness/lock.h>

#include "scenarios/run/recorder/run_log.h"

namespace interlock::scenarios {

class HoldLog {
 public:
  explicit HoldLog(RunLog& log) : log_(log) {}

  // See ProgramEvents.
  void OnGranted(Party who, const GrantDetails& granted);
  void OnEnter(Party who);
  void OnLeave(Party who);
  void OnExtend(Party who);
  void OnExtended(Party who, const ExtendedDetails& extended);
  void OnRelease(Party who);
  void OnReleased(Party who, StatusCode status);
  void OnDrop(Party who);

  /// The client learns that its latest hold's validity has moved to that end, on its own clock.
  void Prolong(Party who, MonotonicTime until);

 private:
  /// Returns the end of the validity.
  VirtualTime SetValidity(Party who, MonotonicTime until);
  void EndBelief(Party who);
  /// Finds when the command that granted the client its hold was sent.
  void SetSent(const History& history, ClientHold& record, VirtualTime now) const;
  /// The lowest reading of any server's clock.
  std::int64_t LeastServerMs(int nodes) const;

  RunLog& log_;
};

}  // namespace interlock::scenarios
