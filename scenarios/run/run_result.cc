// SPDX-License-Identifier: MIT
#include "scenarios/run/run.h"

namespace interlock::scenarios {

bool IsPromised(Judged property, const RunCase& run_case) {
  return WhyNotPromised(property, *run_case.scenario, run_case.synchrony,
                        run_case.subject->traits())
      .empty();
}

const Violation* RunResult::Find(Judged property) const {
  for (const Violation& violation : violations) {
    if (violation.property == property) return &violation;
  }
  return nullptr;
}

}  // namespace interlock::scenarios
