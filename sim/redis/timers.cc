// SPDX-License-Identifier: MIT
//
// What happens when the clock moves: stalls and pauses end, blocked clients time out.
#include <algorithm>
#include <utility>

#include "sim/redis/engine.h"

namespace interlock::sim::redis {

void Engine::Stall(std::int64_t us) {
  stalled_until_us_ = now_us + us;
  // The rest of the transaction runs after the sleep, and still emits into it.
  keyspace.SetNowMs(stalled_until_us_ / 1000);
}

void Engine::EndStall() {
  for (auto& [id, value] : std::exchange(stalled_output_, {})) {
    if (FindClient(id) != nullptr && sink != nullptr) sink->OnReply(id, value);
  }
  AfterCommand();
  RunDelayed();
}

void Engine::RunDelayed() {
  while (!stalled_input_.empty() && !Stalled()) {
    const auto [id, argv] = std::move(stalled_input_.front());
    stalled_input_.pop_front();
    Execute(id, argv);
  }
}

std::optional<std::int64_t> Engine::NextTimerUs() const {
  if (stalled_until_us_ > now_us) return stalled_until_us_;
  if (!stalled_output_.empty() || !stalled_input_.empty()) return now_us;
  constexpr std::int64_t kLatestMs = INT64_MAX / 1000;
  std::optional<std::int64_t> next_us;
  for (const auto& deadline_ms : {blocking.NextDeadlineMs(), pause.DeadlineMs()}) {
    if (!deadline_ms) continue;
    const std::int64_t us = std::min(*deadline_ms, kLatestMs) * 1000;
    next_us = std::min(us, next_us.value_or(us));
  }
  return next_us;
}

void Engine::RunTimers() {
  if (unmodelled || Stalled()) return;
  EndStall();
  pause.RunTimers();
  blocking.RunTimers();
  AfterCommand();
}

}  // namespace interlock::sim::redis
