// SPDX-License-Identifier: MIT
//
// ThreadRuntime: the Runtime of production. Tasks are threads, events are condition variables, and
// entropy comes from the kernel.
//
// Guarantee: Now() never goes back, and counts the time that the machine was suspended
// (CLOCK_BOOTTIME), so a lease that ran out during a suspend is not valid after it. FillRandom
// never returns predictable bytes: it waits for the kernel if need be, and ends the process if the
// kernel has no generator. Not guaranteed: that a snapshot of a virtual machine that is resumed
// twice, or later, is noticed.
//
// Thread safety: may be used from any thread. Must outlive its events and tasks.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string_view>

#include <interlock/runtime.h>
#include <interlock/time.h>

namespace interlock {

class ThreadRuntime final : public Runtime {
 public:
  MonotonicTime Now() override;
  std::unique_ptr<Event> NewEvent() override;
  /// The thread bears the first 15 bytes of `name`. If no thread can be started, the process ends.
  std::unique_ptr<Task> Spawn(std::string_view name, std::function<void()> body) override;
  void FillRandom(std::span<std::byte> bytes) override;
};

}  // namespace interlock
