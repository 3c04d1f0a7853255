// SPDX-License-Identifier: MIT
#include "sim/posix/event_set.h"

#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>

namespace interlock::sim::posix {

// The bits of poll and epoll are the same on Linux.
static_assert(EPOLLIN == POLLIN && EPOLLOUT == POLLOUT && EPOLLERR == POLLERR &&
              EPOLLHUP == POLLHUP && EPOLLRDHUP == POLLRDHUP);

int EventSet::Control(Scheduler& scheduler, int operation, int descriptor,
                      const std::shared_ptr<Pollable>& one, const epoll_event* event) {
  // Whoever waits looks again.
  if (waiter_ != nullptr) scheduler.MakeReady(waiter_);
  const auto known = std::ranges::find_if(interests_, [&](const Interest& interest) {
    return interest.descriptor == descriptor && interest.in.lock() == one;
  });
  const bool there = known != interests_.end();
  switch (operation) {
    case EPOLL_CTL_ADD:
      if (there) return -EEXIST;
      interests_.push_back({descriptor, one, *event});
      return 0;
    case EPOLL_CTL_MOD:
      if (!there) return -ENOENT;
      *known = {descriptor, one, *event};
      return 0;
    case EPOLL_CTL_DEL:
      if (!there) return -ENOENT;
      interests_.erase(known);
      return 0;
    default:
      return -EINVAL;
  }
}

std::uint32_t EventSet::News(Interest& interest, Pollable& one) {
  if (interest.asleep) return 0;
  const std::uint32_t wanted = interest.wanted.events;
  auto ready = static_cast<std::uint32_t>(static_cast<unsigned short>(one.Ready()));
  ready &= wanted | EPOLLERR | EPOLLHUP;
  if ((wanted & EPOLLET) == 0) return ready;
  const std::uint32_t told = interest.uses == one.uses ? interest.told & ready : 0;
  interest.uses = one.uses;
  interest.told = ready;
  // Whatever is new brings all that is ready with it.
  return (ready & ~told) != 0 ? ready : 0;
}

int EventSet::Collect(std::span<epoll_event> events) {
  std::erase_if(interests_, [](const Interest& interest) { return interest.in.expired(); });
  std::size_t told = 0;
  std::size_t looked_at = 0;
  for (Interest& interest : interests_) {
    if (told == events.size()) break;
    ++looked_at;
    const std::uint32_t news = News(interest, *interest.in.lock());
    if (news == 0) continue;
    events[told++] = {news, interest.wanted.data};
    interest.asleep = (interest.wanted.events & EPOLLONESHOT) != 0;
  }
  // The next call begins behind these, so that none waits for ever.
  std::rotate(interests_.begin(), interests_.begin() + static_cast<std::ptrdiff_t>(looked_at),
              interests_.end());
  return static_cast<int>(told);
}

int EventSet::Wait(Engine& engine, const Process& process, Descriptors& descriptors,
                   std::span<epoll_event> events, MonotonicTime deadline) {
  for (;;) {
    if (engine.scheduler.tearing_down()) return -ECANCELED;
    if (const int told = Collect(events); told > 0) return told;
    if (engine.Reached(process, deadline)) return 0;
    // Nothing but its descriptor keeps a connection open.
    std::vector<std::weak_ptr<Pollable>> awaited = {weak_from_this()};
    for (const Interest& interest : interests_) awaited.push_back(interest.in);
    const VirtualTime began = engine.now();
    descriptors.AwaitAny(awaited, deadline);
    if (IsInterrupted(engine, process, began)) return -EINTR;
  }
}

ssize_t EventSet::Receive(char* /*into*/, std::size_t /*size*/, int /*flags*/) { return -EINVAL; }

ssize_t EventSet::Send(const char* /*bytes*/, std::size_t /*size*/, int /*flags*/) {
  return -EINVAL;
}

}  // namespace interlock::sim::posix
