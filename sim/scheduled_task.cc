// SPDX-License-Identifier: MIT
#include "sim/scheduled_task.h"

namespace interlock::sim {

void WaitList::Append(ScheduledTask* task) {
  task->next_waiter = nullptr;
  ScheduledTask** link = &first_;
  while (*link != nullptr) link = &(*link)->next_waiter;
  *link = task;
}

void WaitList::Remove(ScheduledTask* task) {
  ScheduledTask** link = &first_;
  while (*link != nullptr && *link != task) link = &(*link)->next_waiter;
  if (*link == task) *link = task->next_waiter;
}

ScheduledTask* WaitList::PopFront() {
  ScheduledTask* task = first_;
  if (task != nullptr) first_ = task->next_waiter;
  return task;
}

}  // namespace interlock::sim
