// SPDX-License-Identifier: MIT
#include "sim/serve/timers.h"

#include <algorithm>

namespace interlock::sim::serve {

std::optional<std::int64_t> Earlier(std::optional<std::int64_t> one,
                                    std::optional<std::int64_t> other) {
  if (!one || !other) return one ? one : other;
  return std::min(*one, *other);
}

void RunTimersUntil(redis::Server& server, std::int64_t now_us) {
  while (const auto next_us = server.NextTimerUs()) {
    if (*next_us > now_us) break;
    server.SetTime(std::clamp(*next_us, std::min(server.time_us(), now_us), now_us));
    server.RunTimers();
  }
  server.SetTime(now_us);
}

}  // namespace interlock::sim::serve
