// SPDX-License-Identifier: MIT
//
// A lock to be tried, and what is known of it beforehand. Thread safety: plain data.
#pragma once

#include <memory>
#include <vector>

#include <interlock/harness/lock.h>

#include "scenarios/locks/specimen.h"

namespace interlock::scenarios {

struct Entry {
  std::shared_ptr<const harness::Subject> subject;
  bool specimen = false;
  std::vector<Conviction> expected;  ///< specimens only
  /// Somebody else's lock, which may be better than what a scenario takes for granted of every
  /// lease lock: its weaknesses need not show.
  bool foreign = false;
  /// In full it is judged as another entry, from which it differs in how it reaches the servers: it
  /// is tried only where Scenario::for_sampled says so.
  bool sampled = false;
};

}  // namespace interlock::scenarios
