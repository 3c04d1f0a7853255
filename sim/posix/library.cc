// SPDX-License-Identifier: MIT
#include "sim/posix/library.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <optional>
#include <utility>

#include "sim/fiber.h"
#include "sim/posix/devices.h"
#include "sim/posix/event_counter.h"
#include "sim/posix/names.h"
#include "sim/posix/sanitizers.h"
#include "sim/posix/thread_locals.h"
#include "sim/posix/times.h"
#include "sim/redis/command_table.h"
#include "sim/tripwire.h"

#ifdef INTERLOCK_SIM_WITH_ASAN
#include <sanitizer/lsan_interface.h>
#endif

namespace interlock::sim::posix {

namespace {

const std::span<const std::byte> recent = redis::RecentlyFound();
const OfOsThread recent_is(recent.data(), recent.size());

}  // namespace

void Library::Forget() {
  descriptors_.Forget();
  parking_.Forget();
  threads_.Forget();
  lives_.push_back(std::make_unique<Statics>());
  identity_.Forget();
  signals_ = {};
}

void Library::RunTask(const std::function<void()>& body) {
  ++tasks_begun_;
  statics().Initialise();
  try {
    const bool first = threads_.Ordinal() == 0;
    EndTask(/*ends_process=*/threads_.Run(body) && first);
  } catch (const FiberUnwind&) {
    EndTask(/*ends_process=*/false);
    throw;
  }
}

// A process ends when its first thread returns, or with its last one: exit(3). What one that
// crashed has left is cleared away in teardown, by the last of all its tasks, unless that one is
// left where it stands.
void Library::EndTask(bool ends_process) {
  Scheduler& scheduler = engine_.scheduler;
  if (!scheduler.tearing_down() && (ends_process || scheduler.unfinished(process_.id) == 1)) {
    statics().Exit();
    if (!scheduler.tearing_down()) {
      descriptors_.Forget();
      scheduler.Kill(process_.id);
      process_.exited = true;
    }
  }
  if (scheduler.tearing_down() && tasks_begun_ == 1) {
    for (std::size_t life = 0; life < lives_.size(); ++life) {
      // What it calls may wait, and finds its variables in place then, too.
      threads_.BelongTo(life);
      PutInPlace(this, *parking_.current());
      lives_[life]->Exit();
    }
  }
  --tasks_begun_;
}

void Library::PutInPlace(Library* library, const ScheduledTask& task) {
  const bool shares = library != nullptr && library->runs_on_ == Fiber::RunsOn::kResumer;
  ThreadLocals::PutInPlace(shares ? &library->threads_.LocalsOf(task) : nullptr);
  Statics::PutInPlace(library != nullptr ? library->lives_[library->threads_.LifeOf(task)].get()
                                         : nullptr);
}

void Library::Enter(Library* library, const ScheduledTask& task) {
  PutInPlace(library, task);
#ifdef INTERLOCK_SIM_WITH_ASAN
  // What a process that crashed, or never ends, has allocated is lost with it.
  if (library != nullptr) __lsan_disable();
#endif
}

void Library::Leave([[maybe_unused]] const Library* library) {
#ifdef INTERLOCK_SIM_WITH_ASAN
  if (library != nullptr) __lsan_enable();
#endif
  Statics::PutInPlace(nullptr);
}

Library::OutsideAgain::~OutsideAgain() {
  ThreadLocals::PutInPlace(nullptr);
  Statics::PutInPlace(nullptr);
}

std::shared_ptr<StreamSocket> Library::FindSocket(int descriptor) const {
  return std::dynamic_pointer_cast<StreamSocket>(descriptors_.Find(descriptor));
}

template <typename Number>
Number Library::Told(Number result) {
  pace_.Count();
  if (result >= 0) return result;
  errno = static_cast<int>(-result);
  return -1;
}

int Library::WhyNoSocket(int descriptor) const {
  return descriptors_.Find(descriptor) == nullptr ? -EBADF : -ENOTSOCK;
}

int Library::OpenSocket(int domain, int type, int /*protocol*/) {
  const int kind = type & ~(SOCK_NONBLOCK | SOCK_CLOEXEC);
  if (domain != AF_INET && domain != AF_UNIX) return Told(-EAFNOSUPPORT);
  if (kind != SOCK_STREAM) return Told(-EPROTONOSUPPORT);
  auto socket = std::make_shared<StreamSocket>(engine_, process_);
  socket->nonblocking = (type & SOCK_NONBLOCK) != 0;
  return descriptors_.Add(std::move(socket));
}

int Library::OpenEvent(unsigned count, int flags) {
  const bool semaphore = (flags & EFD_SEMAPHORE) != 0;
  auto event = std::make_shared<EventCounter>(engine_, process_, count, semaphore);
  event->nonblocking = (flags & EFD_NONBLOCK) != 0;
  return descriptors_.Add(std::move(event));
}

int Library::OpenPipe(int files[2], int flags) {
  const auto buffer = std::make_shared<PipeBuffer>();
  for (const bool reads : {true, false}) {
    auto end = std::make_shared<PipeEnd>(engine_, process_, buffer, reads);
    end->nonblocking = (flags & O_NONBLOCK) != 0;
    files[reads ? 0 : 1] = descriptors_.Add(std::move(end));
  }
  return Told(0);
}

int Library::OpenRandom(std::string_view path) {
  return descriptors_.Add(OpenRandomFile(path, process_));
}

int Library::OpenTimer(clockid_t clock, int flags) {
  const bool wall = clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_ALARM;
  const bool known =
      wall || clock == CLOCK_MONOTONIC || clock == CLOCK_BOOTTIME || clock == CLOCK_BOOTTIME_ALARM;
  if (!known || (flags & ~(TFD_NONBLOCK | TFD_CLOEXEC)) != 0) return Told(-EINVAL);
  const clockid_t base = wall ? CLOCK_REALTIME : CLOCK_MONOTONIC;
  auto timer = std::make_shared<Timer>(engine_, process_, base);
  timer->nonblocking = (flags & TFD_NONBLOCK) != 0;
  return descriptors_.Add(std::move(timer));
}

int Library::SetTimer(int descriptor, int flags, const itimerspec& wanted, itimerspec* before) {
  constexpr Duration kLongestInterval = Duration::max() / 4;
  const auto timer = std::dynamic_pointer_cast<Timer>(descriptors_.Find(descriptor));
  if (timer == nullptr) return Told(descriptors_.Find(descriptor) == nullptr ? -EBADF : -EINVAL);
  for (const timespec& time : {wanted.it_value, wanted.it_interval}) {
    if (!IsTime(time) || time.tv_sec < 0) return Told(-EINVAL);
  }
  if ((flags & ~(TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET)) != 0) return Told(-EINVAL);
  if (before != nullptr) *before = LeftOf(*timer);
  Timer::Setting setting;
  setting.interval = std::min(LengthOf(wanted.it_interval), kLongestInterval);
  if (const Duration value = LengthOf(wanted.it_value); value > Duration{}) {
    const bool absolute = (flags & TFD_TIMER_ABSTIME) != 0;
    setting.next = absolute ? AtClock(timer->clock, value) : After(value);
  }
  timer->Set(setting);
  return Told(0);
}

int Library::GetTimer(int descriptor, itimerspec& left) {
  const auto timer = std::dynamic_pointer_cast<Timer>(descriptors_.Find(descriptor));
  if (timer == nullptr) return Told(descriptors_.Find(descriptor) == nullptr ? -EBADF : -EINVAL);
  left = LeftOf(*timer);
  return Told(0);
}

itimerspec Library::LeftOf(const Timer& timer) const {
  const Timer::Setting setting = timer.Get();
  itimerspec left{};
  left.it_interval = ToTimespec(setting.interval);
  const bool armed = setting.next != kNever;
  if (armed) left.it_value = ToTimespec(std::max(Duration{}, setting.next - Now()));
  return left;
}

int Library::Close(int descriptor) { return Told(descriptors_.Close(descriptor) ? 0 : -EBADF); }

int Library::Duplicate(int descriptor) {
  const auto one = descriptors_.Find(descriptor);
  return Told(one == nullptr ? -EBADF : descriptors_.Add(one));
}

int Library::Connect(int descriptor, const sockaddr* address, socklen_t size) {
  const auto socket = FindSocket(descriptor);
  if (socket == nullptr) return Told(WhyNoSocket(descriptor));
  ++socket->uses;
  return Told(socket->Connect(address, size));
}

ssize_t Library::Receive(int descriptor, void* into, std::size_t size, int flags) {
  const auto one = descriptors_.Find(descriptor);
  if (one == nullptr) return Told<ssize_t>(-EBADF);
  ++one->uses;
  return Told(one->Receive(static_cast<char*>(into), size, flags));
}

ssize_t Library::Send(int descriptor, const void* bytes, std::size_t size, int flags) {
  const auto one = descriptors_.Find(descriptor);
  if (one == nullptr) return Told<ssize_t>(-EBADF);
  ++one->uses;
  return Told(one->Send(static_cast<const char*>(bytes), size, flags));
}

int Library::Shutdown(int descriptor, int how) {
  const auto socket = FindSocket(descriptor);
  return Told(socket == nullptr ? WhyNoSocket(descriptor) : socket->Shutdown(how));
}

int Library::Flags(int descriptor) {
  const auto one = descriptors_.Find(descriptor);
  if (one == nullptr) return Told(-EBADF);
  return O_RDWR | (one->nonblocking ? O_NONBLOCK : 0);
}

int Library::SetFlags(int descriptor, int flags) {
  const auto one = descriptors_.Find(descriptor);
  if (one == nullptr) return Told(-EBADF);
  one->nonblocking = (flags & O_NONBLOCK) != 0;
  return 0;
}

int Library::GetOption(int descriptor, int level, int name, void* value, socklen_t* size) {
  const auto socket = FindSocket(descriptor);
  if (socket == nullptr) return Told(WhyNoSocket(descriptor));
  if (*size < sizeof(int)) return Told(-EINVAL);
  if (level == SOL_SOCKET && (name == SO_RCVTIMEO || name == SO_SNDTIMEO)) {
    const Duration set = name == SO_RCVTIMEO ? socket->receive_timeout : socket->send_timeout;
    const auto us = std::chrono::duration_cast<std::chrono::microseconds>(set).count();
    const timeval time{us / 1'000'000, us % 1'000'000};
    *size = static_cast<socklen_t>(std::min<std::size_t>(*size, sizeof(time)));
    std::memcpy(value, &time, *size);
    return Told(0);
  }
  int answer = 0;
  const auto set = socket->options.find({level, name});
  if (set != socket->options.end()) answer = set->second;
  if (level == SOL_SOCKET && name == SO_ERROR) answer = socket->TakeError();
  if (level == SOL_SOCKET && name == SO_TYPE) answer = SOCK_STREAM;
  std::memcpy(value, &answer, sizeof(answer));
  *size = sizeof(answer);
  return Told(0);
}

int Library::SetOption(int descriptor, int level, int name, const void* value, socklen_t size) {
  const auto socket = FindSocket(descriptor);
  if (socket == nullptr) return Told(WhyNoSocket(descriptor));
  if (level != SOL_SOCKET || (name != SO_RCVTIMEO && name != SO_SNDTIMEO)) {
    if (size >= sizeof(int)) std::memcpy(&socket->options[{level, name}], value, sizeof(int));
    return Told(0);
  }
  timeval time{};
  if (size < sizeof(time)) return Told(-EINVAL);
  std::memcpy(&time, value, sizeof(time));
  if (time.tv_usec < 0 || time.tv_usec >= 1'000'000) return Told(-EDOM);
  (name == SO_RCVTIMEO ? socket->receive_timeout : socket->send_timeout) = LengthOf(time);
  return 0;
}

int Library::NameOfPeer(int descriptor, sockaddr* address, socklen_t* size) {
  const auto socket = FindSocket(descriptor);
  return Told(socket == nullptr ? WhyNoSocket(descriptor) : socket->PeerName(address, *size));
}

int Library::NameOfOwn(int descriptor, sockaddr* address, socklen_t* size) {
  constexpr std::uint32_t kClients = 0xc6336400;  // 198.51.100.0, TEST-NET-2 (RFC 5737)
  constexpr int kFirstPort = 40'000;
  if (FindSocket(descriptor) == nullptr) return Told(WhyNoSocket(descriptor));
  sockaddr_in own{};
  own.sin_family = AF_INET;
  own.sin_port = htons(static_cast<std::uint16_t>(kFirstPort + descriptor % kFirstPort));
  own.sin_addr.s_addr = htonl(kClients + 1 + static_cast<std::uint32_t>(process_.id));
  std::memcpy(address, &own, std::min<std::size_t>(*size, sizeof(own)));
  *size = sizeof(own);
  return Told(0);
}

int Library::CountUnread(int descriptor, int* count) {
  const auto socket = FindSocket(descriptor);
  if (socket == nullptr && descriptors_.Find(descriptor) != nullptr) CheckEscape("ioctl");
  if (socket == nullptr) return Told(-EBADF);
  *count = static_cast<int>(socket->CountUnread());
  return Told(0);
}

// A delay of requests that waits for the next message strikes the servers' names instead, or not.
Duration Library::TakeLookUpDelay() {
  auto& armed = process_.armed;
  const auto delay = std::ranges::find(armed, FaultKind::kDelayRequest, &Fault::kind);
  if (delay == armed.end() || engine_.scheduler.tearing_down()) return Duration{};
  if (engine_.choices.Draw(Lane::kNetwork, 2) == 0) return Duration{};
  Fault fault = *delay;
  fault.length = engine_.Clip(fault, fault.length);
  armed.erase(delay);
  if (fault.length > Duration{}) engine_.ReportFault(process_, fault);
  return fault.length;
}

int Library::LookUp(const char* name, const char* service, const addrinfo* hints,
                    addrinfo** found) {
  if (const Duration late = TakeLookUpDelay(); late > Duration{}) WaitUntil(After(late));
  const int error = posix::LookUp(engine_, name, service, hints, found);
  Told(0);
  return error;
}

int Library::Poll(std::span<pollfd> entries, Duration timeout) {
  return Told(descriptors_.Poll(entries, DeadlineOf(timeout)));
}

int Library::ControlEvents(int set, int operation, int descriptor, const epoll_event* event) {
  const auto events = std::dynamic_pointer_cast<EventSet>(descriptors_.Find(set));
  const auto one = descriptors_.Find(descriptor);
  if (one == nullptr || descriptors_.Find(set) == nullptr) return Told(-EBADF);
  // A set in a set is what nobody here has.
  const bool nested = std::dynamic_pointer_cast<EventSet>(one) != nullptr;
  if (events == nullptr || nested) return Told(-EINVAL);
  return Told(events->Control(engine_.scheduler, operation, descriptor, one, event));
}

int Library::WaitForEvents(int set, epoll_event* events, int size, Duration timeout) {
  const auto interests = std::dynamic_pointer_cast<EventSet>(descriptors_.Find(set));
  if (interests == nullptr) return Told(descriptors_.Find(set) == nullptr ? -EBADF : -EINVAL);
  if (size <= 0) return Told(-EINVAL);
  const std::span<epoll_event> room(events, static_cast<std::size_t>(size));
  return Told(interests->Wait(engine_, process_, descriptors_, room, DeadlineOf(timeout)));
}

Duration Library::Epoch(clockid_t clock) const {
  const bool wall = clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE ||
                    clock == CLOCK_REALTIME_ALARM || clock == CLOCK_TAI;
  return wall ? Duration(std::chrono::microseconds(engine_.options.server_epoch_us)) : Duration{};
}

int Library::ReadClock(clockid_t clock, timespec* out) {
  constexpr clockid_t kSgiCycle = 10;  // removed from Linux
  if (clock < 0 || clock > CLOCK_TAI || clock == kSgiCycle) return Told(-EINVAL);
  // No step: a fault at the next one strikes behind the reading all the same.
  Duration shown = Now().time_since_epoch() + Epoch(clock);
  if (engine_.scheduler.tearing_down()) shown += std::chrono::hours(++readings_in_teardown_);
  *out = ToTimespec(shown);
  return Told(0);
}

int Library::Sleep(Duration length) {
  if (!Begins(StepKind::kWait)) return Told(-ECANCELED);
  const MonotonicTime deadline = AddSaturating(Now(), length);
  while (!engine_.Reached(process_, deadline)) {
    if (!WaitUntil(deadline)) return Told(-ECANCELED);
  }
  return Told(0);
}

MonotonicTime Library::AtClock(clockid_t clock, Duration time) const {
  return AddSaturating(MonotonicTime(-Epoch(clock)), time);
}

int Library::SleepUntil(clockid_t clock, Duration deadline) {
  return Sleep(std::max(Duration{}, deadline - Epoch(clock) - Now().time_since_epoch()));
}

bool Library::Begins(StepKind kind) {
  return !engine_.scheduler.tearing_down() && engine_.Step(process_, kind);
}

bool Library::WaitUntil(MonotonicTime deadline) {
  if (engine_.scheduler.tearing_down()) return false;
  return engine_.Wait(WaitKind::kEvent, process_, deadline);
}

}  // namespace interlock::sim::posix
