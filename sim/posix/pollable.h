// SPDX-License-Identifier: MIT
//
// What a descriptor of a simulated process stands for, as poll sees it. Internal to sim/posix.
// Thread safety: none; one world, one OS thread.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "sim/engine.h"

namespace interlock::sim::posix {

/// Whether a wait since `began` ends with EINTR; drawn if the process stood still meanwhile. For
/// the calls that signal(7) names of a stop by a signal: epoll_wait, and those of sockets with a
/// time-out.
bool IsInterrupted(Engine& engine, const Process& process, VirtualTime began);

class Pollable {
 public:
  virtual ~Pollable() = default;
  /// POLLIN, POLLOUT, POLLERR, POLLHUP, as they are now.
  virtual short Ready() = 0;
  /// The task is to wake when Ready may have changed, until RemoveWaiter. Of several the latest is
  /// woken, and each wakes the one before it when it leaves.
  void AddWaiter(ScheduledTask* task);
  void RemoveWaiter(Scheduler& scheduler, ScheduledTask* task);
  /// As read(2) and write(2), or recv(2) and send(2) with their flags; an errno with its sign
  /// changed. YIELDS if it waits.
  virtual ssize_t Receive(char* into, std::size_t size, int flags) = 0;
  virtual ssize_t Send(const char* bytes, std::size_t size, int flags) = 0;
  /// When Ready changes though nothing happens, by the process's clock.
  virtual MonotonicTime NextChange() const { return kNever; }
  /// The number of its link, for reports of what a task waits for.
  virtual std::optional<std::uint32_t> link() const { return std::nullopt; }

  bool nonblocking = false;
  std::uint32_t uses = 0;  ///< calls of Receive, Send and connect so far

 protected:
  /// Names it again, to what has taken the place of what knew it.
  void NameWaiter() { SetWaiter(waiters_.empty() ? nullptr : waiters_.back()); }
  /// Names the one that is to wake; null: none.
  virtual void SetWaiter(ScheduledTask* task) = 0;
  /// Waits until Ready may have changed, or until `deadline`. False in teardown.
  bool AwaitChange(Engine& engine, const Process& process, MonotonicTime deadline = kNever);

 private:
  std::vector<ScheduledTask*> waiters_;
};

}  // namespace interlock::sim::posix
