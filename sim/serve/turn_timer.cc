// SPDX-License-Identifier: MIT
#include "sim/serve/turn_timer.h"

#include <algorithm>
#include <utility>

namespace interlock::sim::serve {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

// Corresponds to the default hz of redis-server.
constexpr milliseconds kPeriod{100};

}  // namespace

TurnTimer::TurnTimer(boost::asio::io_context& io, std::function<void()> fired)
    : fired_(std::move(fired)), timer_(io.get_executor()) {}

void TurnTimer::Start() {
  period_ends_ = Clock::now() + kPeriod;
  Schedule(std::nullopt);
}

void TurnTimer::Schedule(std::optional<std::int64_t> wait_us) {
  Clock::time_point at = period_ends_;
  constexpr std::int64_t kLongUs = 1'000'000;
  if (wait_us && *wait_us < kLongUs) at = std::min(at, Clock::now() + microseconds(*wait_us));
  if (at_ && *at_ <= at) return;
  at_ = at;
  timer_.expires_at(at);
  timer_.async_wait([this](const boost::system::error_code& error) {
    if (!error) fired_();
  });
}

bool TurnTimer::TakePeriod() {
  at_.reset();
  if (Clock::now() < period_ends_) return false;
  period_ends_ = Clock::now() + kPeriod;
  return true;
}

}  // namespace interlock::sim::serve
