// SPDX-License-Identifier: MIT
#include "sim/posix/initialisations.h"

#include <sched.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <mutex>
#include <span>

#include "sim/check.h"
#include "sim/posix/thread_locals.h"
#include "sim/tripwire.h"

namespace interlock::sim::posix {

namespace {

// As glibc marks them.
constexpr int kBegun = 1;
constexpr int kOver = 2;

// How long one waits for another process, which cannot wake it.
constexpr Duration kFirstWait = std::chrono::microseconds(10);
constexpr Duration kLongestWait = std::chrono::seconds(1);

/// A mark that a task of this OS thread has taken.
struct Begun {
  Mark mark;
  const Initialisations* by = nullptr;

  const void* at() const { return mark.at(); }
};

constexpr std::size_t kMostBegun = 64;

// Without a constructor and a destructor, which would themselves be guarded.
struct AllBegun {
  std::array<Begun, kMostBegun> all{};
  std::size_t count = 0;
};
constinit thread_local AllBegun all_begun;
const OfOsThread all_begun_is(&all_begun, sizeof(all_begun));

std::span<Begun> OfThisThread() { return std::span(all_begun.all).first(all_begun.count); }

bool IsOfThisThread(const void* at) {
  return std::ranges::find(OfThisThread(), at, &Begun::at) != OfThisThread().end();
}

template <typename Which>
void EraseIf(const Which& which) {
  const std::span<Begun> all = OfThisThread();
  const auto rest = std::remove_if(all.begin(), all.end(), which);
  all_begun.count -= static_cast<std::size_t>(all.end() - rest);
}

void Add(Mark mark, const Initialisations* by) {
  Require(all_begun.count < kMostBegun, "too many initialisations are under way");
  all_begun.all[all_begun.count++] = {mark, by};
}

void LetOtherOsThreadsRun() {
  const TripwireExemption real;
  sched_yield();
}

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

Mark::State TakeGuard(std::uint64_t* guard) {
  auto* const bytes = reinterpret_cast<std::uint8_t*>(guard);
  std::atomic_ref<std::uint8_t> done(bytes[0]);
  std::atomic_ref<std::uint8_t> taken(bytes[1]);
  if (done.load(std::memory_order_acquire) != 0) return Mark::State::kDone;
  if (taken.exchange(1, std::memory_order_acq_rel) != 0) return Mark::State::kTaken;
  if (done.load(std::memory_order_acquire) == 0) return Mark::State::kMine;
  taken.store(0, std::memory_order_release);  // it was left in between
  return Mark::State::kDone;
}

void LeaveGuard(std::uint64_t* guard, bool done) {
  auto* const bytes = reinterpret_cast<std::uint8_t*>(guard);
  if (done) std::atomic_ref<std::uint8_t>(bytes[0]).store(1, std::memory_order_release);
  std::atomic_ref<std::uint8_t>(bytes[1]).store(0, std::memory_order_release);
}

Mark::State TakeOnce(pthread_once_t* control) {
  int found = 0;
  std::atomic_ref<int> word(*control);
  if (word.compare_exchange_strong(found, kBegun, std::memory_order_acq_rel)) {
    return Mark::State::kMine;
  }
  return found == kOver ? Mark::State::kDone : Mark::State::kTaken;
}

void LeaveOnce(pthread_once_t* control, bool done) {
  int begun = kBegun;
  std::atomic_ref<int>(*control).compare_exchange_strong(begun, done ? kOver : 0,
                                                         std::memory_order_release);
}

}  // namespace

Mark::State Mark::Take() const {
  return guard_ != nullptr ? TakeGuard(guard_) : TakeOnce(control_);
}

void Mark::Leave(bool done) const {
  guard_ != nullptr ? LeaveGuard(guard_, done) : LeaveOnce(control_, done);
}

bool Initialisations::Begin(Mark mark) {
  Duration length = kFirstWait;
  for (;;) {
    const Mark::State state = mark.Take();
    if (state == Mark::State::kDone) return false;
    if (state == Mark::State::kMine) {
      Add(mark, this);
      return true;
    }
    if (!IsOfThisThread(mark.at())) {
      LetOtherOsThreadsRun();
    } else if (parking_.Park(mark.at(), parking_.After(length)) == Waking::kCancelled) {
      return true;
    }
    length = std::min(2 * length, kLongestWait);
  }
}

void Initialisations::End(Mark mark, bool done) {
  mark.Leave(done);
  EraseIf([&](const Begun& one) { return one.at() == mark.at() && one.by == this; });
  parking_.Unpark(mark.at(), Parking::kAll);
}

void Initialisations::Forget() {
  for (const Begun& one : OfThisThread()) {
    const auto same = [&](const Begun& other) { return other.at() == one.at(); };
    // Two of one address: the processes have memory of their own there, which goes with them.
    if (one.by == this && std::ranges::count_if(OfThisThread(), same) == 1) {
      one.mark.Leave(/*done=*/false);
    }
  }
  EraseIf([this](const Begun& one) { return one.by == this; });
}

bool Initialisations::BeginOutside(Mark mark) {
  for (;;) {
    const Mark::State state = mark.Take();
    if (state != Mark::State::kTaken) return state == Mark::State::kMine;
    sched_yield();
  }
}

void CallOnce(Initialisations* process, pthread_once_t* control, void (*initialise)()) {
  const Mark mark(control);
  {
    const CallOnceArguments kept;
    if (!(process != nullptr ? process->Begin(mark) : Initialisations::BeginOutside(mark))) return;
  }
  const auto leave = [&](bool done) {
    process != nullptr ? process->End(mark, done) : mark.Leave(done);
  };
  try {
    initialise();
  } catch (...) {
    leave(false);
    throw;
  }
  leave(true);
}

}  // namespace interlock::sim::posix
