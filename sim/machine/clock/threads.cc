// SPDX-License-Identifier: MIT
//
// Replaces the C library's functions that wait for another thread until a time. The clock cannot
// wake a thread in such a wait, so the thread looks at the clock every half millisecond.
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/syscall.h>

#include <array>
#include <atomic>
#include <cstdint>

#include "sim/machine/clock/blocking.h"
#include "sim/machine/clock/sleeper.h"

namespace interlock::sim::machine {
namespace {

constexpr std::int64_t kNapNs = 500'000;
/// In seconds; smaller times are of the monotonic clock. A condition does not say which clock it
/// uses.
constexpr std::int64_t kSmallestTimeOfDay = 1'000'000'000;

using ConditionWait = int (*)(pthread_cond_t*, pthread_mutex_t*, clockid_t, const timespec*);
using SemaphoreWait = int (*)(sem_t*, clockid_t, const timespec*);
using ConditionSignal = int (*)(pthread_cond_t*);

/// Number of times that a condition, or another one in the same slot, has been signalled.
std::array<std::atomic<std::uint32_t>, 256> signals;

std::atomic<std::uint32_t>& Signals(const pthread_cond_t* condition) {
  return signals[reinterpret_cast<std::uintptr_t>(condition) / sizeof *condition % signals.size()];
}

template <typename Function>
Function Original(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

/// The functions of old conditions have the same names, and dlsym() may find those.
ConditionSignal OriginalSignal(const char* name) {
  void* found = dlvsym(RTLD_NEXT, name, "GLIBC_2.3.2");
  return found != nullptr ? reinterpret_cast<ConditionSignal>(found)
                          : Original<ConditionSignal>(name);
}

int WaitAsIs(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t id,
             const timespec* until) {
  static const auto original = Original<ConditionWait>("pthread_cond_clockwait");
  return original(condition, mutex, id, until);
}

int WaitAsIs(sem_t* semaphore, clockid_t id, const timespec* until) {
  static const auto original = Original<SemaphoreWait>("sem_clockwait");
  return original(semaphore, id, until);
}

std::int64_t UntilNs(clockid_t id, const timespec& until) {
  return id == CLOCK_MONOTONIC ? SinceBootNs(ToNs(until)) : TrueNs(*Clock(), ToNs(until));
}

/// The end of a nap, on the machine's clock; now if the wait is over.
timespec EndOfNap(bool over) {
  timespec now{};
  Ask(SYS_clock_gettime, CLOCK_MONOTONIC, Word(&now));
  return over ? now : FromNs(ToNs(now) + kNapNs);
}

}  // namespace
}  // namespace interlock::sim::machine

namespace drive = interlock::sim::machine;

extern "C" {

int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t id,
                           const timespec* until) {
  if (drive::Clock() == nullptr) return drive::WaitAsIs(condition, mutex, id, until);
  drive::Wait wait(drive::UntilNs(id, *until), drive::WakeBy::kNaps);
  const drive::Blocking blocking;
  blocking.Hides();
  const std::uint32_t signals = drive::Signals(condition);
  for (;;) {
    const bool over = wait.over();
    const timespec end = drive::EndOfNap(over);
    const int result = drive::WaitAsIs(condition, mutex, CLOCK_MONOTONIC, &end);
    if (result != ETIMEDOUT || over) return result;
    // A signal to a thread whose nap has just ended is lost. POSIX allows spurious wake-ups, after
    // which the program checks for a reason itself.
    if (drive::Signals(condition) != signals) return 0;
  }
}

int pthread_cond_signal(pthread_cond_t* condition) {
  static const auto original = drive::OriginalSignal("pthread_cond_signal");
  ++drive::Signals(condition);
  return original(condition);
}

int pthread_cond_broadcast(pthread_cond_t* condition) {
  static const auto original = drive::OriginalSignal("pthread_cond_broadcast");
  ++drive::Signals(condition);
  return original(condition);
}

int pthread_cond_timedwait(pthread_cond_t* condition, pthread_mutex_t* mutex,
                           const timespec* until) {
  const bool of_day = until->tv_sec >= drive::kSmallestTimeOfDay;
  return pthread_cond_clockwait(condition, mutex, of_day ? CLOCK_REALTIME : CLOCK_MONOTONIC, until);
}

int sem_clockwait(sem_t* semaphore, clockid_t id, const timespec* until) {
  if (drive::Clock() == nullptr) return drive::WaitAsIs(semaphore, id, until);
  drive::Wait wait(drive::UntilNs(id, *until), drive::WakeBy::kNaps);
  const drive::Blocking blocking;
  blocking.Hides();
  for (;;) {
    const bool over = wait.over();
    const timespec end = drive::EndOfNap(over);
    const int result = drive::WaitAsIs(semaphore, CLOCK_MONOTONIC, &end);
    if (result == 0 || errno != ETIMEDOUT || over) return result;
  }
}

int sem_timedwait(sem_t* semaphore, const timespec* until) {
  return sem_clockwait(semaphore, CLOCK_REALTIME, until);
}

}  // extern "C"
