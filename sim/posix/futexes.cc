// SPDX-License-Identifier: MIT
#include "sim/posix/futexes.h"

#include <cerrno>
#include <climits>

namespace interlock::sim::posix {

namespace {

/// The value of a semaphore: the lower half of glibc's word of 64 bits, on little-endian machines.
unsigned& ValueOf(sem_t* semaphore) { return *reinterpret_cast<unsigned*>(semaphore); }

/// How many a barrier is for: the third word.
unsigned ExpectedAt(const pthread_barrier_t* barrier) {
  return reinterpret_cast<const unsigned*>(barrier)[2];
}

}  // namespace

long Futexes::Wait(const int* word, int expected, MonotonicTime deadline) {
  if (!parking_.Begins()) return 0;
  if (*word != expected) return -EAGAIN;
  return parking_.Park(word, deadline) == Waking::kTimedOut ? -ETIMEDOUT : 0;
}

long Futexes::Wake(const int* word, int most) {
  if (parking_.CountAt(word) == 0) return 0;
  return parking_.BeginsAmongThreads() ? parking_.Unpark(word, most) : 0;
}

int Futexes::TryTake(sem_t* semaphore) {
  if (!parking_.Begins() || ValueOf(semaphore) == 0) return -EAGAIN;
  --ValueOf(semaphore);
  return 0;
}

int Futexes::Take(sem_t* semaphore, MonotonicTime deadline) {
  if (!parking_.Begins()) return -ECANCELED;
  unsigned& value = ValueOf(semaphore);
  while (value == 0) {
    const Waking waking = parking_.Park(semaphore, deadline);
    if (waking != Waking::kWoken) return waking == Waking::kTimedOut ? -ETIMEDOUT : -ECANCELED;
  }
  --value;
  return 0;
}

int Futexes::Give(sem_t* semaphore) {
  if (!parking_.BeginsAmongThreads()) return 0;
  unsigned& value = ValueOf(semaphore);
  if (value == SEM_VALUE_MAX) return -EOVERFLOW;
  ++value;
  parking_.Unpark(semaphore, 1);
  return 0;
}

int Futexes::Meet(pthread_barrier_t* barrier) {
  if (!parking_.Begins()) return 0;
  if (parking_.CountAt(barrier) + 1 < ExpectedAt(barrier)) {
    parking_.Park(barrier, kNever);
    return 0;
  }
  parking_.Unpark(barrier, Parking::kAll);
  return PTHREAD_BARRIER_SERIAL_THREAD;
}

}  // namespace interlock::sim::posix
