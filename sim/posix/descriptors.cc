// SPDX-License-Identifier: MIT
#include "sim/posix/descriptors.h"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <optional>
#include <utility>

namespace interlock::sim::posix {

std::shared_ptr<Pollable> Descriptors::Find(int descriptor) const {
  const auto index = static_cast<std::size_t>(descriptor - kFirst);
  if (!Owns(descriptor) || index >= open_.size()) return nullptr;
  return open_[index];
}

int Descriptors::Add(std::shared_ptr<Pollable> one) {
  auto free = std::ranges::find_if(open_, [](const auto& taken) { return taken == nullptr; });
  if (free == open_.end()) free = open_.insert(free, nullptr);
  *free = std::move(one);
  return kFirst + static_cast<int>(free - open_.begin());
}

bool Descriptors::Close(int descriptor) {
  if (Find(descriptor) == nullptr) return false;
  open_[static_cast<std::size_t>(descriptor - kFirst)].reset();
  return true;
}

int Descriptors::CountReady(std::span<pollfd> entries) {
  int ready = 0;
  for (pollfd& entry : entries) {
    entry.revents = 0;
    if (entry.fd < 0) continue;
    const auto one = Find(entry.fd);
    const int always = POLLERR | POLLHUP | POLLNVAL;
    const int seen = one == nullptr ? POLLNVAL : one->Ready() & (entry.events | always);
    entry.revents = static_cast<short>(seen);
    if (seen != 0) ++ready;
  }
  return ready;
}

int Descriptors::Poll(std::span<pollfd> entries, MonotonicTime deadline) {
  // They are kept over the wait, in which another task may close them.
  std::vector<std::shared_ptr<Pollable>> kept;
  for (;;) {
    if (engine_.scheduler.tearing_down()) return -ECANCELED;
    if (const int ready = CountReady(entries); ready > 0) return ready;
    if (engine_.Reached(process_, deadline)) return 0;
    kept.clear();
    for (const pollfd& entry : entries) {
      if (auto one = Find(entry.fd)) kept.push_back(std::move(one));
    }
    const std::vector<std::weak_ptr<Pollable>> awaited(kept.begin(), kept.end());
    AwaitAny(awaited, deadline);
  }
}

void Descriptors::AwaitAny(std::span<const std::weak_ptr<Pollable>> awaited,
                           MonotonicTime deadline) {
  ScheduledTask* const self = engine_.scheduler.current();
  std::optional<std::uint32_t> link;
  for (const auto& weak : awaited) {
    const auto one = weak.lock();
    if (one == nullptr) continue;
    if (!link.has_value()) link = one->link();
    deadline = std::min(deadline, one->NextChange());
    one->AddWaiter(self);
  }
  const WaitKind kind = link.has_value() ? WaitKind::kReply : WaitKind::kEvent;
  engine_.Wait(kind, process_, deadline, VirtualTime::max(), link.value_or(0));
  for (const auto& weak : awaited) {
    if (const auto one = weak.lock()) one->RemoveWaiter(engine_.scheduler, self);
  }
}

}  // namespace interlock::sim::posix
