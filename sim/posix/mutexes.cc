// SPDX-License-Identifier: MIT
#include "sim/posix/mutexes.h"

#include <algorithm>
#include <cerrno>

namespace interlock::sim::posix {

namespace {

// The kind of a mutex, without the flags of its protocol.
constexpr int kKinds = 3;

int KindOf(const pthread_mutex_t* mutex) { return mutex->__data.__kind & kKinds; }

/// Where those wait that only read; writers wait at the lock itself.
const void* ReadersAt(const pthread_rwlock_t* lock) {
  return reinterpret_cast<const char*>(lock) + 1;
}

}  // namespace

Mutexes::Held* Mutexes::Find(const pthread_mutex_t* mutex) {
  const std::size_t life = threads_.OwnLife();
  const auto found = std::ranges::find_if(
      held_, [&](const Held& one) { return one.mutex == mutex && one.life == life; });
  return found == held_.end() ? nullptr : &*found;
}

int Mutexes::Take(pthread_mutex_t* mutex) {
  Held* const held = Find(mutex);
  if (held == nullptr) {
    held_.push_back({mutex, threads_.OwnLife(), parking_.current(), 1});
    return 0;
  }
  if (held->owner != parking_.current()) return EBUSY;
  switch (KindOf(mutex)) {
    case PTHREAD_MUTEX_RECURSIVE:
      ++held->depth;
      return 0;
    case PTHREAD_MUTEX_ERRORCHECK:
      return EDEADLK;
    default:
      return EBUSY;  // its owner waits for itself
  }
}

int Mutexes::Await(pthread_mutex_t* mutex, MonotonicTime deadline) {
  return parking_.ParkUntilTaken(
      mutex, deadline, [&] { return Take(mutex); }, [&] { return Find(mutex)->owner; });
}

int Mutexes::Lock(pthread_mutex_t* mutex, MonotonicTime deadline) {
  parking_.BeginsAmongThreads();
  return Await(mutex, deadline);
}

int Mutexes::TryLock(pthread_mutex_t* mutex) {
  parking_.BeginsAmongThreads();
  const int taken = Take(mutex);
  return taken == EDEADLK ? EBUSY : taken;
}

int Mutexes::Unlock(pthread_mutex_t* mutex) {
  Held* const held = Find(mutex);
  const bool checked = KindOf(mutex) != PTHREAD_MUTEX_NORMAL;
  if (held == nullptr) return checked ? EPERM : 0;
  if (checked && held->owner != parking_.current()) return EPERM;
  if (--held->depth > 0) return 0;
  held_.erase(held_.begin() + (held - held_.data()));
  if (!parking_.tearing_down()) parking_.Unpark(mutex, 1);
  return 0;
}

int Mutexes::WaitForCondition(pthread_cond_t* condition, pthread_mutex_t* mutex,
                              MonotonicTime deadline) {
  const bool waits = parking_.Begins();
  Held* const held = Find(mutex);
  if (held == nullptr || held->owner != parking_.current()) return EPERM;
  const int depth = held->depth;
  held->depth = 1;
  Unlock(mutex);
  const Waking waking = waits ? parking_.Park(condition, deadline) : Waking::kCancelled;
  if (waking == Waking::kCancelled) parking_.YieldInTeardown();
  Await(mutex, kNever);
  if (Held* const again = Find(mutex)) again->depth = depth;
  const bool over = waking == Waking::kTimedOut || parking_.tearing_down();
  return over && deadline != kNever ? ETIMEDOUT : 0;
}

int Mutexes::Signal(pthread_cond_t* condition, int most) {
  if (parking_.BeginsAmongThreads()) parking_.Unpark(condition, most);
  return 0;
}

SharedLocks::Held* SharedLocks::Find(const pthread_rwlock_t* lock) {
  const std::size_t life = threads_.OwnLife();
  const auto found = std::ranges::find_if(
      held_, [&](const Held& one) { return one.lock == lock && one.life == life; });
  return found == held_.end() ? nullptr : &*found;
}

int SharedLocks::Take(pthread_rwlock_t* lock, bool shared) {
  Held* const held = Find(lock);
  if (held == nullptr) {
    held_.push_back(
        {lock, threads_.OwnLife(), shared ? nullptr : parking_.current(), shared ? 1 : 0});
    return 0;
  }
  if (held->writer == parking_.current()) return EDEADLK;
  if (!shared || held->writer != nullptr) return EBUSY;
  const bool writers_first = lock->__data.__flags == PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP;
  if (writers_first && parking_.CountAt(lock) > 0) return EBUSY;
  ++held->readers;
  return 0;
}

int SharedLocks::Await(pthread_rwlock_t* lock, bool shared, MonotonicTime deadline) {
  const void* const place = shared ? ReadersAt(lock) : lock;
  const int taken = parking_.ParkUntilTaken(
      place, deadline, [&] { return Take(lock, shared); }, [&] { return Find(lock)->writer; });
  // Readers may wait for no other reason than this writer.
  if (taken == ETIMEDOUT && !shared) parking_.Unpark(ReadersAt(lock), Parking::kAll);
  return taken;
}

int SharedLocks::LockShared(pthread_rwlock_t* lock, MonotonicTime deadline) {
  parking_.BeginsAmongThreads();
  return Await(lock, /*shared=*/true, deadline);
}

int SharedLocks::Lock(pthread_rwlock_t* lock, MonotonicTime deadline) {
  parking_.BeginsAmongThreads();
  return Await(lock, /*shared=*/false, deadline);
}

int SharedLocks::TryLockShared(pthread_rwlock_t* lock) {
  parking_.BeginsAmongThreads();
  return Take(lock, /*shared=*/true) == 0 ? 0 : EBUSY;
}

int SharedLocks::TryLock(pthread_rwlock_t* lock) {
  parking_.BeginsAmongThreads();
  return Take(lock, /*shared=*/false) == 0 ? 0 : EBUSY;
}

int SharedLocks::Unlock(pthread_rwlock_t* lock) {
  Held* const held = Find(lock);
  if (held == nullptr) return 0;
  if (held->writer == nullptr && --held->readers > 0) return 0;
  held_.erase(held_.begin() + (held - held_.data()));
  if (parking_.tearing_down()) return 0;
  parking_.Unpark(lock, Parking::kAll);
  parking_.Unpark(ReadersAt(lock), Parking::kAll);
  return 0;
}

}  // namespace interlock::sim::posix
