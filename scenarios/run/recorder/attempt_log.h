// SPDX-License-Identifier: MIT
//
// Records what clients ask for and the answers other than grants: requests for a lock, stopped
// waits, and requests to a latch.
//
// Thread safety: that of the log, see run_log.h.
#pragma once

#include <interlock/result.h>

#include "scenarios/cases/workload.h"
#include "scenarios/run/recorder/run_log.h"

namespace interlock::scenarios {

class AttemptLog {
 public:
  explicit AttemptLog(RunLog& log) : log_(log) {}

  // See ProgramEvents.
  void OnAsk(Party who, const AskDetails& asked);
  void OnStop(Party who);
  void OnCountDown(Party who, int party);
  /// Records answers, refusals included.
  void OnAnswered(Party who, StatusCode status);

 private:
  RunLog& log_;
};

}  // namespace interlock::scenarios
