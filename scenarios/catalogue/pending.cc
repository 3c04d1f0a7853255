// SPDX-License-Identifier: MIT
#include "scenarios/scenario.h"

namespace interlock::scenarios {

const std::vector<PendingScenario>& PendingScenarios() {
  static const std::vector<PendingScenario> kNone;
  return kNone;
}

}  // namespace interlock::scenarios
