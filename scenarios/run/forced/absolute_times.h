// SPDX-License-Identifier: MIT
//
// The Unix times in commands at which keys or fields are to end (EXPIREAT, SET with PXAT ...).
// Clients make them by their own clocks, which are not those of a real server. Pure function.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "sim/redis/server.h"

namespace interlock::scenarios::real {

struct AbsoluteTime {
  std::size_t word = 0;      ///< of the command
  std::int64_t unit_us = 0;  ///< a second or a millisecond
};

/// nullopt: it has none.
std::optional<AbsoluteTime> AbsoluteTimeIn(const sim::redis::Argv& argv);

}  // namespace interlock::scenarios::real
