// SPDX-License-Identifier: MIT
//
// The interest list of epoll(7): level-triggered, edge-triggered and one-shot. A descriptor that is
// closed leaves it when nothing else refers to what it stood for.
//
// An edge is told again after every read or write of the descriptor, and not only after one that
// found nothing: as epoll(7) allows. Non-guarantees: what comes while more is unread is no edge; a
// set is in no other set.
// Internal to sim/posix. Thread safety: none; one world, one OS thread.
#pragma once

#include <sys/epoll.h>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "sim/posix/descriptors.h"
#include "sim/posix/pollable.h"

namespace interlock::sim::posix {

class EventSet final : public Pollable, public std::enable_shared_from_this<EventSet> {
 public:
  // Each returns a number, or an errno with its sign changed.

  /// epoll_ctl. `event` may be null for EPOLL_CTL_DEL. -EEXIST, -ENOENT, -EINVAL.
  int Control(Scheduler& scheduler, int operation, int descriptor,
              const std::shared_ptr<Pollable>& one, const epoll_event* event);
  /// epoll_wait: how many `events` were filled; 0 at the deadline. YIELDS.
  int Wait(Engine& engine, const Process& process, Descriptors& descriptors,
           std::span<epoll_event> events, MonotonicTime deadline);

  short Ready() override { return 0; }
  ssize_t Receive(char* into, std::size_t size, int flags) override;
  ssize_t Send(const char* bytes, std::size_t size, int flags) override;

 private:
  struct Interest {
    int descriptor;
    std::weak_ptr<Pollable> in;
    epoll_event wanted;
    std::uint32_t told = 0;  // of the edges
    std::uint32_t uses = 0;  // Pollable::uses when they were told
    bool asleep = false;     // EPOLLONESHOT: until it is modified
  };

  void SetWaiter(ScheduledTask* task) override { waiter_ = task; }
  int Collect(std::span<epoll_event> events);
  static std::uint32_t News(Interest& interest, Pollable& one);

  std::vector<Interest> interests_;
  ScheduledTask* waiter_ = nullptr;
};

}  // namespace interlock::sim::posix
