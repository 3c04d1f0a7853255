// SPDX-License-Identifier: MIT
//
// Writes down what clients do with what they are granted, from the grant to the release: sections,
// extensions, and for how long a client believes that it holds the lock. Judges at once whether
// what the client is told of a release or an extension is true of the servers.
//
// Thread safety: as the log, see run_log.h.
#pragma once

#include <cstdint>

#include <interlock/harness/lock.h>

#include "scenarios/log/run_log.h"

namespace interlock::scenarios {

class HoldLog {
 public:
  explicit HoldLog(RunLog& log) : log_(log) {}

  // See ProgramEvents.
  void OnGranted(Party who, const harness::Hold& granted);
  void OnEnter(Party who);
  void OnLeave(Party who);
  void OnExtend(Party who);
  void OnExtended(Party who, const Status& status, const harness::Hold& extended);
  void OnRelease(Party who);
  void OnReleased(Party who, const Status& status);
  void OnDrop(Party who);

  /// The client learns that the validity of its latest hold has moved to that of `shown`.
  void Prolong(Party who, const harness::Hold& shown);

 private:
  /// Returns the end of the validity.
  VirtualTime SetValidity(Party who, const harness::Hold& shown);
  void EndBelief(Party who);
  /// When the command was sent that the client was granted its hold by.
  void SetSent(const History& history, ClientHold& record, VirtualTime now) const;
  /// The least that any clock shows, of the one server or of these.
  std::int64_t LeastServerMs(int nodes) const;

  RunLog& log_;
};

}  // namespace interlock::scenarios
