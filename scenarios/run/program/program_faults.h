// SPDX-License-Identifier: MIT
//
// A user's program as a workload, and what goes wrong in one of its runs: faults by name and
// budget, drawn after the manner of swarm testing (see cases/swarm.h).
//
// Errors: kInvalidArgument, with the value that is wrong and what would be right. Thread safety:
// pure functions.
#pragma once

#include <cstdint>
#include <vector>

#include <interlock/harness/simulate.h>
#include <interlock/result.h>

#include "scenarios/cases/workload.h"

namespace interlock::scenarios {

/// The workload in which nothing goes wrong.
Result<Workload> CalmWorkload(const harness::Program& program);

struct FaultLimit {
  sim::FaultKind kind = sim::FaultKind::kCrash;
  int most = 0;  ///< in one run
};

/// The budgets that allow any. `calm`: the program's.
Result<std::vector<FaultLimit>> FaultLimits(const std::vector<harness::FaultBudget>& budgets,
                                            const Workload& calm);

/// Draws clock offsets and faults. `steps`: how many each client made in the calm run, so that most
/// faults strike something.
Workload DrawFaults(const Workload& calm, const std::vector<FaultLimit>& limits,
                    const std::vector<int>& steps, std::uint64_t seed);

}  // namespace interlock::scenarios
