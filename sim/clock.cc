// SPDX-License-Identifier: MIT
#include "sim/clock.h"

#include <algorithm>

namespace interlock::sim {

MonotonicTime ClientClock::Local(VirtualTime when) const {
  const VirtualTime run = std::max(when - runs_, VirtualTime{});
  if (rate_ == kMillion) return AddSaturating(shown_, run);
  // Split, because the plain product overflows 64 bits after about three hours.
  const std::int64_t whole = run.count() / kMillion;
  const std::int64_t rest = run.count() % kMillion;
  return AddSaturating(shown_, Duration(whole * rate_ + rest * rate_ / kMillion));
}

VirtualTime ClientClock::Global(MonotonicTime local) const {
  if (local == kNever) return VirtualTime::max();
  if (local <= shown_) return changed_;
  const std::int64_t more =
      AddSaturating(local, -shown_.time_since_epoch()).time_since_epoch().count();
  if (rate_ == kMillion)
    return AddSaturating(MonotonicTime(runs_), Duration(more)).time_since_epoch();
  if (more >= VirtualTime::max().count() / 4) return VirtualTime::max();
  const std::int64_t whole = more / rate_;
  const std::int64_t rest = more % rate_;
  return runs_ + VirtualTime(whole * kMillion + (rest * kMillion + rate_ - 1) / rate_);
}

void ClientClock::Rebase(VirtualTime now) {
  shown_ = Local(now);
  changed_ = now;
  runs_ = std::max(runs_, now);
}

void ClientClock::Jump(VirtualTime now, Duration length) {
  Rebase(now);
  shown_ = AddSaturating(shown_, length);
}

void ClientClock::SetRate(VirtualTime now, std::int64_t rate_ppm) {
  Rebase(now);
  rate_ = kMillion + rate_ppm;
}

void ClientClock::Stand(VirtualTime now, VirtualTime until) {
  Rebase(now);
  runs_ = until;
}

}  // namespace interlock::sim
