// SPDX-License-Identifier: MIT
#include "scenarios/search/explore/frontier.h"

#include <utility>

namespace interlock::scenarios {

std::optional<Prefix> Frontier::Take() {
  std::unique_lock<std::mutex> lock(mutex_);
  changed_.wait(lock, [this] { return closed_ || !left_.empty() || taken_ == 0; });
  if (closed_ || left_.empty()) return std::nullopt;
  std::optional<Prefix> prefix = std::move(left_.back());
  left_.pop_back();
  ++taken_;
  return prefix;
}

void Frontier::Done(std::vector<Prefix>&& left) {
  const std::lock_guard<std::mutex> lock(mutex_);
  --taken_;
  for (Prefix& prefix : left) left_.push_back(std::move(prefix));
  if (!left.empty() || taken_ == 0) changed_.notify_all();
}

void Frontier::Add(Prefix prefix) {
  const std::lock_guard<std::mutex> lock(mutex_);
  left_.push_back(std::move(prefix));
}

void Frontier::Close() {
  const std::lock_guard<std::mutex> lock(mutex_);
  closed_ = true;
  changed_.notify_all();
}

}  // namespace interlock::scenarios
