// SPDX-License-Identifier: MIT
//
// Writes down what clients ask for, and what they are told unless they are granted it: requests for
// a lock, waits that are stopped, and what is asked of a latch.
//
// Thread safety: as the log, see run_log.h.
#pragma once

#include <interlock/result.h>

#include "scenarios/cases/workload.h"
#include "scenarios/log/run_log.h"

namespace interlock::scenarios {

class AttemptLog {
 public:
  explicit AttemptLog(RunLog& log) : log_(log) {}

  // See ProgramEvents.
  void OnAsk(Party who, const Operation& operation);
  void OnStop(Party who);
  void OnCountDown(Party who, int party);
  /// Notes answers, refusals included.
  void OnAnswered(Party who, const Status& status);

 private:
  RunLog& log_;
};

}  // namespace interlock::scenarios
