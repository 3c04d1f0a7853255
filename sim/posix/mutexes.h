// SPDX-License-Identifier: MIT
//
// The mutexes, condition variables and rwlocks of one process, as pthread_mutex_lock(3p),
// pthread_cond_wait(3p) and pthread_rwlock_rdlock(3p) have them. What is held and who waits stands
// here and not in the objects, which therefore belong to one process even if two share their
// memory; of an object only its kind is read, where glibc keeps it.
//
// Each call returns 0 or an errno. A mutex goes to whoever takes it first, not to the one that was
// woken for it; of those that wait for a condition the oldest is woken. No waking is spurious, but
// in teardown, where nobody is signalled. There, too, a mutex has one owner: threads of a process
// that crashed go on to their ends, and must not meet in a section. One that needs what a thread
// holds that has ended stays where it is. Thread safety: none; one world, one OS thread.
#pragma once

#include <pthread.h>

#include <cstddef>
#include <vector>

#include "sim/posix/parking.h"
#include "sim/posix/threads.h"

namespace interlock::sim::posix {

class Mutexes {
 public:
  Mutexes(Parking& parking, Threads& threads) : parking_(parking), threads_(threads) {}

  /// EDEADLK and EAGAIN as the kind of the mutex has them; ETIMEDOUT. YIELDS.
  int Lock(pthread_mutex_t* mutex, MonotonicTime deadline = kNever);
  int TryLock(pthread_mutex_t* mutex);
  int Unlock(pthread_mutex_t* mutex);
  /// ETIMEDOUT with the mutex held, too. YIELDS.
  int WaitForCondition(pthread_cond_t* condition, pthread_mutex_t* mutex, MonotonicTime deadline);
  int Signal(pthread_cond_t* condition, int most);

 private:
  struct Held {
    const void* mutex;
    std::size_t life;  // of the process: another one has its own objects at the same places
    const ScheduledTask* owner;
    int depth;
  };

  Held* Find(const pthread_mutex_t* mutex);
  /// EBUSY: another one has it.
  int Take(pthread_mutex_t* mutex);
  int Await(pthread_mutex_t* mutex, MonotonicTime deadline);

  Parking& parking_;
  Threads& threads_;
  std::vector<Held> held_;  // those that are locked now, which are few
};

class SharedLocks {
 public:
  SharedLocks(Parking& parking, Threads& threads) : parking_(parking), threads_(threads) {}

  /// EDEADLK if the caller writes; ETIMEDOUT. YIELDS.
  int LockShared(pthread_rwlock_t* lock, MonotonicTime deadline = kNever);
  int Lock(pthread_rwlock_t* lock, MonotonicTime deadline = kNever);
  int TryLockShared(pthread_rwlock_t* lock);
  int TryLock(pthread_rwlock_t* lock);
  int Unlock(pthread_rwlock_t* lock);

 private:
  struct Held {
    const void* lock;
    std::size_t life;
    const ScheduledTask* writer;  // null: readers have it
    int readers;
  };

  Held* Find(const pthread_rwlock_t* lock);
  int Take(pthread_rwlock_t* lock, bool shared);
  int Await(pthread_rwlock_t* lock, bool shared, MonotonicTime deadline);

  Parking& parking_;
  Threads& threads_;
  std::vector<Held> held_;
};

}  // namespace interlock::sim::posix
