// SPDX-License-Identifier: MIT
#include "sim/posix/library.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <sys/eventfd.h>
#include <sys/time.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <optional>
#include <utility>

#include "sim/posix/names.h"

namespace interlock::sim::posix {

namespace {

using std::chrono::nanoseconds;

// Calls that cost no time, and how much those after them take: each so many of them twice as much.
constexpr int kFreeCalls = 16;
constexpr int kCallsOfOneLength = 64;
constexpr int kMostDoublings = 10;
constexpr Duration kCall = std::chrono::microseconds(1);

Duration LengthOf(const timeval& time) {
  return std::chrono::seconds(time.tv_sec) + std::chrono::microseconds(time.tv_usec);
}

}  // namespace

std::shared_ptr<Pollable> Library::Find(int descriptor) const {
  const auto index = static_cast<std::size_t>(descriptor - kFirstDescriptor);
  if (!Owns(descriptor) || index >= descriptors_.size()) return nullptr;
  return descriptors_[index];
}

std::shared_ptr<StreamSocket> Library::FindSocket(int descriptor) const {
  return std::dynamic_pointer_cast<StreamSocket>(Find(descriptor));
}

int Library::Add(std::shared_ptr<Pollable> one) {
  auto free =
      std::ranges::find_if(descriptors_, [](const auto& taken) { return taken == nullptr; });
  if (free == descriptors_.end()) free = descriptors_.insert(free, nullptr);
  *free = std::move(one);
  return kFirstDescriptor + static_cast<int>(free - descriptors_.begin());
}

ssize_t Library::Told(ssize_t result, int errno_before) {
  if (engine_.scheduler.tearing_down()) {
    engine_.scheduler.CountTeardownCall(/*may_throw=*/false);
  } else {
    idle_calls_ = engine_.now() == last_call_ ? idle_calls_ + 1 : 0;
    if (idle_calls_ > kFreeCalls) {
      const int doublings =
          std::min((idle_calls_ - kFreeCalls) / kCallsOfOneLength, kMostDoublings);
      WaitUntil(AddSaturating(Now(), kCall * (1 << doublings)));
    }
    last_call_ = engine_.now();
  }
  errno = result < 0 ? static_cast<int>(-result) : errno_before;
  return result < 0 ? -1 : result;
}

int Library::WhyNoSocket(int descriptor) const {
  return Find(descriptor) == nullptr ? -EBADF : -ENOTSOCK;
}

int Library::OpenSocket(int domain, int type, int /*protocol*/) {
  const int kind = type & ~(SOCK_NONBLOCK | SOCK_CLOEXEC);
  if (domain != AF_INET) return static_cast<int>(Told(-EAFNOSUPPORT, 0));
  if (kind != SOCK_STREAM) return static_cast<int>(Told(-EPROTONOSUPPORT, 0));
  auto socket = std::make_shared<StreamSocket>(engine_, process_);
  socket->nonblocking = (type & SOCK_NONBLOCK) != 0;
  return Add(std::move(socket));
}

int Library::OpenEvent(unsigned count, int flags) {
  auto event = std::make_shared<EventCounter>(engine_, count, (flags & EFD_SEMAPHORE) != 0);
  event->nonblocking = (flags & EFD_NONBLOCK) != 0;
  return Add(std::move(event));
}

int Library::Close(int descriptor) {
  if (Find(descriptor) == nullptr) return static_cast<int>(Told(-EBADF, 0));
  descriptors_[static_cast<std::size_t>(descriptor - kFirstDescriptor)].reset();
  return static_cast<int>(Told(0, errno));
}

int Library::Connect(int descriptor, const sockaddr* address, socklen_t size) {
  const int before = errno;
  const auto socket = FindSocket(descriptor);
  if (socket == nullptr) return static_cast<int>(Told(WhyNoSocket(descriptor), before));
  return static_cast<int>(Told(socket->Connect(address, size), before));
}

ssize_t Library::Receive(int descriptor, void* into, std::size_t size, int flags) {
  const int before = errno;
  if (const auto socket = FindSocket(descriptor)) {
    return Told(socket->Receive(static_cast<char*>(into), size, flags), before);
  }
  const auto event = std::dynamic_pointer_cast<EventCounter>(Find(descriptor));
  if (event == nullptr) return Told(-EBADF, before);
  std::uint64_t count = 0;
  if (size < sizeof(count)) return Told(-EINVAL, before);
  while ((count = event->Take()) == 0) {
    if (event->nonblocking) return Told(-EAGAIN, before);
    event->SetWaiter(engine_.scheduler.current());
    const bool alive = WaitUntil(kNever);
    event->SetWaiter(nullptr);
    if (!alive) return Told(-ECANCELED, before);
  }
  std::memcpy(into, &count, sizeof(count));
  return Told(sizeof(count), before);
}

ssize_t Library::Send(int descriptor, const void* bytes, std::size_t size, int flags) {
  const int before = errno;
  if (const auto socket = FindSocket(descriptor)) {
    return Told(socket->Send(static_cast<const char*>(bytes), size, flags), before);
  }
  const auto event = std::dynamic_pointer_cast<EventCounter>(Find(descriptor));
  if (event == nullptr) return Told(-EBADF, before);
  std::uint64_t count = 0;
  if (size < sizeof(count)) return Told(-EINVAL, before);
  std::memcpy(&count, bytes, sizeof(count));
  return Told(event->Add(count) ? static_cast<ssize_t>(sizeof(count)) : -EAGAIN, before);
}

int Library::Shutdown(int descriptor, int how) {
  const int before = errno;
  const auto socket = FindSocket(descriptor);
  return static_cast<int>(
      Told(socket == nullptr ? WhyNoSocket(descriptor) : socket->Shutdown(how), before));
}

int Library::Flags(int descriptor) {
  const auto one = Find(descriptor);
  if (one == nullptr) return static_cast<int>(Told(-EBADF, 0));
  return O_RDWR | (one->nonblocking ? O_NONBLOCK : 0);
}

int Library::SetFlags(int descriptor, int flags) {
  const auto one = Find(descriptor);
  if (one == nullptr) return static_cast<int>(Told(-EBADF, 0));
  one->nonblocking = (flags & O_NONBLOCK) != 0;
  return 0;
}

int Library::GetOption(int descriptor, int level, int name, void* value, socklen_t* size) {
  const int before = errno;
  const auto socket = FindSocket(descriptor);
  if (socket == nullptr) return static_cast<int>(Told(WhyNoSocket(descriptor), errno));
  if (*size < sizeof(int)) return static_cast<int>(Told(-EINVAL, 0));
  int answer = 0;
  if (level == SOL_SOCKET && name == SO_ERROR) answer = socket->TakeError();
  if (level == SOL_SOCKET && name == SO_TYPE) answer = SOCK_STREAM;
  std::memcpy(value, &answer, sizeof(answer));
  *size = sizeof(answer);
  return static_cast<int>(Told(0, before));
}

int Library::SetOption(int descriptor, int level, int name, const void* value, socklen_t size) {
  const auto socket = FindSocket(descriptor);
  if (socket == nullptr) return static_cast<int>(Told(WhyNoSocket(descriptor), errno));
  if (level != SOL_SOCKET || (name != SO_RCVTIMEO && name != SO_SNDTIMEO)) return 0;
  timeval time{};
  if (size < sizeof(time)) return static_cast<int>(Told(-EINVAL, 0));
  std::memcpy(&time, value, sizeof(time));
  if (time.tv_usec < 0 || time.tv_usec >= 1'000'000) return static_cast<int>(Told(-EDOM, 0));
  (name == SO_RCVTIMEO ? socket->receive_timeout : socket->send_timeout) = LengthOf(time);
  return 0;
}

int Library::LookUp(const char* name, const char* service, const addrinfo* hints,
                    addrinfo** found) {
  const int before = errno;
  const int error = posix::LookUp(engine_, name, service, hints, found);
  Told(0, before);
  return error;
}

int Library::CountReady(std::span<pollfd> entries) {
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

// Keeps them over the wait, in which another task may close them.
void Library::AwaitAny(std::span<const pollfd> entries, MonotonicTime deadline) {
  std::vector<std::shared_ptr<Pollable>> awaited;
  std::optional<std::uint32_t> link;
  for (const pollfd& entry : entries) {
    const auto one = Find(entry.fd);
    if (one == nullptr) continue;
    if (!link.has_value()) link = one->link();
    awaited.push_back(one);
  }
  for (const auto& one : awaited) one->SetWaiter(engine_.scheduler.current());
  const WaitKind kind = link.has_value() ? WaitKind::kReply : WaitKind::kEvent;
  engine_.Wait(kind, process_, deadline, VirtualTime::max(), link.value_or(0));
  for (const auto& one : awaited) one->SetWaiter(nullptr);
}

int Library::Poll(std::span<pollfd> entries, Duration timeout) {
  const int before = errno;
  const MonotonicTime deadline = timeout < Duration{} ? kNever : AddSaturating(Now(), timeout);
  for (;;) {
    if (engine_.scheduler.tearing_down()) return static_cast<int>(Told(-ECANCELED, before));
    if (const int ready = CountReady(entries); ready > 0) {
      return static_cast<int>(Told(ready, before));
    }
    if (engine_.Reached(process_, deadline)) return static_cast<int>(Told(0, before));
    AwaitAny(entries, deadline);
  }
}

Duration Library::Epoch(clockid_t clock) const {
  const bool wall = clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE;
  return wall ? Duration(std::chrono::microseconds(engine_.options.server_epoch_us)) : Duration{};
}

int Library::ReadClock(clockid_t clock, timespec* out) {
  const int before = errno;
  if (!engine_.scheduler.tearing_down()) engine_.Step(process_, StepKind::kClock);
  const Duration shown = Now().time_since_epoch() + Epoch(clock);
  const auto seconds = std::chrono::floor<std::chrono::seconds>(shown);
  out->tv_sec = static_cast<time_t>(seconds.count());
  out->tv_nsec = static_cast<long>(nanoseconds(shown - seconds).count());
  return static_cast<int>(Told(0, before));
}

int Library::Sleep(Duration length) {
  const int before = errno;
  if (!Begins(StepKind::kWait)) return static_cast<int>(Told(-ECANCELED, before));
  const MonotonicTime deadline = AddSaturating(Now(), length);
  while (!engine_.Reached(process_, deadline)) {
    if (!WaitUntil(deadline)) return static_cast<int>(Told(-ECANCELED, before));
  }
  return static_cast<int>(Told(0, before));
}

int Library::SleepUntil(clockid_t clock, Duration deadline) {
  return Sleep(std::max(Duration{}, deadline - Epoch(clock) - Now().time_since_epoch()));
}

void Library::Yield() {
  const int before = errno;
  if (Begins(StepKind::kWait)) WaitUntil(AddSaturating(Now(), kCall));
  Told(0, before);
}

bool Library::Begins(StepKind kind) {
  return !engine_.scheduler.tearing_down() && engine_.Step(process_, kind);
}

bool Library::WaitUntil(MonotonicTime deadline) {
  if (engine_.scheduler.tearing_down()) return false;
  return engine_.Wait(WaitKind::kEvent, process_, deadline);
}

void Library::FillRandom(std::span<std::byte> bytes) { process_.runtime->FillRandom(bytes); }

}  // namespace interlock::sim::posix
