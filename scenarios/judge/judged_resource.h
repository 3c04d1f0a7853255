// SPDX-License-Identifier: MIT
//
// One resource of a simulated run, as the judges in the table of properties are given it.
// Thread safety: plain data; what it refers to must outlive it.
#pragma once

#include <interlock/harness/lock.h>

#include "scenarios/judge/progress.h"
#include "scenarios/log/history.h"

namespace interlock::scenarios {

struct JudgedResource {
  const History& history;   ///< of the lock as a whole: of a quorum, its view
  const History& recorded;  ///< of its servers; but for a quorum the same
  const harness::Subject& subject;
  const harness::Traits& traits;  ///< the subject's
  const harness::LockOptions& options;
  ProgressRules rules = {};
  /// Of a lock that takes several: of the resource that each of these requests asks for as well;
  /// nullptr: there is none.
  const History* taken_with = nullptr;
  bool guarded_by_token = false;  ///< what holders write to compares fencing tokens
  bool forgetful = false;         ///< servers may lose what they have acknowledged
  bool to_its_end = true;         ///< the run was not cut short
};

}  // namespace interlock::scenarios
