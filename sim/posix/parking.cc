// SPDX-License-Identifier: MIT
#include "sim/posix/parking.h"

#include <algorithm>

namespace interlock::sim::posix {

bool Parking::Begins() {
  if (!tearing_down()) engine_.Step(process_, StepKind::kWait);
  return LetOthersRun();
}

bool Parking::BeginsAmongThreads() {
  const bool alone = engine_.scheduler.unfinished(process_.id) <= 1;
  return alone && !tearing_down() ? true : LetOthersRun();
}

bool Parking::LetOthersRun() {
  pace_.Count();
  if (tearing_down()) {
    engine_.scheduler.YieldInTeardown();
    return false;
  }
  engine_.scheduler.YieldPoint();
  return !tearing_down();
}

void Parking::AwaitInTeardown(const ScheduledTask* owner) {
  const bool in_vain =
      owner == current() || (owner != nullptr && owner->state == ScheduledTask::State::kDone);
  if (in_vain) engine_.scheduler.Desert(StopReason::kStopped);
  pace_.Count();
  engine_.scheduler.SuspendInTeardown();
}

Waking Parking::Park(const void* at, MonotonicTime deadline) {
  ScheduledTask* const self = current();
  const auto mine = [self](const Parked& one) { return one.task == self; };
  parked_.push_back({at, self});
  do {
    if (!engine_.Wait(WaitKind::kThread, process_, deadline)) return Waking::kCancelled;
    if (std::ranges::none_of(parked_, mine)) return Waking::kWoken;
  } while (!engine_.Reached(process_, deadline));
  std::erase_if(parked_, mine);
  return Waking::kTimedOut;
}

int Parking::Unpark(const void* at, int most) {
  int woken = 0;
  std::erase_if(parked_, [&](const Parked& one) {
    if (one.at != at || woken == most) return false;
    engine_.scheduler.MakeReady(one.task);
    ++woken;
    return true;
  });
  return woken;
}

unsigned Parking::CountAt(const void* at) const {
  return static_cast<unsigned>(std::ranges::count(parked_, at, &Parked::at));
}

}  // namespace interlock::sim::posix
