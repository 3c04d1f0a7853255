// SPDX-License-Identifier: MIT
//
// A task of a simulated process as the scheduler stores it, and lists of waiting tasks. Plain data.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "sim/fiber.h"
#include "sim/pooled.h"
#include "sim/timer_queue.h"
#include "sim/trace.h"

namespace interlock::sim {

struct ScheduledTask;

/// Tasks waiting for one thing, oldest first; a task is in one list at most.
class WaitList {
 public:
  void Append(ScheduledTask* task);
  void Remove(ScheduledTask* task);  ///< no-op if it is not in the list
  ScheduledTask* PopFront();         ///< null if empty
 private:
  ScheduledTask* first_ = nullptr;
};

/// What a task waits for, for reports only.
enum class WaitKind : std::uint8_t { kNothing, kConnect, kReply, kEvent, kThread, kJoin };

/// What a task is about to do, as hashes; 0: unknown. See Candidate.
struct PendingEvent {
  std::uint64_t what = 0;
  std::uint64_t resource = 0;
};

struct ScheduledTask final : Pooled {
  enum class State : std::uint8_t { kReady, kRunning, kHeld, kWaiting, kDead, kDone };

  std::uint32_t id = 0;
  int group = 0;
  std::uint32_t ordinal = 0;  // within its group
  std::string name;
  std::function<void()> body;
  Fiber fiber;
  State state = State::kWaiting;
  TimerId timer = kNoTimer;
  ScheduledTask* next_waiter = nullptr;
  WaitList joiners;
  const ScheduledTask* joins = nullptr;
  bool joins_in_destructor = false;  // which must not throw

  WaitKind wait = WaitKind::kNothing;
  PendingEvent pending;
  VirtualTime wait_since{};
  VirtualTime wait_until{};
  MonotonicTime local_deadline = kNever;  // on its process's clock; wait_until derives from it
  VirtualTime wait_limit = VirtualTime::max();  // bounds wait_until, whatever the clock shows
  std::uint32_t wait_link = 0;

  bool at_yield_point = false;  // instant worlds: what it does next is visible to others
  std::uint32_t teardown_calls = 0;
  bool abandoned = false;  // its stack still refers to it
};

}  // namespace interlock::sim
