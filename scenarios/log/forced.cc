// SPDX-License-Identifier: MIT
#include "scenarios/log/forced.h"

#include <algorithm>
#include <string>

namespace interlock::scenarios {
namespace {

VirtualTime FirstForce(const History& history, const std::string& token) {
  VirtualTime first = kOpen;
  for (const Force& force : history.forces) {
    if (force.token == token) first = std::min(first, force.called);
  }
  return first;
}

}  // namespace

bool IsForced(const History& history, int client, const ServerHold& entry) {
  return std::ranges::any_of(history.forces, [&](const Force& force) {
    if (force.client != client) return false;
    return history.nests ? entry.granted <= force.inspected : entry.token == force.token;
  });
}

VirtualTime ForcedOutAt(const History& history, const ClientHold& hold) {
  if (history.forces.empty()) return kOpen;
  // Votes are taken away one by one, even before they make a quorum.
  const bool by_force = history.quorum > 1 || !history.ownership_seen;
  if (by_force) return FirstForce(history, hold.token);
  for (auto entry = history.server_holds.rbegin(); entry != history.server_holds.rend(); ++entry) {
    if (!entry->IsOf(hold)) continue;
    if (entry->end != ServerHoldEnd::kForced) return kOpen;
    // A client that fetched a hand-over after it was gone could have been told so. For a grant that
    // the client made itself, the server may have been asked several things.
    const bool handed_over = entry->made_by != hold.client;
    return handed_over && hold.last_asked > entry->ended ? kOpen : entry->ended;
  }
  return kOpen;
}

Interval TurnTakenAway(const History& history, const Attempt& waiter) {
  if (history.forces.empty()) return {kOpen, kOpen};
  for (const ServerHold& entry : history.server_holds) {
    const bool fetched = entry.client >= 0 || entry.end != ServerHoldEnd::kForced;
    if (fetched || entry.granted < waiter.asked || !waiter.Shows(entry.token)) continue;
    return {entry.granted, entry.ended};
  }
  return {kOpen, kOpen};
}

}  // namespace interlock::scenarios
