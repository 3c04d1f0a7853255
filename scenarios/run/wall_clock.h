// SPDX-License-Identifier: MIT
//
// The time of day shown to a lock, see harness::Environment::wall_ms.
//
// Thread safety: each returned clock belongs to one client.
#pragma once

#include <cstdint>
#include <functional>

#include <interlock/runtime.h>
#include <interlock/time.h>

namespace interlock::scenarios {

/// The wall clock of a client in a simulated world, whose clock showed `offset` when the world
/// began. The runtime must outlive it.
std::function<std::int64_t()> SimulatedWallClock(Runtime& runtime, Duration offset);

/// This machine's wall clock.
std::function<std::int64_t()> MachineWallClock();

}  // namespace interlock::scenarios
