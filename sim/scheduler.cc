// SPDX-License-Identifier: MIT
//
// Invariant: a task is in exactly one place: running; in ready_; in its group's `held` (the group
// is frozen); waiting (in no list of the scheduler, perhaps with a timer); dead; or done.
#include "sim/scheduler.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "sim/check.h"
#include "sim/crashes.h"
#include "sim/posix/library.h"
#include "sim/run_mirror.h"
#include "sim/tripwire.h"
#include "sim/world.h"

namespace interlock::sim {
namespace {

using State = ScheduledTask::State;

}  // namespace

Scheduler::Scheduler(StackPool& stacks, Memory& memory, Choices& choices, SchedulerHost& host)
    : stacks_(stacks),
      memory_(memory),
      choices_(choices),
      host_(host),
      timers_(std::move(memory.timers)),
      tasks_(std::move(memory.tasks)),
      groups_(std::move(memory.groups)),
      ready_(std::move(memory.ready)),
      candidates_(std::move(memory.candidates)) {
  timers_.Clear();
  groups_.clear();
  ready_.clear();
}

Scheduler::~Scheduler() {
  for (std::unique_ptr<ScheduledTask>& task : tasks_) {
    if (task->abandoned) static_cast<void>(task.release());
  }
  tasks_.clear();
  memory_.timers = std::move(timers_);
  memory_.tasks = std::move(tasks_);
  memory_.groups = std::move(groups_);
  memory_.ready = std::move(ready_);
  memory_.candidates = std::move(candidates_);
}

ScheduledTask* Scheduler::AddTask(int group, std::string name, std::function<void()> body,
                                  VirtualTime after) {
  tasks_.emplace_back(new (stacks_.blocks()) ScheduledTask());
  ScheduledTask* task = tasks_.back().get();
  task->id = static_cast<std::uint32_t>(tasks_.size() - 1);
  task->group = group;
  task->name = std::move(name);
  Group& owner = GroupOf(task);
  task->ordinal = owner.tasks++;
  if (owner.dead || tearing_down_) {
    task->state = State::kDone;
    return task;
  }
  task->body = std::move(body);
  ++owner.unfinished;
  ++living_unfinished_;
  if (after <= now_) {
    MakeReady(task);
  } else {
    task->timer = timers_.Add(after, {TimerKind::kWake, task->id});
  }
  return task;
}

StopReason Scheduler::Run(VirtualTime until) {
  Require(current_ == nullptr, "Run was called from inside a task");
  const RunsTasks runs(this);
  const posix::Library::OutsideAgain at_the_end;
  for (;;) {
    if (stop_) return *stop_;
    if (instant_ && !timers_.empty() && timers_.next_time() <= now_) {
      FireTimers();
      continue;
    }
    if (!ready_.empty()) {
      if (ScheduledTask* next = PickNext()) Resume(next);
      continue;
    }
    const bool finished = living_unfinished_ == 0;
    if (finished && host_.Quiet()) return StopReason::kFinished;
    if (timers_.empty()) return finished ? StopReason::kFinished : StopReason::kIdle;
    if (timers_.next_time() > until) {
      if (finished) return StopReason::kFinished;
      now_ = std::max(now_, until);
      return StopReason::kTime;
    }
    FireTimers();
  }
}

// All events of one instant happen before any task sees them, so every task that they make ready is
// a candidate.
void Scheduler::FireTimers() {
  now_ = std::max(now_, timers_.next_time());
  while (!timers_.empty() && timers_.next_time() <= now_ && !stop_) {
    const TimerQueue::Timer timer = timers_.Pop();
    if (timer.kind == TimerKind::kWake) {
      ScheduledTask* task = tasks_[timer.id].get();
      task->timer = kNoTimer;
      MakeReady(task);
    } else {
      host_.OnTimer(timer);
    }
  }
}

// Returns the index of the chosen task among `calm`, if there is one, followed by the ready tasks.
std::size_t Scheduler::Choose(ScheduledTask* calm) {
  if (!choices_.sees_candidates()) {
    const std::size_t bound = ready_.size() + (calm != nullptr ? 1 : 0);
    return choices_.Draw(Lane::kSchedule, static_cast<std::uint32_t>(bound));
  }
  candidates_.clear();
  const auto add = [this](const ScheduledTask& task) {
    candidates_.push_back({task.group, task.id, task.pending.what, task.pending.resource});
  };
  if (calm != nullptr) add(*calm);
  for (const ScheduledTask* task : ready_) add(*task);
  return choices_.PickTask(candidates_);
}

ScheduledTask* Scheduler::TakeReady(std::size_t index) {
  ScheduledTask* task = ready_[index];
  ready_.erase(ready_.begin() + static_cast<std::ptrdiff_t>(index));
  return task;
}

ScheduledTask* Scheduler::TakeUnseen() {
  for (std::size_t i = 0; i < ready_.size(); ++i) {
    const ScheduledTask* task = ready_[i];
    if (!task->at_yield_point && GroupOf(task).unfinished == 1) return TakeReady(i);
  }
  return nullptr;
}

// Returns null if the run is to stop.
ScheduledTask* Scheduler::PickNext() {
  std::size_t index = 0;
  if (instant_) {
    if (ScheduledTask* task = TakeUnseen()) return task;
    host_.BeforePick(ready_);
    if (stop_) return nullptr;
  }
  if (forced_) {
    index = *forced_;
    forced_.reset();
  } else if (ready_.size() > 1) {
    index = Choose(nullptr);
  }
  if (instant_) host_.AfterPick(*ready_[index]);
  return TakeReady(index);
}

void Scheduler::Enter(void* task) {
  const std::function<void()>& body = static_cast<ScheduledTask*>(task)->body;
  posix::Library* const library = ServingLibrary();
  library != nullptr ? library->RunTask(body) : body();
}

void Scheduler::Resume(ScheduledTask* task) {
  if (!task->fiber.started()) {
    const posix::Library* const library = GroupOf(task).library;
    task->fiber.Start(stacks_, &Scheduler::Enter, task,
                      library != nullptr ? library->runs_on() : Fiber::RunsOn::kResumer);
    host_.OnTaskStart(*task);
  }
  task->state = State::kRunning;
  task->at_yield_point = false;
  current_ = task;
  RunMirror* const mirror = choices_.mirror();
  if (mirror != nullptr) mirror->OnTask(task->group);
  {
    posix::Library* const library = GroupOf(task).library;
    const TripwireScope armed(library);
    posix::Library::Enter(library, *task);
    task->fiber.Resume();
    posix::Library::Leave(library);
  }
  current_ = nullptr;
  if (mirror != nullptr) mirror->OnTask(-1);
  if (task->fiber.done()) FinishTask(task);
}

void Scheduler::FinishTask(ScheduledTask* task) {
  if (!tearing_down_) host_.OnTaskEnd(*task);
  task->state = State::kDone;
  task->body = nullptr;
  Group& group = GroupOf(task);
  --group.unfinished;
  if (!group.dead) --living_unfinished_;
  while (ScheduledTask* joiner = task->joiners.PopFront()) MakeReady(joiner);
}

void Scheduler::YieldPoint(PendingEvent pending) {
  if (instant_) {
    current_->pending = pending;
    current_->at_yield_point = true;
    return Interrupt();
  }
  if (ready_.empty() || tearing_down_) return;
  current_->pending = pending;
  const std::size_t pick = Choose(current_);
  if (pick == 0) return;
  forced_ = pick - 1;
  current_->state = State::kReady;
  ready_.push_back(current_);
  current_->fiber.Suspend();
}

void Scheduler::Yield() {
  if (ready_.empty() || tearing_down_) return;
  current_->pending = {};
  current_->at_yield_point = instant_;
  current_->state = State::kReady;
  ready_.push_back(current_);
  current_->fiber.Suspend();
}

void Scheduler::Block(VirtualTime deadline) {
  if (tearing_down_) return;
  ScheduledTask* task = current_;
  task->state = State::kWaiting;
  task->pending = {};
  task->wait_since = now_;
  task->wait_until = deadline;
  if (deadline != VirtualTime::max()) {
    task->timer = timers_.Add(deadline, {TimerKind::kWake, task->id});
  }
  task->fiber.Suspend();
}

void Scheduler::Hold() {
  Group& group = GroupOf(current_);
  if (tearing_down_ || (!group.frozen && !group.dead)) return;
  current_->state = group.dead ? State::kDead : State::kHeld;
  if (!group.dead) group.held.insert(group.held.begin(), current_);
  current_->fiber.Suspend();
}

void Scheduler::Interrupt() {
  if (tearing_down_) return;
  current_->state = State::kReady;
  ready_.insert(ready_.begin(), current_);
  current_->fiber.Suspend();
}

void Scheduler::MakeReady(ScheduledTask* task) {
  if (task->state != State::kWaiting) return;
  timers_.Cancel(task->timer);
  Group& group = GroupOf(task);
  if (group.frozen) {
    task->state = State::kHeld;
    group.held.push_back(task);
  } else {
    task->state = State::kReady;
    ready_.push_back(task);
  }
}

void Scheduler::Rearm(ScheduledTask* task, VirtualTime deadline) {
  if (task->state != State::kWaiting) return;
  timers_.Cancel(task->timer);
  task->wait_until = deadline;
  if (deadline == VirtualTime::max()) return;
  task->timer = timers_.Add(std::max(deadline, now_), {TimerKind::kWake, task->id});
}

void Scheduler::Freeze(int group) {
  Group& frozen = groups_[static_cast<std::size_t>(group)];
  frozen.frozen = true;
  for (ScheduledTask* task : ready_) {
    if (task->group != group) continue;
    task->state = State::kHeld;
    frozen.held.push_back(task);
  }
  std::erase_if(ready_, [group](const ScheduledTask* task) { return task->group == group; });
}

void Scheduler::Thaw(int group) {
  Group& thawed = groups_[static_cast<std::size_t>(group)];
  thawed.frozen = false;
  for (ScheduledTask* task : thawed.held) {
    task->state = State::kReady;
    ready_.push_back(task);
  }
  thawed.held.clear();
}

void Scheduler::Kill(int group) {
  Group& dead = groups_[static_cast<std::size_t>(group)];
  if (dead.dead) return;
  dead.dead = true;
  dead.held.clear();
  living_unfinished_ -= dead.unfinished;
  std::erase_if(ready_, [group](const ScheduledTask* task) { return task->group == group; });
  for (const std::unique_ptr<ScheduledTask>& task : tasks_) {
    if (task->group != group || task->state == State::kDone) continue;
    timers_.Cancel(task->timer);
    if (task->state != State::kRunning) task->state = State::kDead;
  }
}

void Scheduler::Revive(int group) {
  Group& revived = groups_[static_cast<std::size_t>(group)];
  revived.dead = false;
  revived.frozen = false;
  revived.unfinished = 0;
}

}  // namespace interlock::sim
