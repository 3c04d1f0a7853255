// SPDX-License-Identifier: MIT
#undef _FORTIFY_SOURCE
#include "sim/posix/interposers.h"
#include "sim/posix/serving.h"

namespace interlock::sim::posix {
const char kThreadCalls[] = "threads";
}

#ifndef INTERLOCK_SIM_NO_INTERPOSERS

#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <cstdint>
#include <cstdio>

using interlock::kNever;
using interlock::MonotonicTime;
using interlock::sim::posix::LengthOf;
using interlock::sim::posix::Library;
using interlock::sim::posix::Parking;
using interlock::sim::posix::Serving;

namespace {

constexpr int kClockOfCondition = 2;  // in glibc's word: CLOCK_MONOTONIC instead of CLOCK_REALTIME

MonotonicTime At(const Library& library, clockid_t clock, const timespec* deadline) {
  return library.AtClock(clock, LengthOf(*deadline));
}

clockid_t ClockOf(const pthread_cond_t* condition) {
  const bool steady = (condition->__data.__wrefs & kClockOfCondition) != 0;
  return steady ? CLOCK_MONOTONIC : CLOCK_REALTIME;
}

template <typename Number>
Number Told(Number result) {
  if (result >= 0) return result;
  errno = static_cast<int>(-result);
  return -1;
}

long CallFutex(Library& library, const int* word, int operation, long value,
               const timespec* timeout) {
  const bool wall = (operation & FUTEX_CLOCK_REALTIME) != 0;
  switch (operation & FUTEX_CMD_MASK) {
    case FUTEX_WAIT:
    case FUTEX_WAIT_BITSET: {
      MonotonicTime deadline = kNever;
      if (timeout != nullptr) {
        const bool relative = (operation & FUTEX_CMD_MASK) == FUTEX_WAIT;
        deadline = relative ? library.After(LengthOf(*timeout))
                            : At(library, wall ? CLOCK_REALTIME : CLOCK_MONOTONIC, timeout);
      }
      return library.futexes().Wait(word, static_cast<int>(value), deadline);
    }
    case FUTEX_WAKE:
    case FUTEX_WAKE_BITSET:
      return library.futexes().Wake(word, static_cast<int>(value));
    default:
      interlock::sim::posix::Refuse("syscall (futex)");
      return -ENOSYS;
  }
}

}  // namespace

extern "C" {

// Threads.

int pthread_create(pthread_t* thread, const pthread_attr_t* options, void* (*body)(void*),
                   void* argument) noexcept {
  if (Library* library = interlock::sim::posix::Served("pthread_create")) {
    return library->threads().Create(thread, options, body, argument);
  }
  return REAL(pthread_create)(thread, options, body, argument);
}

int pthread_join(pthread_t thread, void** result) {
  if (Library* library = Serving()) return library->threads().Join(thread, result);
  return REAL(pthread_join)(thread, result);
}

int pthread_tryjoin_np(pthread_t thread, void** result) noexcept {
  Library* library = Serving();
  if (library == nullptr) return REAL(pthread_tryjoin_np)(thread, result);
  const int joined = library->threads().Join(thread, result, MonotonicTime::min());
  return joined == ETIMEDOUT ? EBUSY : joined;
}

int pthread_timedjoin_np(pthread_t thread, void** result, const timespec* deadline) {
  Library* library = Serving();
  if (library == nullptr) return REAL(pthread_timedjoin_np)(thread, result, deadline);
  return library->threads().Join(thread, result, At(*library, CLOCK_REALTIME, deadline));
}

int pthread_clockjoin_np(pthread_t thread, void** result, clockid_t clock,
                         const timespec* deadline) {
  Library* library = Serving();
  if (library == nullptr) return REAL(pthread_clockjoin_np)(thread, result, clock, deadline);
  return library->threads().Join(thread, result, At(*library, clock, deadline));
}

int pthread_detach(pthread_t thread) noexcept {
  if (Library* library = Serving()) return library->threads().Detach(thread);
  return REAL(pthread_detach)(thread);
}

pthread_t pthread_self() noexcept {
  if (Library* library = Serving()) return library->threads().Self();
  return REAL(pthread_self)();
}

void pthread_exit(void* result) {
  if (Library* library = Serving()) library->threads().Exit(result);
  REAL(pthread_exit)(result);
  __builtin_unreachable();
}

int pthread_setname_np(pthread_t thread, const char* name) noexcept {
  if (Library* library = Serving()) return library->threads().SetName(thread, name);
  return REAL(pthread_setname_np)(thread, name);
}

int sched_yield() noexcept {
  Library* library = Serving();
  if (library == nullptr) return REAL(sched_yield)();
  library->Yield();
  return 0;
}

// Mutexes.

int pthread_mutex_lock(pthread_mutex_t* mutex) noexcept {
  if (Library* library = Serving()) return library->mutexes().Lock(mutex);
  return REAL(pthread_mutex_lock)(mutex);
}

int pthread_mutex_trylock(pthread_mutex_t* mutex) noexcept {
  if (Library* library = Serving()) return library->mutexes().TryLock(mutex);
  return REAL(pthread_mutex_trylock)(mutex);
}

int pthread_mutex_timedlock(pthread_mutex_t* mutex, const timespec* deadline) noexcept {
  Library* library = Serving();
  if (library == nullptr) return REAL(pthread_mutex_timedlock)(mutex, deadline);
  return library->mutexes().Lock(mutex, At(*library, CLOCK_REALTIME, deadline));
}

int pthread_mutex_clocklock(pthread_mutex_t* mutex, clockid_t clock,
                            const timespec* deadline) noexcept {
  Library* library = Serving();
  if (library == nullptr) return REAL(pthread_mutex_clocklock)(mutex, clock, deadline);
  return library->mutexes().Lock(mutex, At(*library, clock, deadline));
}

int pthread_mutex_unlock(pthread_mutex_t* mutex) noexcept {
  if (Library* library = Serving()) return library->mutexes().Unlock(mutex);
  return REAL(pthread_mutex_unlock)(mutex);
}

// Whoever spins lets others go on, as a second processor would.
int pthread_spin_lock(pthread_spinlock_t* lock) noexcept {
  if (Serving() == nullptr) return REAL(pthread_spin_lock)(lock);
  while (REAL(pthread_spin_trylock)(lock) == EBUSY) sched_yield();
  return 0;
}

// Only on OS threads of their own can another one hold it.
void flockfile(FILE* stream) noexcept {
  if (Serving() == nullptr) return REAL(flockfile)(stream);
  while (ftrylockfile(stream) != 0) sched_yield();
}

// Condition variables.

int pthread_cond_wait(pthread_cond_t* condition, pthread_mutex_t* mutex) {
  Library* library = Serving();
  if (library == nullptr) return REAL(pthread_cond_wait)(condition, mutex);
  return library->mutexes().WaitForCondition(condition, mutex, kNever);
}

int pthread_cond_timedwait(pthread_cond_t* condition, pthread_mutex_t* mutex,
                           const timespec* deadline) {
  Library* library = Serving();
  if (library == nullptr) return REAL(pthread_cond_timedwait)(condition, mutex, deadline);
  return library->mutexes().WaitForCondition(condition, mutex,
                                             At(*library, ClockOf(condition), deadline));
}

int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
                           const timespec* deadline) {
  Library* library = Serving();
  if (library == nullptr) return REAL(pthread_cond_clockwait)(condition, mutex, clock, deadline);
  return library->mutexes().WaitForCondition(condition, mutex, At(*library, clock, deadline));
}

int pthread_cond_signal(pthread_cond_t* condition) noexcept {
  if (Library* library = Serving()) return library->mutexes().Signal(condition, 1);
  return REAL(pthread_cond_signal)(condition);
}

int pthread_cond_broadcast(pthread_cond_t* condition) noexcept {
  Library* library = Serving();
  if (library == nullptr) return REAL(pthread_cond_broadcast)(condition);
  return library->mutexes().Signal(condition, Parking::kAll);
}

// Locks with readers and a writer.

int pthread_rwlock_rdlock(pthread_rwlock_t* lock) noexcept {
  if (Library* library = Serving()) return library->shared_locks().LockShared(lock);
  return REAL(pthread_rwlock_rdlock)(lock);
}

int pthread_rwlock_tryrdlock(pthread_rwlock_t* lock) noexcept {
  if (Library* library = Serving()) return library->shared_locks().TryLockShared(lock);
  return REAL(pthread_rwlock_tryrdlock)(lock);
}

int pthread_rwlock_timedrdlock(pthread_rwlock_t* lock, const timespec* deadline) noexcept {
  Library* library = Serving();
  if (library == nullptr) return REAL(pthread_rwlock_timedrdlock)(lock, deadline);
  return library->shared_locks().LockShared(lock, At(*library, CLOCK_REALTIME, deadline));
}

int pthread_rwlock_clockrdlock(pthread_rwlock_t* lock, clockid_t clock,
                               const timespec* deadline) noexcept {
  Library* library = Serving();
  if (library == nullptr) return REAL(pthread_rwlock_clockrdlock)(lock, clock, deadline);
  return library->shared_locks().LockShared(lock, At(*library, clock, deadline));
}

int pthread_rwlock_wrlock(pthread_rwlock_t* lock) noexcept {
  if (Library* library = Serving()) return library->shared_locks().Lock(lock);
  return REAL(pthread_rwlock_wrlock)(lock);
}

int pthread_rwlock_trywrlock(pthread_rwlock_t* lock) noexcept {
  if (Library* library = Serving()) return library->shared_locks().TryLock(lock);
  return REAL(pthread_rwlock_trywrlock)(lock);
}

int pthread_rwlock_timedwrlock(pthread_rwlock_t* lock, const timespec* deadline) noexcept {
  Library* library = Serving();
  if (library == nullptr) return REAL(pthread_rwlock_timedwrlock)(lock, deadline);
  return library->shared_locks().Lock(lock, At(*library, CLOCK_REALTIME, deadline));
}

int pthread_rwlock_clockwrlock(pthread_rwlock_t* lock, clockid_t clock,
                               const timespec* deadline) noexcept {
  Library* library = Serving();
  if (library == nullptr) return REAL(pthread_rwlock_clockwrlock)(lock, clock, deadline);
  return library->shared_locks().Lock(lock, At(*library, clock, deadline));
}

int pthread_rwlock_unlock(pthread_rwlock_t* lock) noexcept {
  if (Library* library = Serving()) return library->shared_locks().Unlock(lock);
  return REAL(pthread_rwlock_unlock)(lock);
}

// Semaphores, barriers, and the system call beneath std::atomic::wait.

int sem_wait(sem_t* semaphore) {
  Library* library = Serving();
  if (library == nullptr) return REAL(sem_wait)(semaphore);
  return Told(library->futexes().Take(semaphore));
}

int sem_trywait(sem_t* semaphore) noexcept {
  Library* library = Serving();
  if (library == nullptr) return REAL(sem_trywait)(semaphore);
  return Told(library->futexes().TryTake(semaphore));
}

int sem_timedwait(sem_t* semaphore, const timespec* deadline) {
  Library* library = Serving();
  if (library == nullptr) return REAL(sem_timedwait)(semaphore, deadline);
  return Told(library->futexes().Take(semaphore, At(*library, CLOCK_REALTIME, deadline)));
}

int sem_clockwait(sem_t* semaphore, clockid_t clock, const timespec* deadline) {
  Library* library = Serving();
  if (library == nullptr) return REAL(sem_clockwait)(semaphore, clock, deadline);
  return Told(library->futexes().Take(semaphore, At(*library, clock, deadline)));
}

int sem_post(sem_t* semaphore) noexcept {
  if (Library* library = Serving()) return Told(library->futexes().Give(semaphore));
  return REAL(sem_post)(semaphore);
}

int pthread_barrier_wait(pthread_barrier_t* barrier) noexcept {
  if (Library* library = Serving()) return library->futexes().Meet(barrier);
  return REAL(pthread_barrier_wait)(barrier);
}

READS_REST long syscall(long number, ...) noexcept {
  va_list rest;
  va_start(rest, number);
  long given[6];
  for (long& one : given) one = va_arg(rest, long);
  va_end(rest);
  Library* library = Serving();
  if (library == nullptr) {
    return REAL(syscall)(number, given[0], given[1], given[2], given[3], given[4], given[5]);
  }
  switch (number) {
    case SYS_gettid:
      return static_cast<long>(library->ThreadId());
    case SYS_close:
      return close(static_cast<int>(given[0]));
    case SYS_getrandom:
      return getrandom(reinterpret_cast<void*>(given[0]), static_cast<std::size_t>(given[1]),
                       static_cast<unsigned>(given[2]));
    case SYS_io_uring_setup:
      return Told(-ENOSYS);
    default:
      break;
  }
  if (number != SYS_futex) interlock::sim::posix::Refuse("syscall");
  return Told(CallFutex(*library, reinterpret_cast<const int*>(given[0]),
                        static_cast<int>(given[1]), given[2],
                        reinterpret_cast<const timespec*>(given[3])));
}

}  // extern "C"

#endif
