// SPDX-License-Identifier: MIT
//
// The one timer of a served Redis: it fires when something falls due, and at least once in each
// period in which redis-server would do its housekeeping.
//
// Thread safety: none.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

namespace interlock::sim::serve {

class TurnTimer {
 public:
  /// `fired` is called by the loop.
  TurnTimer(boost::asio::io_context& io, std::function<void()> fired);

  /// Begins the first period.
  void Start();
  /// Fires in `wait_us` of real time, or when the period is over, whichever is sooner. nullopt:
  /// nothing is going to fall due.
  void Schedule(std::optional<std::int64_t> wait_us);
  /// To be called when it has fired: whether the period is over. Then the next one begins.
  bool TakePeriod();

 private:
  using Clock = std::chrono::steady_clock;

  std::function<void()> fired_;
  boost::asio::steady_timer timer_;
  std::optional<Clock::time_point> at_;
  Clock::time_point period_ends_;
};

}  // namespace interlock::sim::serve
