// SPDX-License-Identifier: MIT
//
// The first of the two seams between the library and the world: time, waiting, tasks, entropy.
// Production uses ThreadRuntime (interlock/thread_runtime.h); the simulator brings its own. The
// library keeps no other clock, sleeps nowhere else and starts no thread of its own, so one
// compiled library is both what is shipped and what is simulated.
//
// Thread safety: Runtime and Event may be used from any task of the process that they belong to.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string_view>

#include <interlock/time.h>

namespace interlock {

/// A one-way flag that tasks can wait for: once set it stays set. It is a state, not a counter, so
/// no wake-up can be lost and none can pile up.
class Event {
 public:
  virtual ~Event() = default;

  /// Sets the flag and wakes every waiter. Idempotent. Never waits.
  virtual void Set() = 0;

  virtual bool IsSet() const = 0;

  /// Returns true once the flag is set, false when `deadline` (on Runtime::Now()'s scale) has
  /// passed first. YIELDS. This is the only way to wait: a sleep is a wait on an event that nobody
  /// sets.
  virtual bool WaitUntil(MonotonicTime deadline) = 0;
};

/// A running task. Destroying the handle of a task that has not ended waits for its end.
class Task {
 public:
  virtual ~Task() = default;

  /// Waits until the body has returned. YIELDS. Idempotent.
  virtual void Join() = 0;
};

class Runtime {
 public:
  virtual ~Runtime() = default;

  /// Monotonic, in ns; unrelated to wall-clock time and to any other process.
  virtual MonotonicTime Now() = 0;

  virtual std::unique_ptr<Event> NewEvent() = 0;

  /// Runs `body` concurrently. `name` is for traces and debuggers. REQUIRES: `body` does not throw.
  virtual std::unique_ptr<Task> Spawn(std::string_view name, std::function<void()> body) = 0;

  /// Fills `bytes` with unpredictable bytes (production: the kernel's generator). Owner tokens are
  /// made of these: two calls anywhere in the world must not give the same 128 bits.
  virtual void FillRandom(std::span<std::byte> bytes) = 0;
};

}  // namespace interlock
