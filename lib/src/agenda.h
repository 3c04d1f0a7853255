// SPDX-License-Identifier: MIT
//
// Agenda: one task that visits leases, each when its time has come: to renew it, or to tell of its
// loss. The task is started with the first lease, and sleeps when there is nothing to do.
//
// Guarantee: visits follow each other in the order of their times. A visit that may take long is
// given a time to be back by, so that the leases after it keep at least a half of what they have
// left when their turn comes, even if all visits before theirs come back as late as they may; but
// each visit is given 100 ms, if the lease after it has twice that left. Not guaranteed: that a
// removed lease is not being visited just now, or is not visited once more; the lease itself knows
// its state.
//
// Thread safety: may be used from any task. No lock is held during a visit.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include <interlock/runtime.h>
#include <interlock/time.h>

#include "src/annotated_mutex.h"

namespace interlock::internal {

class HeldLease;

class Agenda {
 public:
  struct Entry {
    MonotonicTime when{};        ///< not visited before
    MonotonicTime end = kNever;  ///< of the lease: a visit is worth nothing later
  };

  /// Returns when to come again; nullopt: never. `by`: see above.
  using Visit = std::optional<Entry> (HeldLease::*)(MonotonicTime by);

  /// `task_name` must outlive it.
  Agenda(Runtime& runtime, std::string_view task_name, Visit visit)
      : runtime_(runtime), task_name_(task_name), visit_(visit) {}
  /// Waits for a visit that is under way, and makes no more.
  ~Agenda();
  Agenda(const Agenda&) = delete;
  Agenda& operator=(const Agenda&) = delete;

  /// `ticket`: the lease's own. If it stands here already, the earlier time counts.
  void Put(std::uint64_t ticket, std::shared_ptr<HeldLease> lease, const Entry& entry);
  void Remove(std::uint64_t ticket);

 private:
  struct Item {
    Entry entry;
    std::shared_ptr<HeldLease> lease;
  };
  using Items = std::map<std::uint64_t, Item>;
  using Turn = std::pair<MonotonicTime, std::uint64_t>;

  struct Due {
    std::uint64_t ticket = 0;
    std::shared_ptr<HeldLease> lease;
    MonotonicTime by = kNever;
  };

  void Run();
  /// What is to be done at `now`; without a lease: nothing, until `sleep_until` or `changed`.
  Due Next(MonotonicTime now, const std::shared_ptr<Event>& changed, MonotonicTime& sleep_until);
  Items::node_type Extract(std::uint64_t ticket) INTERLOCK_REQUIRES(mutex_);

  Runtime& runtime_;
  const std::string_view task_name_;
  const Visit visit_;
  AnnotatedMutex mutex_;
  Items items_ INTERLOCK_GUARDED_BY(mutex_);
  std::set<Turn> turns_ INTERLOCK_GUARDED_BY(mutex_);            ///< the same leases by time
  std::shared_ptr<Event> changed_ INTERLOCK_GUARDED_BY(mutex_);  ///< what the task waits for
  bool started_ INTERLOCK_GUARDED_BY(mutex_) = false;
  bool stopping_ INTERLOCK_GUARDED_BY(mutex_) = false;
  std::unique_ptr<Task> task_;
};

}  // namespace interlock::internal
