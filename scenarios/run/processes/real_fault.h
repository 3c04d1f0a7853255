// SPDX-License-Identifier: MIT
//
// The part of a simulated fault plan that real servers and clients can be given: FaultInfo::unreal
// says why the rest cannot be. All lengths scale with the lease. Crashes of clients are in
// real_plan.h.
//
// Determinism: a function of (workload, seed); what a fault hits depends on the machine. Thread
// safety: pure functions.
#pragma once

#include <cstdint>
#include <vector>

#include "scenarios/cases/workload.h"
#include "sim/machine/real_fault.h"

namespace interlock::scenarios::real {

/// The planned faults that can be injected, those of servers in order of time. Where several real
/// faults match one simulated fault, the seed picks one. `sentinels`: they decide on failovers.
std::vector<sim::machine::RealFault> RealFaultsOf(const Workload& workload, std::uint64_t seed,
                                                  bool sentinels);

}  // namespace interlock::scenarios::real
