// SPDX-License-Identifier: MIT
#include "scenarios/run/recorder/fault_bounds.h"

#include <algorithm>
#include <chrono>

namespace interlock::scenarios {

Duration FaultBounds::Clip(const sim::Fault& fault, Duration wanted, VirtualTime now) const {
  using enum sim::FaultEffect;
  const sim::FaultInfo& info = *sim::FindFault(fault.kind);
  if (info.effect == kClockRate) {
    return log_.free_clocks ? wanted : std::clamp(wanted, -kMostDrift, kMostDrift);
  }
  if (info.effect == kClockJump) {
    // A client's jump is forward only: a validity then ends early, which costs time but no safety.
    return log_.free_clocks || !info.uses_node ? wanted : Duration{};
  }
  const Users::Range users = log_.users.Of(fault.process);
  if (info.effect == kStopsWithClock && !log_.free_clocks) {
    wanted = ClipFrozenPause(users, wanted, now);
  }
  if (log_.synchrony == SynchronyClass::kArbitrary) return wanted;
  if (log_.synchrony == SynchronyClass::kNone) {
    for (int client = users.first; client <= users.last; ++client) {
      wanted = std::min(wanted, LeaseGranted(client) / 100);
    }
    return wanted;
  }
  const bool pauses = info.effect == kStops || info.effect == kStopsWithClock;
  return pauses && !info.uses_node ? ClipPause(users, wanted, now) : wanted;
}

Duration FaultBounds::ClipFrozenPause(Users::Range users, Duration wanted, VirtualTime now) const {
  const auto relies_on_clock = [&](const Dealing& one) {
    if (one.doing != Doing::kNothing || one.believes_until > now || one.inside) return true;
    // A lock that renews by itself relies on its clock until it has been given back.
    return log_.traits.renews && one.believes_until >= VirtualTime{};
  };
  const std::span<const Dealing> dealings = log_.DealingsOf(users);
  // The clock loses the length of the pause, which must therefore fit into the allowance for drift.
  const bool bounded = std::ranges::any_of(dealings, relies_on_clock);
  return bounded ? std::min(wanted, log_.shortest_lease / 1000) : wanted;
}

Duration FaultBounds::ClipPause(Users::Range users, Duration wanted, VirtualTime now) const {
  for (const Dealing& client : log_.DealingsOf(users)) {
    const VirtualTime until = client.believes_until;
    if (until > now && until != kOpen) {
      // A client that relies on a validity must come back before its end, with time left to stop.
      wanted = std::min(wanted, (until - now) / 2);
    } else if (until == now || client.inside) {
      return Duration{};
    }
  }
  return wanted;
}

Duration FaultBounds::LeaseGranted(int client) const {
  std::int64_t shortest_ms = log_.shortest_lease / std::chrono::milliseconds(1);
  const std::int64_t much_less_ms = shortest_ms * 15 / 16;
  for (const RecordedResource& resource : log_.resources) {
    for (const ServerHold& entry : resource.history.server_holds) {
      const bool much_less = entry.leased_ms > 0 && entry.leased_ms < much_less_ms;
      if (entry.client == client && much_less) shortest_ms = std::min(shortest_ms, entry.leased_ms);
    }
  }
  return std::chrono::milliseconds(shortest_ms);
}

}  // namespace interlock::scenarios
