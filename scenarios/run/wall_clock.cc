// SPDX-License-Identifier: MIT
#include "scenarios/run/wall_clock.h"

#include <chrono>

#include "sim/world.h"

namespace interlock::scenarios {

std::function<std::int64_t()> SimulatedWallClock(Runtime& runtime, Duration offset) {
  return [&runtime, offset] {
    const Duration passed = runtime.Now().time_since_epoch() - offset;
    return sim::WorldOptions().server_epoch_us / 1000 +
           std::chrono::floor<std::chrono::milliseconds>(passed).count();
  };
}

std::function<std::int64_t()> MachineWallClock() {
  return [] {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return std::int64_t{std::chrono::floor<std::chrono::milliseconds>(now).count()};
  };
}

}  // namespace interlock::scenarios
