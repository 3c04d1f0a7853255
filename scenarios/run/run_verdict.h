// SPDX-License-Identifier: MIT
//
// The verdict on a stopped run: the violations of every oracle, what was put to the test and, if
// there is no verdict, why.
//
// Thread safety: that of the world.
#pragma once

#include <vector>

#include "scenarios/judge/refusals.h"
#include "scenarios/run/recorder/recorder.h"
#include "scenarios/run/run.h"
#include "sim/world.h"

namespace interlock::scenarios {

/// Requests of a client in phase 2: the excused ones, and one that is not.
inline constexpr int kRequestsAgain = kExcused + 1;

/// The longest that phase 2 lasts. Generous, since virtual time is cheap and the oracle judges by
/// the real bounds. `options` are those of the run's first resource.
Duration PhaseTwoLength(const RunCase& run_case, const Workload& workload,
                        const harness::LockOptions& options);

/// Closes the recorder, and judges the run by its records. `options` has one entry per resource.
RunResult JudgeRun(const RunCase& run_case, const Workload& workload,
                   const std::vector<harness::LockOptions>& options, sim::World& world,
                   Recorder& recorder, sim::StopReason stop);

/// Whether the phase ended in a way that lets the next one follow.
bool MayGoOn(sim::StopReason stop);

}  // namespace interlock::scenarios
