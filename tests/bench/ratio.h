// SPDX-License-Identifier: MIT
//
// The time of one way to do a thing as a ratio to that of another. The two take turns in short
// blocks, each pair of blocks gives one ratio, and the median is shown, which neither a slow start
// nor a disturbance in a few blocks can move.
#pragma once

#include <benchmark/benchmark.h>

#include <functional>

namespace interlock {

inline constexpr int kCallsPerBlock = 500;

/// Each function says whether it went well; `prepare` precedes each block, and is not timed.
void CompareInBlocks(
    benchmark::State& state, const std::function<bool()>& ours, const std::function<bool()>& raw,
    const std::function<bool()>& prepare = [] { return true; });

}  // namespace interlock
