// SPDX-License-Identifier: MIT
//
// The step before a message, at a yield point. Internal to sim. Thread safety: none.
#pragma once

#include <span>
#include <string_view>

#include "sim/engine.h"

namespace interlock::sim {

/// Lets due faults strike and other tasks run before the process sends the command. YIELDS. False
/// in teardown: the call must then fail.
bool StepBeforeSend(Engine& engine, Process& process, std::span<const std::string_view> argv);

}  // namespace interlock::sim
