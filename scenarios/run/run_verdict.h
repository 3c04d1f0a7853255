// SPDX-License-Identifier: MIT
//
// The verdict on a run when it has stopped: the violations of every oracle, what was put to the
// test, and, if nothing can be said, why.
//
// Thread safety: as the world's.
#pragma once

#include <vector>

#include <interlock/harness/lock.h>

#include "scenarios/judge/refusals.h"
#include "scenarios/log/recorder.h"
#include "scenarios/run/run.h"
#include "sim/world.h"

namespace interlock::scenarios {

/// How often a client asks again: the excused requests, and one that is not.
inline constexpr int kRequestsAgain = kExcused + 1;

/// How long phase 2 lasts at most. Generous: virtual time is cheap, and the oracle judges by the
/// real bounds. `options` are those of the run's first resource.
Duration PhaseTwoLength(const RunCase& run_case, const Workload& workload,
                        const harness::LockOptions& options);

/// Closes the recorder, and judges the run by what it has written down. `options` has one entry for
/// each resource.
RunResult JudgeRun(const RunCase& run_case, const Workload& workload,
                   const std::vector<harness::LockOptions>& options, sim::World& world,
                   Recorder& recorder, sim::StopReason stop);

/// Whether the run has come to the end of its phase in a way that lets the next one follow.
bool MayGoOn(sim::StopReason stop);

}  // namespace interlock::scenarios
