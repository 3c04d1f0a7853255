// SPDX-License-Identifier: MIT
#include "sim/posix/event_counter.h"

#include <poll.h>

#include <cerrno>
#include <cstring>
#include <limits>

namespace interlock::sim::posix {

namespace {

constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max() - 1;

}  // namespace

ssize_t EventCounter::Receive(char* into, std::size_t size, int /*flags*/) {
  if (size < sizeof(count_)) return -EINVAL;
  while (count_ == 0) {
    if (nonblocking) return -EAGAIN;
    if (!AwaitChange(engine_, process_)) return -ECANCELED;
  }
  const std::uint64_t taken = semaphore_ ? 1 : count_;
  count_ -= taken;
  std::memcpy(into, &taken, sizeof(taken));
  return static_cast<ssize_t>(sizeof(taken));
}

ssize_t EventCounter::Send(const char* bytes, std::size_t size, int /*flags*/) {
  std::uint64_t added = 0;
  if (size < sizeof(added)) return -EINVAL;
  std::memcpy(&added, bytes, sizeof(added));
  if (added > kMost) return -EINVAL;
  if (added > kMost - count_) return -EAGAIN;
  count_ += added;
  if (waiter_ != nullptr) engine_.scheduler.MakeReady(waiter_);
  return static_cast<ssize_t>(sizeof(added));
}

short EventCounter::Ready() {
  return static_cast<short>((count_ > 0 ? POLLIN : 0) | (count_ < kMost ? POLLOUT : 0));
}

}  // namespace interlock::sim::posix
