// SPDX-License-Identifier: MIT
#include "sim/posix/timer.h"

#include <poll.h>

#include <cerrno>
#include <cstring>

namespace interlock::sim::posix {

void Timer::Set(const Setting& setting) {
  setting_ = setting;
  if (waiter_ != nullptr) engine_.scheduler.MakeReady(waiter_);
}

std::uint64_t Timer::Expirations() const {
  const MonotonicTime now = Now();
  if (now < setting_.next) return 0;
  if (setting_.interval == Duration{}) return 1;
  return 1 + static_cast<std::uint64_t>((now - setting_.next) / setting_.interval);
}

Timer::Setting Timer::Get() const {
  Setting shown = setting_;
  const auto count = static_cast<Duration::rep>(Expirations());
  if (count > 0) shown.next = AddSaturating(shown.next, count * setting_.interval);
  return shown;
}

ssize_t Timer::Receive(char* into, std::size_t size, int /*flags*/) {
  std::uint64_t count = 0;
  if (size < sizeof(count)) return -EINVAL;
  while ((count = Expirations()) == 0) {
    if (nonblocking) return -EAGAIN;
    if (!AwaitChange(engine_, process_, setting_.next)) return -ECANCELED;
  }
  setting_.next = setting_.interval > Duration{} ? Get().next : kNever;
  std::memcpy(into, &count, sizeof(count));
  return static_cast<ssize_t>(sizeof(count));
}

ssize_t Timer::Send(const char* /*bytes*/, std::size_t /*size*/, int /*flags*/) { return -EINVAL; }

short Timer::Ready() { return static_cast<short>(Expirations() > 0 ? POLLIN : 0); }

}  // namespace interlock::sim::posix
