// SPDX-License-Identifier: MIT
#include "src/agenda.h"

#include <algorithm>

#include "src/held_lease.h"
#include "src/retry.h"

namespace interlock::internal {

Agenda::~Agenda() {
  std::shared_ptr<Event> changed;
  {
    MutexGuard guard(mutex_);
    stopping_ = true;
    changed = changed_;
  }
  if (changed != nullptr) changed->Set();
  task_.reset();
}

Agenda::Items::node_type Agenda::Extract(std::uint64_t ticket) {
  Items::node_type node = items_.extract(ticket);
  if (!node.empty()) turns_.erase({node.mapped().entry.when, ticket});
  return node;
}

void Agenda::Put(std::uint64_t ticket, std::shared_ptr<HeldLease> lease, const Entry& entry) {
  Items::node_type replaced;  // let go after the lock: the last handle of a lease may be in it
  std::shared_ptr<Event> changed;
  bool start = false;
  {
    MutexGuard guard(mutex_);
    replaced = Extract(ticket);
    Entry earliest = entry;
    if (!replaced.empty()) earliest.when = std::min(entry.when, replaced.mapped().entry.when);
    items_.emplace(ticket, Item{earliest, std::move(lease)});
    turns_.emplace(earliest.when, ticket);
    if (turns_.begin()->second == ticket) changed = changed_;
    start = !std::exchange(started_, true);
  }
  if (start) task_ = runtime_.Spawn(task_name_, [this] { Run(); });
  if (changed != nullptr) changed->Set();
}

void Agenda::Remove(std::uint64_t ticket) {
  Items::node_type removed;
  MutexGuard guard(mutex_);
  removed = Extract(ticket);
}

Agenda::Due Agenda::Next(MonotonicTime now, const std::shared_ptr<Event>& changed,
                         MonotonicTime& sleep_until) {
  Due due;
  MutexGuard guard(mutex_);
  if (stopping_) return due;
  changed_ = changed;
  sleep_until = turns_.empty() ? kNever : turns_.begin()->first;
  if (turns_.empty() || sleep_until > now) return due;
  due.ticket = turns_.begin()->second;
  Items::node_type node = Extract(due.ticket);
  due.lease = std::move(node.mapped().lease);
  due.by = BackBy(now, node.mapped().entry.when, node.mapped().entry.end, 1);
  // Those that come up before then. All visits before theirs may find nobody.
  int visits = 0;
  for (const auto& [when, ticket] : turns_) {
    if (when >= due.by) break;
    due.by = std::min(due.by, BackBy(now, when, items_.at(ticket).entry.end, ++visits));
  }
  return due;
}

void Agenda::Run() {
  for (;;) {
    const std::shared_ptr<Event> changed = runtime_.NewEvent();
    MonotonicTime sleep_until = MonotonicTime::min();  // it is to stop
    const Due due = Next(runtime_.Now(), changed, sleep_until);
    if (due.lease != nullptr) {
      const std::optional<Entry> again = ((*due.lease).*visit_)(due.by);
      if (again.has_value()) Put(due.ticket, due.lease, *again);
      continue;
    }
    if (sleep_until == MonotonicTime::min()) return;
    // Back too early without a reason: the runtime is shutting down, and nothing can be waited for.
    if (!changed->WaitUntil(sleep_until) && runtime_.Now() < sleep_until) return;
  }
}

}  // namespace interlock::internal
