// SPDX-License-Identifier: MIT
//
// std::mutex with clang's thread-safety annotations, so that `-Wthread-safety` proves at compile
// time that guarded members are only touched under the lock. The rule that it is never held across
// a call that YIELDS (see interlock/runtime.h) is kept by scope: every critical section in the
// library is a short block that only moves pointers.
#pragma once

#include <mutex>

#if defined(__clang__)
#define INTERLOCK_THREAD_ANNOTATION(x) __attribute__((x))
#else
#define INTERLOCK_THREAD_ANNOTATION(x)
#endif

#define INTERLOCK_GUARDED_BY(x) INTERLOCK_THREAD_ANNOTATION(guarded_by(x))
#define INTERLOCK_REQUIRES(x) INTERLOCK_THREAD_ANNOTATION(requires_capability(x))

namespace interlock::internal {

class INTERLOCK_THREAD_ANNOTATION(capability("mutex")) AnnotatedMutex {
 public:
  void Lock() INTERLOCK_THREAD_ANNOTATION(acquire_capability()) { mutex_.lock(); }
  void Unlock() INTERLOCK_THREAD_ANNOTATION(release_capability()) { mutex_.unlock(); }

 private:
  std::mutex mutex_;
};

class INTERLOCK_THREAD_ANNOTATION(scoped_lockable) MutexGuard {
 public:
  explicit MutexGuard(AnnotatedMutex& mutex) INTERLOCK_THREAD_ANNOTATION(acquire_capability(mutex))
      : mutex_(mutex) {
    mutex_.Lock();
  }
  ~MutexGuard() INTERLOCK_THREAD_ANNOTATION(release_capability()) { mutex_.Unlock(); }
  MutexGuard(const MutexGuard&) = delete;
  MutexGuard& operator=(const MutexGuard&) = delete;

 private:
  AnnotatedMutex& mutex_;
};

}  // namespace interlock::internal
