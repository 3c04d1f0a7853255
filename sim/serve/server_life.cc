// SPDX-License-Identifier: MIT
#include "sim/serve/server_life.h"

#include <chrono>

#include "sim/serve/timers.h"

namespace interlock::sim::serve {

std::int64_t ServerLife::RealUs() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::microseconds>(now).count();
}

void ServerLife::Kill(bool power_lost, std::optional<std::int64_t> until_us) {
  EndStall();
  if (!down_) server_.Kill({.power_lost = power_lost});
  down_ = true;
  down_until_us_ = until_us;
}

void ServerLife::Start() {
  SetTime();
  server_.Start();
  down_ = false;
  down_until_us_.reset();
}

bool ServerLife::StartIsDue() const {
  return down_until_us_ && *down_until_us_ <= clock_.Now(RealUs());
}

void ServerLife::CatchUp(bool expire) {
  const std::int64_t now_us = clock_.Now(RealUs());
  if (stalled_until_us_ && *stalled_until_us_ <= now_us) EndStall();
  if (stalled() || down_) return;
  RunTimersUntil(server_, now_us);
  if (expire) server_.RunActiveExpiry();
}

std::optional<std::int64_t> ServerLife::NextDueUs() const {
  const auto wakes_us = Earlier(stalled_until_us_, down_until_us_);
  return stalled() || down_ ? wakes_us : Earlier(wakes_us, server_.NextTimerUs());
}

}  // namespace interlock::sim::serve
