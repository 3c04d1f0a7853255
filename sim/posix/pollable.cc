// SPDX-License-Identifier: MIT
#include "sim/posix/pollable.h"

namespace interlock::sim::posix {

void Pollable::AddWaiter(ScheduledTask* task) {
  waiters_.push_back(task);
  SetWaiter(task);
}

void Pollable::RemoveWaiter(Scheduler& scheduler, ScheduledTask* task) {
  std::erase(waiters_, task);
  ScheduledTask* const next = waiters_.empty() ? nullptr : waiters_.front();
  SetWaiter(next);
  if (next != nullptr) scheduler.MakeReady(next);
}

bool Pollable::AwaitChange(Engine& engine, const Process& process) {
  if (engine.scheduler.tearing_down()) return false;
  ScheduledTask* const self = engine.scheduler.current();
  AddWaiter(self);
  const bool alive = engine.Wait(WaitKind::kEvent, process, kNever);
  RemoveWaiter(engine.scheduler, self);
  return alive;
}

}  // namespace interlock::sim::posix
