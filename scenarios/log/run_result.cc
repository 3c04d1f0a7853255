// SPDX-License-Identifier: MIT
#include "scenarios/log/run_result.h"

namespace interlock::scenarios {

const Violation* RunResult::Find(Judged property) const {
  for (const Violation& violation : violations) {
    if (violation.property == property) return &violation;
  }
  return nullptr;
}

}  // namespace interlock::scenarios
