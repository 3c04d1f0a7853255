// SPDX-License-Identifier: MIT
//
// Draws workloads after the manner of swarm testing (Groce et al. 2012): each run first switches
// off about half of the kinds of faults and operations and weighs the others, so that some runs
// have long sequences that an even mixture would hardly produce.
//
// Thread safety: pure function.
#pragma once

#include <cstdint>

#include "scenarios/cases/raw_workload.h"

namespace interlock::scenarios {

RawWorkload Drawn(const WorkloadShape& shape, std::uint64_t seed);

}  // namespace interlock::scenarios
