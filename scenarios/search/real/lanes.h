// SPDX-License-Identifier: MIT
//
// Several processes share a campaign on servers of their own.
//
// Guarantee: none of them outlives the call, nor the thread that made it; Ctrl-C reaches the caller
// alone. Thread safety: none; REQUIRES: the calling process has one thread.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <vector>

#include <interlock/result.h>

#include "reports/run_report.h"

namespace interlock::scenarios::real {

/// `stop` is set when the caller is to stop.
using LaneWork =
    std::function<Result<reports::RunReport>(std::size_t index, const std::atomic<bool>& stop)>;

/// The results of `work`, each in a process of its own, by index. If some fail, the others are
/// there, the first of them partial, with a note that says why. kUnavailable: all failed; why the
/// first did. `stop` may be null.
Result<std::vector<reports::RunReport>> RunInLanes(std::size_t lanes, const LaneWork& work,
                                                   const std::atomic<bool>* stop);

}  // namespace interlock::scenarios::real
