// SPDX-License-Identifier: MIT
#include "src/lost_event.h"

#include <algorithm>
#include <utility>

#include "src/held_lease.h"

namespace interlock::internal {

LostEvent::LostEvent(std::vector<HeldLease*> leases)
    : leases_(std::move(leases)), told_(leases_.front()->runtime().NewEvent()) {
  for (HeldLease* lease : leases_) lease->TellLossTo(told_);
}

void LostEvent::Set() {
  for (HeldLease* lease : leases_) lease->End();
  told_->Set();
}

bool LostEvent::IsSet() const {
  if (told_->IsSet()) return true;
  return std::any_of(leases_.begin(), leases_.end(),
                     [](HeldLease* lease) { return lease->Ended(); });
}

bool LostEvent::WaitUntil(MonotonicTime deadline) {
  for (;;) {
    if (IsSet()) return true;
    // A renewal may move it meanwhile, but only to a later time.
    MonotonicTime until = deadline;
    for (HeldLease* lease : leases_) until = std::min(until, lease->end_of_belief());
    if (told_->WaitUntil(until)) return true;
    // Back too early: the runtime is shutting down.
    if (until == deadline || leases_.front()->Now() < until) return IsSet();
  }
}

}  // namespace interlock::internal
