// SPDX-License-Identifier: MIT
//
// What else of the C library makes the threads of one process wait for each other: futex(2), on
// which std::atomic::wait, std::future and the guards of function statics are built; semaphores,
// sem_wait(3); and pthread_once(3p). The values stand in the objects, where glibc has them.
// Thread safety: none; one world, one OS thread.
#pragma once

#include <pthread.h>
#include <semaphore.h>

#include <vector>

#include "sim/posix/parking.h"

namespace interlock::sim::posix {

class Futexes {
 public:
  explicit Futexes(Parking& parking) : parking_(parking) {}

  // Each returns a result, or an errno with its sign changed.

  /// FUTEX_WAIT: -EAGAIN if the word is not `expected`, -ETIMEDOUT. 0 in teardown. YIELDS.
  long Wait(const int* word, int expected, MonotonicTime deadline);
  /// FUTEX_WAKE: how many were woken.
  long Wake(const int* word, int most);

  /// sem_wait and the like: -ETIMEDOUT; -ECANCELED in teardown. YIELDS.
  int Take(sem_t* semaphore, MonotonicTime deadline = kNever);
  /// sem_trywait: -EAGAIN.
  int TryTake(sem_t* semaphore);
  /// sem_post: -EOVERFLOW.
  int Give(sem_t* semaphore);

  /// Calls `initialise` unless it has been called with success. One that throws is none.
  /// YIELDS only while another thread is in it.
  void Once(pthread_once_t* control, void (*initialise)());
  void Forget() { beginning_.clear(); }

 private:
  Parking& parking_;
  std::vector<const pthread_once_t*> beginning_;  // in a call of `initialise` now
};

}  // namespace interlock::sim::posix
