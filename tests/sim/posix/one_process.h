// SPDX-License-Identifier: MIT
//
// The usual world of these tests: one process, which calls the C library, to its end.
#pragma once

#include <functional>
#include <utility>

#include <gtest/gtest.h>

#include "tests/sim/world_fixture.h"

namespace interlock::sim {

inline void RunOne(Bench& bench, std::function<void()> main) {
  bench.ServePosix(0);
  bench.world->Start(0, std::move(main));
  EXPECT_EQ(bench.world->Run(kHorizon), StopReason::kFinished);
}

inline void RunOne(std::function<void()> main) {
  Bench bench(1);
  RunOne(bench, std::move(main));
}

}  // namespace interlock::sim
