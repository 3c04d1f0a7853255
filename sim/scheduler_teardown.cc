// SPDX-License-Identifier: MIT
//
// The end of a world: its tasks go on to their ends, one after the other, so that nothing is lost;
// and how a task that cannot is left where it stands.
#include <cstdint>
#include <exception>
#include <memory>

#include "sim/check.h"
#include "sim/crashes.h"
#include "sim/posix/library.h"
#include "sim/scheduler.h"

namespace interlock::sim {
namespace {

// A task that made this many seam calls in teardown will not end by itself.
constexpr std::uint32_t kTeardownPatience = 10'000;
constexpr std::uint32_t kTeardownYieldEvery = 64;

using State = ScheduledTask::State;

}  // namespace

void Scheduler::CountTeardownCall(bool may_throw) {
  ++teardown_calls_;
  if (current_ == nullptr) return;
  const std::uint32_t calls = ++current_->teardown_calls;
  // Throwing while another exception unwinds would end the program.
  if (may_throw && calls == kTeardownPatience && std::uncaught_exceptions() == 0)
    throw FiberUnwind{};
  if (calls >= 2 * kTeardownPatience) current_->fiber.Suspend();  // TearDown abandons it
}

void Scheduler::YieldInTeardown() {
  if (current_ == nullptr) return;
  const bool joins = current_->joins != nullptr;
  if (joins || current_->teardown_calls % kTeardownYieldEvery == 0) current_->fiber.Suspend();
}

bool Scheduler::IsOver(const ScheduledTask& task) {
  posix::Library* const library = GroupOf(&task).library;
  return library != nullptr && library->HasExited(task);
}

void Scheduler::Desert(StopReason reason) {
  stop_ = reason;
  current_->state = State::kDone;
  if (posix::Library* const library = GroupOf(current_).library) library->NoteLost();
  current_->fiber.Desert();
}

void Scheduler::Abandon(ScheduledTask* task) {
  task->state = State::kDone;
  // A thread of a C library often waits for ever, so its stack cannot be lost each time.
  if (posix::Library* const library = GroupOf(task).library) {
    library->NoteLost();
    return task->fiber.Forsake();
  }
  task->fiber.Abandon();
  task->abandoned = true;
}

void Scheduler::TearDown() {
  Require(current_ == nullptr, "a World was destroyed from inside one of its tasks");
  tearing_down_ = true;
  const RunsTasks runs(this);
  ready_.clear();
  const posix::Library::OutsideAgain at_the_end;
  // First, so that the last task of a process is one that can clear away what it has left.
  for (const std::unique_ptr<ScheduledTask>& task : tasks_) {
    if (task->state != State::kDone && task->fiber.started() && IsOver(*task)) Abandon(task.get());
  }
  while (!TearDownRound()) continue;
}

// Called when every remaining task waits for another one that itself waits.
void Scheduler::BreakJoinCycle() {
  ScheduledTask* last_resort = nullptr;
  for (const std::unique_ptr<ScheduledTask>& task : tasks_) {
    if (task->state == State::kDone) continue;
    if (!task->joins_in_destructor) {
      task->fiber.RequestUnwind();
      Resume(task.get());
      return;
    }
    last_resort = task.get();
  }
  Abandon(last_resort);
}

// Gives every task one turn, in the order of creation: a task comes before the tasks that it
// created, and so has set what they wait for. Returns whether all have ended.
bool Scheduler::TearDownRound() {
  ScheduledTask* left = nullptr;
  bool progress = false;
  for (std::size_t i = 0; i < tasks_.size(); ++i) {
    ScheduledTask* task = tasks_[i].get();
    if (task->state == State::kDone) continue;
    if (!task->fiber.started()) {
      task->body = nullptr;
      task->state = State::kDone;
      progress = true;
      continue;
    }
    const bool over = IsOver(*task);
    if (!over && (task->joins == nullptr || task->joins->state == State::kDone)) {
      Resume(task);
      progress = true;
    }
    if (task->state == State::kDone) continue;
    if (over || task->teardown_calls >= 2 * kTeardownPatience) {
      Abandon(task);
      progress = true;
      continue;
    }
    if (left == nullptr) left = task;
  }
  if (left != nullptr && !progress) BreakJoinCycle();
  return left == nullptr;
}

}  // namespace interlock::sim
