// SPDX-License-Identifier: MIT
//
// Records accesses to the guarded resource. They travel in the world that the log records, and may
// arrive after their sender has ended.
//
// Thread safety: that of the log, see run_log.h.
#pragma once

#include <memory>

#include <interlock/harness/lock.h>

#include "scenarios/run/recorder/run_log.h"

namespace interlock::scenarios {

class AccessLog {
 public:
  explicit AccessLog(RunLog& log) : log_(log) {}

  // See ProgramEvents.
  bool OnRead(Party who, const harness::Hold& shown);
  void Stall(int client, Duration length);
  void OnWrite(Party who, const harness::Hold& shown, std::shared_ptr<Event> answered);

 private:
  struct Sent;  ///< a write on its way to the guarded resource

  void OnArrived(const Sent& write);

  RunLog& log_;
};

}  // namespace interlock::scenarios
