// SPDX-License-Identifier: MIT
#include "sim/clock.h"

namespace interlock::sim {

MonotonicTime ClientClock::Local(VirtualTime when) const {
  if (rate_ == kMillion) return AddSaturating(MonotonicTime(offset_), when);
  // Split, because the plain product leaves 64 bits after about three hours.
  const std::int64_t whole = when.count() / kMillion;
  const std::int64_t rest = when.count() % kMillion;
  return AddSaturating(MonotonicTime(offset_), Duration(whole * rate_ + rest * rate_ / kMillion));
}

VirtualTime ClientClock::Global(MonotonicTime local) const {
  if (local == kNever) return VirtualTime::max();
  const MonotonicTime since = AddSaturating(local, -offset_);
  const std::int64_t shown = since.time_since_epoch().count();
  if (shown <= 0) return VirtualTime{};
  if (rate_ == kMillion) return VirtualTime(shown);
  if (shown >= VirtualTime::max().count() / 4) return VirtualTime::max();
  const std::int64_t whole = shown / rate_;
  const std::int64_t rest = shown % rate_;
  return VirtualTime(whole * kMillion + (rest * kMillion + rate_ - 1) / rate_);
}

}  // namespace interlock::sim
