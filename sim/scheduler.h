// SPDX-License-Identifier: MIT
//
// Runs tasks as fibers in virtual time. Time advances only when no task can run. When several can,
// the schedule lane of the choices picks; 0 is the current task, or else the longest ready one.
//
// Tasks belong to groups (one per client process) that can be frozen, thawed and killed as a whole.
// A killed task is never resumed before TearDown, so nothing of a dead process ever runs. Thread
// safety: none; one OS thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/choices.h"
#include "sim/fiber.h"
#include "sim/scheduled_task.h"
#include "sim/timer_queue.h"
#include "sim/trace.h"

namespace interlock::sim {

namespace posix {
class Library;
}

/// The rest of the world, as the scheduler needs it.
class SchedulerHost {
 public:
  virtual void OnTimer(TimerQueue::Timer timer) = 0;
  virtual void OnTaskStart(const ScheduledTask& task) = 0;
  virtual void OnTaskEnd(const ScheduledTask& task) = 0;
  /// Whether nothing is in flight that could still reach a server or a place outside.
  virtual bool Quiet() const = 0;
  /// Instant worlds: the next choice is which ready task continues.
  virtual void BeforePick(const std::vector<ScheduledTask*>& ready) = 0;
  virtual void AfterPick(const ScheduledTask& picked) = 0;

 protected:
  ~SchedulerHost() = default;
};

enum class StopReason : std::uint8_t;
class Scheduler {
 public:
  /// State reused by successive schedulers.
  struct Memory;

  Scheduler(StackPool& stacks, Memory& memory, Choices& choices, SchedulerHost& host);
  ~Scheduler();
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  VirtualTime now() const { return now_; }
  TimerQueue& timers() { return timers_; }
  /// The running task; null outside tasks.
  ScheduledTask* current() { return current_; }
  bool tearing_down() const { return tearing_down_; }
  const std::vector<std::unique_ptr<ScheduledTask>>& tasks() const { return tasks_; }

  int AddGroup() { return groups_.emplace_back(), static_cast<int>(groups_.size()) - 1; }
  /// The C library that the group's tasks call. REQUIRES: it outlives the tasks.
  void SetLibrary(int group, posix::Library* library) {
    groups_[static_cast<std::size_t>(group)].library = library;
  }
  /// The task becomes ready at `after`, or now. In a killed group or in teardown it never runs.
  ScheduledTask* AddTask(int group, std::string name, std::function<void()> body,
                         VirtualTime after);

  /// Makes the world instant: events due at this instant happen first, and every yield point is a
  /// choice among all ready tasks, made when each is at one (in a process with several tasks: is
  /// ready).
  void SetInstant(bool instant) { instant_ = instant; }

  StopReason Run(VirtualTime until);
  /// Makes Run return `reason` when the running task suspends, now and ever after.
  void Stop(StopReason reason) { stop_ = reason; }

  /// Ends the running task where it stands, for ever: nothing that is on its stack is destroyed,
  /// and Run returns `reason`, now and ever after. In a signal handler, too.
  [[noreturn]] void Desert(StopReason reason);

  // For the running task. Each may return early in teardown: check tearing_down() afterwards.

  /// Lets the schedule lane run another ready task first. Costs nothing if there is none. `pending`
  /// is what the running task does next; needed only if choices.sees_candidates().
  void YieldPoint(PendingEvent pending = {});
  /// Whether a yield point is a choice, unless the world is instant.
  bool others_are_ready() const { return !ready_.empty(); }
  /// Lets every task that is ready now run before this one.
  void Yield();
  /// Waits for MakeReady or `deadline`.
  void Block(VirtualTime deadline);
  /// Waits until its own frozen group is thawed, or for ever in a killed one.
  void Hold();
  /// Suspends ahead of all ready tasks, so that Run can return.
  void Interrupt();

  /// Wakes a task that is in Block.
  void MakeReady(ScheduledTask* task);
  /// Gives a task that is in Block another deadline.
  void Rearm(ScheduledTask* task, VirtualTime deadline);

  void Freeze(int group);
  void Thaw(int group);
  void Kill(int group);
  /// Lets a killed group have tasks again. Its earlier tasks stay dead.
  void Revive(int group);
  bool frozen(int group) const { return groups_[static_cast<std::size_t>(group)].frozen; }
  int unfinished(int group) const { return groups_[static_cast<std::size_t>(group)].unfinished; }

  /// A seam call of the running task during teardown: counts it, and ends a task that makes too
  /// many; by an exception first, if its caller may throw.
  void CountTeardownCall(bool may_throw = true);
  /// Resumes every task, even in killed groups, until it has ended; see world.h. teardown_calls()
  /// is the number of seam calls made in teardown so far.
  void TearDown();
  std::uint64_t teardown_calls() const { return teardown_calls_; }

  /// Yields in teardown, so that a task which another one waits for gets its turn: at some of its
  /// calls, or at once.
  void YieldInTeardown();
  void SuspendInTeardown() { current_->fiber.Suspend(); }

 private:
  struct Group {
    bool frozen = false;
    bool dead = false;
    posix::Library* library = nullptr;  // null: its tasks have none
    int unfinished = 0;
    std::uint32_t tasks = 0;
    std::vector<ScheduledTask*> held;
  };

  static void Enter(void* task);
  ScheduledTask* PickNext();
  std::size_t Choose(ScheduledTask* calm);
  ScheduledTask* TakeUnseen();  ///< A ready task whose steps up to its next yield point no other
                                ///< process can see; null: none.
  ScheduledTask* TakeReady(std::size_t index);
  void Resume(ScheduledTask* task);
  void FinishTask(ScheduledTask* task);
  void FireTimers();
  bool TearDownRound();
  void BreakJoinCycle();
  void Abandon(ScheduledTask* task);
  /// Whether its process has exited.
  bool IsOver(const ScheduledTask& task);
  Group& GroupOf(const ScheduledTask* task) {
    return groups_[static_cast<std::size_t>(task->group)];
  }

  StackPool& stacks_;
  Memory& memory_;
  Choices& choices_;
  SchedulerHost& host_;
  VirtualTime now_{};
  TimerQueue timers_;
  std::vector<std::unique_ptr<ScheduledTask>> tasks_;
  std::vector<Group> groups_;
  std::vector<ScheduledTask*> ready_;
  std::vector<Candidate> candidates_;  // of the present choice; reused for its storage
  ScheduledTask* current_ = nullptr;
  std::optional<std::size_t> forced_;  // index in ready_ that YieldPoint has picked
  std::optional<StopReason> stop_;
  int living_unfinished_ = 0;
  bool instant_ = false;
  bool tearing_down_ = false;
  std::uint64_t teardown_calls_ = 0;
};

struct Scheduler::Memory {
  TimerQueue timers;
  std::vector<std::unique_ptr<ScheduledTask>> tasks;
  std::vector<Group> groups;
  std::vector<ScheduledTask*> ready;
  std::vector<Candidate> candidates;
};

}  // namespace interlock::sim
