// SPDX-License-Identifier: MIT
#include "scenarios/scenario.h"

namespace interlock::scenarios {

const std::vector<PendingScenario>& PendingScenarios() {
  static const std::vector<PendingScenario> kPending = {
      {"chubby.h1", "new owners are refused for a while after an expiry", "a lock with lock-delay"},
  };
  return kPending;
}

}  // namespace interlock::scenarios
