// SPDX-License-Identifier: MIT
//
// Advances a served Redis' time. All times are Unix times in us. Thread safety: none.
#pragma once

#include <cstdint>
#include <optional>

#include "sim/redis/server.h"

namespace interlock::sim::serve {

/// The earlier of two times; nullopt: never.
std::optional<std::int64_t> Earlier(std::optional<std::int64_t> one,
                                    std::optional<std::int64_t> other);

/// Advances the server's time to `now_us`; each deadline on the way is met at its own time.
void RunTimersUntil(redis::Server& server, std::int64_t now_us);

}  // namespace interlock::sim::serve
