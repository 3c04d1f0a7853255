// SPDX-License-Identifier: MIT
//
// What a server does when its time has come, and nobody has sent a command.
#include <algorithm>

#include "sim/redis/engine.h"

namespace interlock::sim::redis {

std::optional<std::int64_t> Engine::NextTimerUs() const {
  if (stall.has_begun()) {
    if (const auto stalled_us = stall.NextUs()) return stalled_us;
  }
  if (!blocking.HasDeadline() && !pause.active() && !blocking.waits_for_disk()) return std::nullopt;
  constexpr std::int64_t kLatestMs = INT64_MAX / 1000;
  std::optional<std::int64_t> next_us;
  for (const auto& deadline_ms : {blocking.NextDeadlineMs(), pause.DeadlineMs()}) {
    if (!deadline_ms) continue;
    const std::int64_t us = std::min(*deadline_ms, kLatestMs) * 1000;
    next_us = std::min(us, next_us.value_or(us));
  }
  const auto sync_us = blocking.waits_for_disk() ? persistence.NextSyncUs() : std::nullopt;
  return sync_us ? std::min(*sync_us, next_us.value_or(*sync_us)) : next_us;
}

void Engine::RunTimers() {
  if (unmodelled || stall.active()) return;
  stall.SendOutput();
  AfterCommand();
  stall.ExecuteInput();
  if (cluster.enabled()) cluster.migrations().RunTimers();
  pause.RunTimers();
  blocking.RunTimers();
  AfterCommand();
}

}  // namespace interlock::sim::redis
