// SPDX-License-Identifier: MIT
#include "sim/posix/pollable.h"

#include <algorithm>

namespace interlock::sim::posix {

bool IsInterrupted(Engine& engine, const Process& process, VirtualTime began) {
  if (process.frozen_until <= began || engine.instant()) return false;
  return engine.choices.Draw(Lane::kNetwork, 2) == 1;
}

void Pollable::AddWaiter(ScheduledTask* task) {
  waiters_.push_back(task);
  SetWaiter(task);
}

void Pollable::RemoveWaiter(Scheduler& scheduler, ScheduledTask* task) {
  const auto mine = std::ranges::find(waiters_, task);
  // The one that came before it, and so on to the first: a waiter that leaves and comes again is
  // the last one, so the chain ends.
  ScheduledTask* const before = mine != waiters_.begin() ? *(mine - 1) : nullptr;
  waiters_.erase(mine);
  SetWaiter(waiters_.empty() ? nullptr : waiters_.back());
  if (before != nullptr) scheduler.MakeReady(before);
}

bool Pollable::AwaitChange(Engine& engine, const Process& process, MonotonicTime deadline) {
  if (engine.scheduler.tearing_down()) return false;
  ScheduledTask* const self = engine.scheduler.current();
  AddWaiter(self);
  const bool alive = engine.Wait(WaitKind::kEvent, process, deadline);
  RemoveWaiter(engine.scheduler, self);
  return alive;
}

}  // namespace interlock::sim::posix
