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
  EventCounter(Engine& engine, std::uint64_t count, bool semaphore)
      : engine_(engine), count_(count), semaphore_(semaphore) {}

  /// Takes the count, or one of it. 0: there is nothing to take.
  std::uint64_t Take();
  /// False: it would overflow.
  bool Add(std::uint64_t count);
  short Ready() override;
  void SetWaiter(ScheduledTask* task) override { waiter_ = task; }

 private:
  Engine& engine_;
  std::uint64_t count_;
  const bool semaphore_;
  ScheduledTask* waiter_ = nullptr;
};

}  // namespace interlock::sim::posix
