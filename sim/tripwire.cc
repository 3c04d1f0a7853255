// SPDX-License-Identifier: MIT
//
// The definitions below replace those of the C library in the whole program, including for calls
// from shared libraries. The scheduler uses TripwireScope from this object file, so a static link
// always brings it in. They may run before main and inside the dynamic loader; until the flag is
// set they only forward.
#undef _FORTIFY_SOURCE  // Its inline versions would collide with the definitions here.
#include "sim/tripwire.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <poll.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <ctime>
#include <utility>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define INTERLOCK_SIM_NO_INTERPOSERS 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define INTERLOCK_SIM_NO_INTERPOSERS 1
#endif
#endif

namespace interlock::sim {

namespace {

thread_local bool armed = false;
thread_local const char* reason = nullptr;

}  // namespace

TripwireScope::TripwireScope() : before_(std::exchange(armed, true)) {}
TripwireScope::~TripwireScope() { armed = before_; }
TripwireExemption::TripwireExemption() : before_(std::exchange(armed, false)) {}
TripwireExemption::~TripwireExemption() { armed = before_; }

bool InsideTask() { return armed; }

const char* TripwireReason() { return reason; }

#ifdef INTERLOCK_SIM_NO_INTERPOSERS

bool TripwireIsArmed() { return false; }

}  // namespace interlock::sim

#else

bool TripwireIsArmed() { return true; }

namespace {

void Print(const char* text) {
  if (write(STDERR_FILENO, text, std::strlen(text)) < 0) return;
}

void Check(const char* function) {
  if (!armed) [[likely]] {
    return;
  }
  armed = false;
  reason = function;
  Print("interlock sim: code under test escaped the simulation through ");
  Print(function);
  Print("(); use the Runtime and the Connector instead. Called from:\n");
  void* frames[64];
  backtrace_symbols_fd(frames, backtrace(frames, 64), STDERR_FILENO);
  std::abort();
}

template <typename Function>
Function Real(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

}  // namespace

}  // namespace interlock::sim

using interlock::sim::Check;
using interlock::sim::Real;

extern "C" {

int clock_gettime(clockid_t clock, timespec* out) noexcept {
  Check("clock_gettime");
  static const auto real = Real<int (*)(clockid_t, timespec*)>("clock_gettime");
  return real(clock, out);
}

int gettimeofday(timeval* __restrict out, void* __restrict zone) noexcept {
  Check("gettimeofday");
  static const auto real = Real<int (*)(timeval*, void*)>("gettimeofday");
  return real(out, zone);
}

time_t time(time_t* out) noexcept {
  Check("time");
  static const auto real = Real<time_t (*)(time_t*)>("time");
  return real(out);
}

int nanosleep(const timespec* length, timespec* left) {
  Check("nanosleep");
  static const auto real = Real<int (*)(const timespec*, timespec*)>("nanosleep");
  return real(length, left);
}

int clock_nanosleep(clockid_t clock, int flags, const timespec* length, timespec* left) {
  Check("clock_nanosleep");
  static const auto real =
      Real<int (*)(clockid_t, int, const timespec*, timespec*)>("clock_nanosleep");
  return real(clock, flags, length, left);
}

ssize_t getrandom(void* out, size_t size, unsigned int flags) {
  Check("getrandom");
  static const auto real = Real<ssize_t (*)(void*, size_t, unsigned int)>("getrandom");
  return real(out, size, flags);
}

int getentropy(void* out, size_t size) {
  Check("getentropy");
  static const auto real = Real<int (*)(void*, size_t)>("getentropy");
  return real(out, size);
}

int pthread_create(pthread_t* thread, const pthread_attr_t* options, void* (*body)(void*),
                   void* argument) noexcept {
  Check("pthread_create");
  static const auto real =
      Real<int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*)>("pthread_create");
  return real(thread, options, body, argument);
}

int poll(pollfd* files, nfds_t count, int timeout_ms) {
  Check("poll");
  static const auto real = Real<int (*)(pollfd*, nfds_t, int)>("poll");
  return real(files, count, timeout_ms);
}

int epoll_wait(int file, epoll_event* events, int size, int timeout_ms) {
  Check("epoll_wait");
  static const auto real = Real<int (*)(int, epoll_event*, int, int)>("epoll_wait");
  return real(file, events, size, timeout_ms);
}

int connect(int file, const sockaddr* address, socklen_t size) {
  Check("connect");
  static const auto real = Real<int (*)(int, const sockaddr*, socklen_t)>("connect");
  return real(file, address, size);
}

ssize_t send(int file, const void* bytes, size_t size, int flags) {
  Check("send");
  static const auto real = Real<ssize_t (*)(int, const void*, size_t, int)>("send");
  return real(file, bytes, size, flags);
}

ssize_t recv(int file, void* bytes, size_t size, int flags) {
  Check("recv");
  static const auto real = Real<ssize_t (*)(int, void*, size_t, int)>("recv");
  return real(file, bytes, size, flags);
}

}  // extern "C"

#endif
