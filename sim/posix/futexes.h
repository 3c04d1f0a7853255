// SPDX-License-Identifier: MIT
//
// What else of the C library makes the threads of one process wait for each other: futex(2), on
// which std::atomic::wait and std::future are built; semaphores, sem_wait(3); and barriers,
// pthread_barrier_wait(3p). The values stand in the objects, where glibc has them.
//
// Non-guarantee: an atomic that is no int waits at one of 16 places of the C++ library, which its
// address picks; if two such are waited for at once, a waking of one may be one of the other, too,
// and whether it is differs between processes.
// Thread safety: none; one world, one OS thread.
#pragma once

#include <pthread.h>
#include <semaphore.h>

#include "sim/posix/parking.h"

namespace interlock::sim::posix {

class Futexes {
 public:
  explicit Futexes(Parking& parking) : parking_(parking) {}

  // Each returns a result, or an errno with its sign changed.

  /// FUTEX_WAIT: -EAGAIN if the word is not `expected`, -ETIMEDOUT. 0 in teardown. YIELDS.
  long Wait(const int* word, int expected, MonotonicTime deadline);
  /// FUTEX_WAKE: how many were woken. Costs nothing if nobody waits there: whether the C++ library
  /// calls it then may depend on addresses.
  long Wake(const int* word, int most);

  /// sem_wait and the like: -ETIMEDOUT; -ECANCELED in teardown. YIELDS.
  int Take(sem_t* semaphore, MonotonicTime deadline = kNever);
  /// sem_trywait: -EAGAIN.
  int TryTake(sem_t* semaphore);
  /// sem_post: -EOVERFLOW.
  int Give(sem_t* semaphore);

  /// PTHREAD_BARRIER_SERIAL_THREAD for the one that comes last, and 0; both in teardown. YIELDS.
  int Meet(pthread_barrier_t* barrier);

 private:
  Parking& parking_;
};

}  // namespace interlock::sim::posix
