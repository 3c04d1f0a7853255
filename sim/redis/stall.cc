// SPDX-License-Identifier: MIT
#include "sim/redis/stall.h"

#include "sim/redis/engine.h"

namespace interlock::sim::redis {

void Stall::Begin(std::int64_t us) {
  until_us_ = engine_.now_us + us;
  // The rest of the transaction runs after the sleep, and still emits into it.
  engine_.keyspace.SetNowMs(until_us_ / 1000);
}

bool Stall::active() const { return engine_.now_us < until_us_; }

void Stall::SendOutput() {
  for (auto& [id, value] : std::exchange(output_, {})) {
    if (engine_.clients.Find(id) != nullptr && engine_.sink != nullptr) {
      engine_.sink->OnReply(id, value);
    }
  }
}

void Stall::ExecuteInput() {
  while (!input_.empty() && !active()) {
    const auto [id, argv] = std::move(input_.front());
    input_.pop_front();
    engine_.Execute(id, argv);
  }
}

std::optional<std::int64_t> Stall::NextUs() const {
  if (active()) return until_us_;
  if (!output_.empty() || !input_.empty()) return engine_.now_us;
  return std::nullopt;
}

void Stall::Reset() {
  until_us_ = 0;
  output_.clear();
  input_.clear();
}

}  // namespace interlock::sim::redis
