// SPDX-License-Identifier: MIT
#include "sim/serve/held_back.h"

#include <algorithm>
#include <utility>

#include "sim/serve/timers.h"

namespace interlock::sim::serve {

void HeldBack::Add(Connection& connection, redis::Argv argv, std::optional<std::int64_t> until_us) {
  connection.notes.held = std::move(argv);
  connection.notes.held_until_us = until_us;
  held_.push_back(connection.shared_from_this());
}

std::shared_ptr<Connection> HeldBack::TakeDue(std::int64_t now_us, bool stalled) {
  std::erase_if(held_, [](const auto& one) { return one->notes.hanging_up || !one->notes.held; });
  if (stalled) return nullptr;
  const auto due = std::find_if(held_.begin(), held_.end(), [now_us](const auto& one) {
    return one->notes.held_until_us.value_or(INT64_MIN) <= now_us;
  });
  if (due == held_.end()) return nullptr;
  std::shared_ptr<Connection> connection = std::move(*due);
  held_.erase(due);
  return connection;
}

void HeldBack::EndDelays() {
  for (const auto& connection : held_) {
    if (connection->notes.held_until_us) connection->notes.held_until_us = INT64_MIN;
  }
}

std::optional<std::int64_t> HeldBack::NextDueUs(bool stalled) const {
  std::optional<std::int64_t> due_us;
  if (stalled) return due_us;
  for (const auto& connection : held_) {
    due_us = Earlier(due_us, connection->notes.held_until_us);
  }
  return due_us;
}

}  // namespace interlock::sim::serve
