// SPDX-License-Identifier: MIT
#include "sim/posix/futexes.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <mutex>
#include <utility>

namespace interlock::sim::posix {

namespace {

// As glibc marks it, whose own pthread_once sees it outside of tasks.
constexpr int kDone = 2;

/// The value of a semaphore: the lower half of glibc's word of 64 bits, on little-endian machines.
unsigned& ValueOf(sem_t* semaphore) { return *reinterpret_cast<unsigned*>(semaphore); }

/// What std::call_once has left for its pthread_once, in variables that all threads share here.
class CallOnceArguments {
 public:
  CallOnceArguments() : callable_(std::__once_callable), call_(std::__once_call) {}
  ~CallOnceArguments() {
    std::__once_callable = callable_;
    std::__once_call = call_;
  }
  CallOnceArguments(const CallOnceArguments&) = delete;
  CallOnceArguments& operator=(const CallOnceArguments&) = delete;

 private:
  void* const callable_;
  void (*const call_)();
};

}  // namespace

long Futexes::Wait(const int* word, int expected, MonotonicTime deadline) {
  if (!parking_.Begins()) return 0;
  if (*word != expected) return -EAGAIN;
  return parking_.Park(word, deadline) == Waking::kTimedOut ? -ETIMEDOUT : 0;
}

long Futexes::Wake(const int* word, int most) {
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

void Futexes::Once(pthread_once_t* control, void (*initialise)()) {
  {
    const CallOnceArguments kept;
    while (std::ranges::find(beginning_, control) != beginning_.end()) {
      if (parking_.Park(control, kNever) == Waking::kCancelled) return;
    }
  }
  if (*control == kDone) return;
  beginning_.push_back(control);
  const auto leave = [this, control] {
    std::erase(beginning_, control);
    parking_.Unpark(control, Parking::kAll);
  };
  try {
    initialise();
  } catch (...) {
    leave();
    throw;
  }
  *control = kDone;
  leave();
}

}  // namespace interlock::sim::posix
