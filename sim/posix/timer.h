// SPDX-License-Identifier: MIT
//
// timerfd of a simulated process: a timer on the process's own clock that can be polled and read.
// Its clock is never set, so TFD_TIMER_CANCEL_ON_SET cancels nothing. Internal to sim/posix. Thread
// safety: none.
#pragma once

#include <time.h>

#include <cstdint>

#include "sim/engine.h"
#include "sim/posix/pollable.h"

namespace interlock::sim::posix {

class Timer final : public Pollable {
 public:
  struct Setting {
    MonotonicTime next = kNever;  ///< when it expires; kNever: it is disarmed
    Duration interval{};          ///< 0: it expires once
  };

  Timer(Engine& engine, const Process& process, clockid_t of)
      : clock(of), engine_(engine), process_(process) {}
  const clockid_t clock;  ///< CLOCK_REALTIME or CLOCK_MONOTONIC

  void Set(const Setting& setting);
  /// `next` is later than now, unless it has expired once for all, and was not read.
  Setting Get() const;

  /// How often it has expired since it was set or read, as 8 bytes. As read(2) on
  /// timerfd_create(2).
  ssize_t Receive(char* into, std::size_t size, int flags) override;
  ssize_t Send(const char* bytes, std::size_t size, int flags) override;
  short Ready() override;
  MonotonicTime NextChange() const override { return Expirations() > 0 ? kNever : setting_.next; }

 private:
  void SetWaiter(ScheduledTask* task) override { waiter_ = task; }
  MonotonicTime Now() const { return process_.clock.Local(engine_.now()); }
  std::uint64_t Expirations() const;

  Engine& engine_;
  const Process& process_;
  Setting setting_;  // `next`: the first expiration that was not read
  ScheduledTask* waiter_ = nullptr;
};

}  // namespace interlock::sim::posix
