// SPDX-License-Identifier: MIT
//
// One resource of a simulated run, as passed to the judges in the property table. Thread safety:
// plain data; what it refers to must outlive it.
#pragma once

#include <interlock/harness/lock.h>

#include "scenarios/judge/progress.h"
#include "scenarios/log/history.h"

namespace interlock::scenarios {

struct JudgedResource {
  const History& history;   ///< of the lock as a whole: for a quorum lock, its QuorumView
  const History& recorded;  ///< as the servers saw it; the same except for a quorum lock
  const harness::Subject& subject;
  const harness::Traits& traits;  ///< the subject's
  const harness::LockOptions& options;
  ProgressRules rules = {};
  /// For a lock that takes several resources at once: the history of the other one that each
  /// request asks for; nullptr if there is none.
  const History* taken_with = nullptr;
  bool guarded_by_token = false;  ///< the guarded resource compares fencing tokens
  bool forgetful = false;         ///< servers may lose acknowledged writes
  bool to_its_end = true;         ///< the run was not cut short
};

}  // namespace interlock::scenarios
