// SPDX-License-Identifier: MIT
//
// Time that passes for a served Redis. All times are Unix times in us. Thread safety: none.
#pragma once

#include <cstdint>

#include "sim/redis/server.h"

namespace interlock::sim::serve {

/// The server's time becomes `now_us`; a jump over several deadlines meets each at its own time.
void RunTimersUntil(redis::Server& server, std::int64_t now_us);

}  // namespace interlock::sim::serve
