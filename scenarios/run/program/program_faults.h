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
#include "sim/redis/dialect.h"

namespace interlock::scenarios {

/// The workload in which nothing goes wrong.
Result<Workload> CalmWorkload(const harness::Program& program);

struct FaultLimit {
  sim::FaultKind kind = sim::FaultKind::kCrash;
  int most = 0;  ///< in one run
};

/// What the program's servers are. REQUIRES: CalmWorkload(program) is ok.
const sim::redis::Dialect& ServerOf(const harness::Program& program);

/// The budgets that allow any. `calm`: that of a program with such servers.
Result<std::vector<FaultLimit>> FaultLimits(const std::vector<harness::FaultBudget>& budgets,
                                            const Workload& calm,
                                            const sim::redis::Dialect& server);

/// Draws clock offsets and faults. `steps`: how many each client made in the calm run, so that most
/// faults strike something.
Workload DrawFaults(const Workload& calm, const std::vector<FaultLimit>& limits,
                    const std::vector<int>& steps, std::uint64_t seed);

}  // namespace interlock::scenarios
