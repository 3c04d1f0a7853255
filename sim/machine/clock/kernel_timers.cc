// SPDX-License-Identifier: MIT
//
// Notices the kernel timers of a client, which go by the machine's clock, end waits unforeseen, and
// keep back what is sent.
#include <dlfcn.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "sim/machine/clock/blocking.h"

namespace interlock::sim::machine {
namespace {

bool Arms(const itimerspec* value) {
  return value != nullptr && (value->it_value.tv_sec != 0 || value->it_value.tv_nsec != 0);
}

/// Whether the option makes reads end by themselves after some time.
bool EndsReads(int level, int option, const void* value, socklen_t size) {
  timeval length{};
  if (level != SOL_SOCKET || option != SO_RCVTIMEO || value == nullptr || size < sizeof length) {
    return false;
  }
  memcpy(&length, value, sizeof length);
  return length.tv_sec != 0 || length.tv_usec != 0;
}

/// Whether the option makes the kernel keep back for some time what is sent.
bool DelaysSends(int level, int option, const void* value, socklen_t size) {
  int on = 0;
  if (level != IPPROTO_TCP || value == nullptr || size < sizeof on) return false;
  memcpy(&on, value, sizeof on);
  return (option == TCP_NODELAY && on == 0) || (option == TCP_CORK && on != 0);
}

}  // namespace
}  // namespace interlock::sim::machine

namespace drive = interlock::sim::machine;

extern "C" {

int timerfd_settime(int file, int flags, const itimerspec* value, itimerspec* before) {
  using Function = int (*)(int, int, const itimerspec*, itimerspec*);
  static const auto original = reinterpret_cast<Function>(dlsym(RTLD_NEXT, "timerfd_settime"));
  if (drive::Arms(value)) drive::NoteKernelTimer();
  return original(file, flags, value, before);
}

int timer_settime(timer_t timer, int flags, const itimerspec* value, itimerspec* before) {
  using Function = int (*)(timer_t, int, const itimerspec*, itimerspec*);
  static const auto original = reinterpret_cast<Function>(dlsym(RTLD_NEXT, "timer_settime"));
  if (drive::Arms(value)) drive::NoteKernelTimer();
  return original(timer, flags, value, before);
}

int setitimer(__itimer_which_t which, const itimerval* value, itimerval* before) noexcept {
  using Function = int (*)(__itimer_which_t, const itimerval*, itimerval*);
  static const auto original = reinterpret_cast<Function>(dlsym(RTLD_NEXT, "setitimer"));
  if (value != nullptr && (value->it_value.tv_sec != 0 || value->it_value.tv_usec != 0)) {
    drive::NoteKernelTimer();
  }
  return original(which, value, before);
}

unsigned alarm(unsigned seconds) noexcept {
  static const auto original = reinterpret_cast<unsigned (*)(unsigned)>(dlsym(RTLD_NEXT, "alarm"));
  if (seconds > 0) drive::NoteKernelTimer();
  return original(seconds);
}

int setsockopt(int file, int level, int option, const void* value, socklen_t size) noexcept {
  using Function = int (*)(int, int, int, const void*, socklen_t);
  static const auto original = reinterpret_cast<Function>(dlsym(RTLD_NEXT, "setsockopt"));
  if (drive::EndsReads(level, option, value, size) ||
      drive::DelaysSends(level, option, value, size)) {
    drive::NoteKernelTimer();
  }
  return original(file, level, option, value, size);
}

}  // extern "C"
