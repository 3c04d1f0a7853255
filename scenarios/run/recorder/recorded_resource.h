// SPDX-License-Identifier: MIT
//
// One of a run's resources with its history.
//
// Thread safety: plain data.
#pragma once

#include <interlock/harness/lock.h>

#include "scenarios/log/history.h"
#include "scenarios/log/ledger.h"
#include "scenarios/run/recorder/guarded_resource.h"

namespace interlock::scenarios {

struct RecordedResource {
  const harness::LockOptions* options = nullptr;
  Ledger ledger;
  History history;
  GuardedResource guarded;
  bool observable = true;                        ///< the subject shows who owns it
  std::int64_t key_expires_at_ms = kNoDeadline;  ///< the first of its owners' keys
};

}  // namespace interlock::scenarios
