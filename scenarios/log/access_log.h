// SPDX-License-Identifier: MIT
//
// Writes down the accesses to what the lock guards. What is sent there travels in the world that
// the log is about, and may arrive after its sender's end.
//
// Thread safety: as the log, see run_log.h.
#pragma once

#include <memory>

#include <interlock/harness/lock.h>

#include "scenarios/log/run_log.h"

namespace interlock::scenarios {

class AccessLog {
 public:
  explicit AccessLog(RunLog& log) : log_(log) {}

  // See ProgramEvents.
  bool OnRead(Party who, const harness::Hold& shown);
  void Stall(int client, Duration length);
  void OnWrite(Party who, const harness::Hold& shown, std::shared_ptr<Event> answered);

 private:
  struct Sent;  ///< a write on its way to what is guarded

  void OnArrived(const Sent& write);

  RunLog& log_;
};

}  // namespace interlock::scenarios
