// SPDX-License-Identifier: MIT
//
// Ends a wait of its io_context at a time, more exactly than the whole milliseconds in which that
// waits otherwise. Thread safety: none; all on the thread of its io_context.
#pragma once

#include <chrono>
#include <optional>

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

namespace interlock::sim::serve {

class Alarm {
 public:
  using Time = std::chrono::steady_clock::time_point;

  explicit Alarm(boost::asio::io_context& io);
  /// At this time, and no more at the one before; nullopt: at none.
  void Set(std::optional<Time> at);

 private:
  boost::asio::steady_timer timer_;
  std::optional<Time> at_;
};

}  // namespace interlock::sim::serve
