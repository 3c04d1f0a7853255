// SPDX-License-Identifier: MIT
//
// eventfd of a simulated process: one task can wake another that polls. Internal to sim/posix.
// Thread safety: none.
#pragma once

#include <cstdint>

#include "sim/engine.h"
#include "sim/posix/pollable.h"

namespace interlock::sim::posix {

class EventCounter final : public Pollable {
 public:
  EventCounter(Engine& engine, const Process& process, std::uint64_t count, bool semaphore)
      : engine_(engine), process_(process), count_(count), semaphore_(semaphore) {}

  ssize_t Receive(char* into, std::size_t size, int flags) override;
  /// -EAGAIN if it would overflow, even where the real one waits.
  ssize_t Send(const char* bytes, std::size_t size, int flags) override;
  short Ready() override;

 private:
  void SetWaiter(ScheduledTask* task) override { waiter_ = task; }

  Engine& engine_;
  const Process& process_;
  std::uint64_t count_;
  const bool semaphore_;
  ScheduledTask* waiter_ = nullptr;
};

}  // namespace interlock::sim::posix
