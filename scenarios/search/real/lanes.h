// SPDX-License-Identifier: MIT
//
// Several processes share a campaign, each on servers of its own.
//
// Guarantee: none of them outlives the call or the calling thread; only the caller receives Ctrl-C.
// Thread safety: none; REQUIRES: the calling process has one thread.
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

/// Runs each `work` in its own process; results are by index. If some fail, the others are
/// returned, the first of them marked partial with a note that says why. kUnavailable: all failed,
/// with the reason of the first. `stop` may be null.
Result<std::vector<reports::RunReport>> RunInLanes(std::size_t lanes, const LaneWork& work,
                                                   const std::atomic<bool>* stop);

}  // namespace interlock::scenarios::real
