// SPDX-License-Identifier: MIT
#include "sim/redis/pause.h"

#include <algorithm>
#include <utility>

#include "sim/redis/engine.h"

namespace interlock::sim::redis {

void Pause::Reset() {
  scope_ = Scope::kNothing;
  end_ms_ = 0;
  held_.clear();
}

void Pause::Begin(Scope scope, std::int64_t end_ms, std::string_view reason) {
  if (!active() || end_ms > end_ms_) reason_ = reason;
  scope_ = std::max(scope_, scope);
  end_ms_ = std::max(end_ms_, end_ms);
  engine_.UpdateExpiryMode();
  RunTimers();
}

void Pause::End() {
  scope_ = Scope::kNothing;
  end_ms_ = 0;
  engine_.UpdateExpiryMode();
  for (const ClientId id : std::exchange(held_, {})) {
    Client* client = engine_.clients.Find(id);
    if (client == nullptr) continue;
    client->postponed = false;
    engine_.blocking.AddUnblocked(id);
  }
}

bool Pause::Holds(std::uint32_t flags) const {
  return scope_ == Scope::kAll ||
         (scope_ == Scope::kWrites && (flags & (kWrite | kMayReplicate)) != 0);
}

std::string_view Pause::ScopeName() const {
  return scope_ == Scope::kAll ? "all" : scope_ == Scope::kWrites ? "write" : "none";
}

std::int64_t Pause::RemainingMs() const { return active() ? end_ms_ - engine_.now_ms() : 0; }

void Pause::Hold(Client& client, Argv argv) {
  client.postponed = true;
  client.pending.push_front(std::move(argv));
  held_.push_back(client.id);
}

std::optional<std::int64_t> Pause::DeadlineMs() const {
  if (!active()) return std::nullopt;
  return end_ms_;
}

void Pause::RunTimers() {
  if (active() && end_ms_ <= engine_.now_ms()) End();
}

}  // namespace interlock::sim::redis
