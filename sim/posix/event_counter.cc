// SPDX-License-Identifier: MIT
#include "sim/posix/event_counter.h"

#include <poll.h>

#include <limits>

namespace interlock::sim::posix {

namespace {

constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max() - 1;

}  // namespace

std::uint64_t EventCounter::Take() {
  const std::uint64_t taken = semaphore_ && count_ > 0 ? 1 : count_;
  count_ -= taken;
  return taken;
}

bool EventCounter::Add(std::uint64_t count) {
  if (count > kMost - count_) return false;
  count_ += count;
  if (waiter_ != nullptr) engine_.scheduler.MakeReady(waiter_);
  return true;
}

short EventCounter::Ready() {
  return static_cast<short>((count_ > 0 ? POLLIN : 0) | (count_ < kMost ? POLLOUT : 0));
}

}  // namespace interlock::sim::posix
