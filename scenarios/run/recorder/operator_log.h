// SPDX-License-Identifier: MIT
//
// Records what is done to a lock without holding it: setting limits, and operators who look for
// holders and take the lock away from them; and whether the answers are true of the servers.
//
// Thread safety: that of the log, see run_log.h.
#pragma once

#include <interlock/harness/lock.h>
#include <interlock/result.h>

#include "scenarios/run/recorder/run_log.h"

namespace interlock::scenarios {

class OperatorLog {
 public:
  explicit OperatorLog(RunLog& log) : log_(log) {}

  // See ProgramEvents.
  void OnSetLimit(Party who, int limit);
  void OnLimitSet(Party who, StatusCode status);
  void OnInspect(Party who);
  void OnInspected(Party who, StatusCode status);
  void OnForce(Party who, const HolderDetails& holder);
  void OnForced(Party who, StatusCode status);

 private:
  RunLog& log_;
};

}  // namespace interlock::scenarios
