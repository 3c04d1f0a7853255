// SPDX-License-Identifier: MIT
#undef _FORTIFY_SOURCE
#include "sim/posix/interposers.h"
#include "sim/posix/serving.h"

namespace interlock::sim::posix {
const char kWaitingCalls[] = "waiting";
}

#ifndef INTERLOCK_SIM_NO_INTERPOSERS

#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <ctime>

#include "sim/posix/selection.h"

using interlock::Duration;
using interlock::sim::posix::LengthOf;
using interlock::sim::posix::Library;
using interlock::sim::posix::Served;
using interlock::sim::posix::ServedOn;
using interlock::sim::posix::Serving;

namespace {

constexpr Duration kForEver{-1};

Duration LengthOrEver(const timespec* timeout) {
  return timeout != nullptr ? LengthOf(*timeout) : kForEver;
}

}  // namespace

extern "C" {

int poll(pollfd* entries, nfds_t count, int timeout_ms) {
  Library* library = Served("poll");
  if (library == nullptr) return REAL(poll)(entries, count, timeout_ms);
  return library->Poll({entries, count}, std::chrono::milliseconds(timeout_ms));
}

int ppoll(pollfd* entries, nfds_t count, const timespec* timeout, const sigset_t* mask) {
  Library* library = Served("ppoll");
  if (library == nullptr) return REAL(ppoll)(entries, count, timeout, mask);
  return library->Poll({entries, count}, LengthOrEver(timeout));
}

static int Select(Library& library, interlock::sim::posix::Selection selection, Duration timeout) {
  const int ready = library.Poll(selection.entries(), timeout);
  return ready < 0 ? ready : selection.Tell();
}

int select(int count, fd_set* __restrict readable, fd_set* __restrict writable,
           fd_set* __restrict broken, timeval* __restrict timeout) {
  Library* library = Served("select");
  if (library == nullptr) return REAL(select)(count, readable, writable, broken, timeout);
  if (timeout == nullptr) return Select(*library, {count, readable, writable, broken}, kForEver);
  if (timeout->tv_sec < 0 || timeout->tv_usec < 0) {
    errno = EINVAL;
    return -1;
  }
  const Duration length = interlock::sim::posix::LengthOf(*timeout);
  const auto begun = library->Now();
  const int ready = Select(*library, {count, readable, writable, broken}, length);
  // Linux leaves what is left of it.
  const auto left = std::max(Duration{}, length - (library->Now() - begun));
  const auto us = std::chrono::duration_cast<std::chrono::microseconds>(left).count();
  *timeout = {us / 1'000'000, us % 1'000'000};
  return ready;
}

int pselect(int count, fd_set* __restrict readable, fd_set* __restrict writable,
            fd_set* __restrict broken, const timespec* __restrict timeout,
            const sigset_t* __restrict mask) {
  Library* library = Served("pselect");
  if (library == nullptr) return REAL(pselect)(count, readable, writable, broken, timeout, mask);
  return Select(*library, {count, readable, writable, broken}, LengthOrEver(timeout));
}

int epoll_create1(int flags) noexcept {
  if (Library* library = Serving()) return library->OpenEventSet();
  return REAL(epoll_create1)(flags);
}

int epoll_create(int size) noexcept {
  if (Library* library = Serving()) return library->OpenEventSet();
  return REAL(epoll_create)(size);
}

int epoll_ctl(int set, int operation, int file, epoll_event* event) noexcept {
  if (Library* library = ServedOn(set)) return library->ControlEvents(set, operation, file, event);
  return REAL(epoll_ctl)(set, operation, file, event);
}

int epoll_wait(int set, epoll_event* events, int size, int timeout_ms) {
  Library* library = Served("epoll_wait");
  if (library == nullptr) return REAL(epoll_wait)(set, events, size, timeout_ms);
  return library->WaitForEvents(set, events, size, std::chrono::milliseconds(timeout_ms));
}

int epoll_pwait(int set, epoll_event* events, int size, int timeout_ms, const sigset_t* mask) {
  Library* library = Served("epoll_pwait");
  if (library == nullptr) return REAL(epoll_pwait)(set, events, size, timeout_ms, mask);
  return library->WaitForEvents(set, events, size, std::chrono::milliseconds(timeout_ms));
}

int epoll_pwait2(int set, epoll_event* events, int size, const timespec* timeout,
                 const sigset_t* mask) {
  Library* library = Served("epoll_pwait2");
  if (library == nullptr) return REAL(epoll_pwait2)(set, events, size, timeout, mask);
  return library->WaitForEvents(set, events, size, LengthOrEver(timeout));
}

int timerfd_create(clockid_t clock, int flags) noexcept {
  if (Library* library = Serving()) return library->OpenTimer(clock, flags);
  return REAL(timerfd_create)(clock, flags);
}

int timerfd_settime(int file, int flags, const itimerspec* wanted, itimerspec* before) noexcept {
  if (Library* library = ServedOn(file)) return library->SetTimer(file, flags, *wanted, before);
  return REAL(timerfd_settime)(file, flags, wanted, before);
}

int timerfd_gettime(int file, itimerspec* left) noexcept {
  if (Library* library = ServedOn(file)) return library->GetTimer(file, *left);
  return REAL(timerfd_gettime)(file, left);
}

// The C library's own reads and writes pass by read and write.

int eventfd_read(int file, eventfd_t* value) {
  if (ServedOn(file) == nullptr) return REAL(eventfd_read)(file, value);
  return read(file, value, sizeof(*value)) == sizeof(*value) ? 0 : -1;
}

int eventfd_write(int file, eventfd_t value) {
  if (ServedOn(file) == nullptr) return REAL(eventfd_write)(file, value);
  return write(file, &value, sizeof(value)) == sizeof(value) ? 0 : -1;
}

// What a library built with _FORTIFY_SOURCE calls in place of the above.

ssize_t __read_chk(int file, void* bytes, size_t size, size_t /*room*/) {
  return read(file, bytes, size);
}

ssize_t __recv_chk(int file, void* bytes, size_t size, size_t /*room*/, int flags) {
  return recv(file, bytes, size, flags);
}

ssize_t __recvfrom_chk(int file, void* bytes, size_t size, size_t /*room*/, int flags,
                       sockaddr* __restrict from, socklen_t* __restrict from_size) {
  return recvfrom(file, bytes, size, flags, from, from_size);
}

int __poll_chk(pollfd* entries, nfds_t count, int timeout_ms, size_t /*room*/) {
  return poll(entries, count, timeout_ms);
}

int __ppoll_chk(pollfd* entries, nfds_t count, const timespec* timeout, const sigset_t* mask,
                size_t /*room*/) {
  return ppoll(entries, count, timeout, mask);
}

}  // extern "C"

#endif
