// SPDX-License-Identifier: MIT
//
// The world that a workload runs in: message latencies, servers, and what they persist. Thread
// safety: a pure function.
#pragma once

#include "scenarios/cases/workload.h"
#include "sim/world.h"

namespace interlock::scenarios {

sim::WorldOptions WorldOptionsOf(const Workload& workload, bool keep_events, bool hash_trace);

}  // namespace interlock::scenarios
