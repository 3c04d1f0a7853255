// SPDX-License-Identifier: MIT
//
// Advances a served Redis' time. All times are Unix times in us. Thread safety: none.
#pragma once

#include <cstdint>

#include "sim/redis/server.h"

namespace interlock::sim::serve {

/// Advances the server's time to `now_us`; each deadline on the way is met at its own time.
void RunTimersUntil(redis::Server& server, std::int64_t now_us);

}  // namespace interlock::sim::serve
