// SPDX-License-Identifier: MIT
//
// What the tests of Simulate share: a program with an invariant of the test's own, and few runs.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <interlock/harness/simulate.h>

#include "tests/scenarios/program/counter_program.h"

namespace interlock::harness {

/// Clients that count as they should, and one invariant, "it".
inline Program WithInvariant(std::function<std::string(const ProgramView&)> broken,
                             bool at_end = false) {
  Program program = Counter(Count);
  program.invariants = {{"it", std::move(broken), at_end}};
  return program;
}

inline SimulateOptions Few(std::vector<FaultBudget> faults = {}) {
  return {.runs = 200, .faults = std::move(faults)};
}

}  // namespace interlock::harness
