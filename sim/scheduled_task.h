// SPDX-License-Identifier: MIT
//
// A task of a simulated process as the scheduler keeps it, and lists of tasks that wait. Plain
// data.
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

/// Tasks that wait for one thing, oldest first; a task is in one list at most.
class WaitList {
 public:
  void Append(ScheduledTask* task);
  void Remove(ScheduledTask* task);  ///< does nothing if it is not there
  ScheduledTask* PopFront();         ///< null if empty
 private:
  ScheduledTask* first_ = nullptr;
};

/// What a task waits for, for reports only.
enum class WaitKind : std::uint8_t { kNothing, kConnect, kReply, kEvent, kJoin };

/// What a task is about to do, as hashes; 0: unknown. See Candidate.
struct PendingEvent {
  std::uint64_t what = 0;
  std::uint64_t resource = 0;
};

struct ScheduledTask final : Pooled {
  enum class State : std::uint8_t { kReady, kRunning, kHeld, kWaiting, kDead, kDone };

  std::uint32_t id = 0;
  int group = 0;
  std::uint32_t ordinal = 0;  // among its group's
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
  MonotonicTime local_deadline = kNever;  // on its process's clock; what wait_until comes from
  VirtualTime wait_limit = VirtualTime::max();  // and this, whatever the clock shows
  std::uint32_t wait_link = 0;

  bool at_yield_point = false;  // instant worlds: what it does next, others can see
  std::uint32_t teardown_calls = 0;
  bool abandoned = false;  // its stack still refers to it: never deleted
};

}  // namespace interlock::sim
