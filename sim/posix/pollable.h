// SPDX-License-Identifier: MIT
//
// What a descriptor of a simulated process stands for, as poll sees it. Internal to sim/posix.
// Thread safety: none; one world, one OS thread.
#pragma once

#include <cstdint>
#include <optional>

namespace interlock::sim {
struct ScheduledTask;
}

namespace interlock::sim::posix {

class Pollable {
 public:
  virtual ~Pollable() = default;
  /// POLLIN, POLLOUT, POLLERR, POLLHUP, as they are now.
  virtual short Ready() = 0;
  /// The task that is to wake when Ready may have changed; null: none. One task at a time.
  virtual void SetWaiter(ScheduledTask* task) = 0;
  /// The number of its link, for reports of what a task waits for.
  virtual std::optional<std::uint32_t> link() const { return std::nullopt; }

  bool nonblocking = false;
};

}  // namespace interlock::sim::posix
