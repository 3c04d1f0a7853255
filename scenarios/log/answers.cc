// SPDX-License-Identifier: MIT
#include "scenarios/log/answers.h"

#include <algorithm>
#include <chrono>
#include <set>
#include <string_view>
#include <vector>

#include "scenarios/log/whose.h"

namespace interlock::scenarios {
namespace {

/// The latest entry of the client and token on each server. A hand-over belongs to the client even
/// if it has not asked for it again.
std::vector<const ServerHold*> EntriesOf(const History& history, int client,
                                         const std::string& token) {
  std::vector<const ServerHold*> entries;
  for (auto hold = history.server_holds.rbegin(); hold != history.server_holds.rend(); ++hold) {
    const bool unclaimed = hold->client < 0 && !token.empty();
    if ((hold->client != client && !unclaimed) || hold->token != token) continue;
    const bool later = std::ranges::any_of(
        entries, [&](const ServerHold* other) { return other->node == hold->node; });
    if (!later) entries.push_back(&*hold);
  }
  return entries;
}

/// Of the quorum of entries that end last, the one that ends first.
const ServerHold* FindQuorumth(const History& history, int client, const std::string& token) {
  std::vector<const ServerHold*> entries = EntriesOf(history, client, token);
  const auto quorum = static_cast<std::size_t>(history.quorum);
  if (entries.size() < quorum) return nullptr;
  std::ranges::stable_sort(entries, [](const ServerHold* a, const ServerHold* b) {
    return a->had_until() > b->had_until();
  });
  return entries[quorum - 1];
}

/// Whether enough entries meet the condition: one, or a quorum.
template <typename Condition>
bool HoldsForEnough(const std::vector<const ServerHold*>& entries, const History& history,
                    const Condition& condition) {
  return std::ranges::count_if(entries, condition) >= history.quorum;
}

/// Whether it reappeared after its release, with data the server recovered, or was made by a late
/// request under the token that had been released.
bool WasReleased(const History& history, const ServerHold& again, const ClientHold& told) {
  return std::ranges::any_of(history.server_holds, [&](const ServerHold& hold) {
    const bool its_own = hold.client == again.client || hold.client == told.client;
    return hold.node == again.node && its_own && hold.token == again.token &&
           hold.end == ServerHoldEnd::kReleased &&
           (again.copied || hold.ended >= told.release_called);
  });
}

/// Number of servers on which the latest entry with that token meets the condition.
template <typename Condition>
int CountServers(const Force& force, const History& history, const Condition& condition) {
  int servers = 0;
  for (int node = 0; node < kMostNodes; ++node) {
    const auto latest = std::find_if(
        history.server_holds.rbegin(), history.server_holds.rend(),
        [&](const ServerHold& entry) { return entry.node == node && entry.token == force.token; });
    if (latest != history.server_holds.rend() && condition(*latest)) ++servers;
  }
  return servers;
}

/// Number of servers on which the entry that the operator saw, or a later one, has been released: a
/// client that loses its grant may ask again with the same token and get another one.
int CountReleased(const Force& force, const History& history) {
  int servers = 0;
  for (int node = 0; node < kMostNodes; ++node) {
    bool released = false;
    for (const ServerHold& entry : history.server_holds) {
      if (entry.node != node || entry.token != force.token) continue;
      const bool now = entry.given_back() || entry.end == ServerHoldEnd::kLost;
      released = now || (released && entry.granted > force.inspected);
    }
    if (released) ++servers;
  }
  return servers;
}

/// Whether the last event of the resource was a release by this operator, which was told so.
bool IsRepeated(const Force& force, const History& history) {
  const Force* before = nullptr;
  for (const Force& other : history.forces) {
    if (&other == &force) break;
    const bool told = other.answered != kOpen;
    if (told && other.client == force.client && other.token == force.token) before = &other;
  }
  if (before == nullptr || before->answer != StatusCode::kOk) return false;
  return std::ranges::none_of(history.server_holds, [&](const ServerHold& entry) {
    const VirtualTime end = entry.had_until();
    // A client that keeps waiting with its token may have been granted another entry.
    const bool another = entry.token != force.token || entry.granted > before->looked;
    return (another && end >= before->called) || entry.end == ServerHoldEnd::kLost;
  });
}

/// Whether another operator acted at the same time, so that nobody knows who ended the hold.
bool HadCompany(const Force& force, const History& history) {
  return std::ranges::any_of(history.forces, [&](const Force& other) {
    return other.client != force.client && other.token == force.token &&
           other.called <= force.answered && force.called <= other.answered;
  });
}

/// Whether the holder that the operator saw still has the lock when the answer arrives.
bool GoesOn(const Force& force, const History& history) {
  // A later entry is another grant, though an evicted client may keep its token.
  const int servers = CountServers(force, history, [&](const ServerHold& entry) {
    return entry.granted <= force.looked &&
           std::min(entry.ended, entry.surely_until()) > force.answered;
  });
  return servers >= history.quorum;
}

/// Why "not owner" is wrong, as the end of a sentence; empty if it may be right.
std::string_view WhyNoDenial(const Force& force, const History& history) {
  if (GoesOn(force, history)) return "that had it all the time";
  const int released = CountServers(force, history, [&](const ServerHold& entry) {
    return entry.end == ServerHoldEnd::kForced && entry.ended >= force.called &&
           entry.ended <= force.answered && entry.surely_until() > force.answered;
  });
  if (released >= history.quorum && !HadCompany(force, history)) {
    return "from whom it had just taken it";
  }
  const bool recalled = history.recalls_releases && IsRepeated(force, history);
  return recalled ? "from whom it had taken it, as it was told before" : "";
}

}  // namespace

const ServerHold* FindServerHold(const History& history, int client, const std::string& token) {
  if (history.quorum > 1) return FindQuorumth(history, client, token);
  for (auto hold = history.server_holds.rbegin(); hold != history.server_holds.rend(); ++hold) {
    if (hold->client == client && hold->token == token) return &*hold;
  }
  return nullptr;
}

void CompareReleased(const ClientHold& hold, VirtualTime now, History& history) {
  const std::vector<const ServerHold*> entries = EntriesOf(history, hold.client, hold.token);
  if (entries.empty()) return;
  const bool released = HoldsForEnough(entries, history, [&](const ServerHold* entry) {
    if (entry->given_back()) return true;
    if (WasReleased(history, *entry, hold) || StaysTaken(history, *entry, hold, now)) return true;
    // It owned what its server has forgotten, which it cannot know. Nothing of others was touched.
    const bool lost = entry->end == ServerHoldEnd::kLost || IsOutOfReach(history, *entry);
    return lost && entry->promise_end() > std::min(hold.release_called, now);
  });
  if (released) return;
  history.observed.push_back({now, hold.client, ReleasedNothing{entries.front()->had_until()}});
}

void CompareExtended(const ClientHold& hold, VirtualTime called, std::int64_t called_ms,
                     VirtualTime now, History& history) {
  const std::vector<const ServerHold*> entries = EntriesOf(history, hold.client, hold.token);
  if (entries.empty()) return;
  const std::int64_t lease_ms = LeaseOf(history, hold.client).count() / 1'000'000;
  const std::int64_t last_ms = 1;  // during which it is owned, too, see harness::LastMs
  const bool extended = HoldsForEnough(entries, history, [&](const ServerHold* entry) {
    if (entry->had_until() <= called) return false;
    // An entry made by the extension itself does not prove that there was something to extend.
    const bool own_doing = entry->client < 0 && entry->made_by == hold.client;
    if (own_doing && entry->granted >= called) return false;
    // By the server's own clock, which may have been set since. An extension within a millisecond
    // of the last one changes nothing: then the deadline decides.
    const std::int64_t enough_ms = lease_ms - last_ms;  // An entry without an end has the largest.
    const bool anew = entry->renewed >= called && entry->leased_ms >= enough_ms;
    return anew || entry->expires_at_ms >= called_ms + enough_ms;
  });
  if (extended) return;
  history.observed.push_back({now, hold.client, ExtendedNothing{entries.front()->had_until()}});
}

void CompareRenewed(const ClientHold& hold, VirtualTime until, VirtualTime now, History& history) {
  if (history.server_changed || hold.token.empty()) return;
  // Clocks differ a little, and a server counts in whole milliseconds.
  const Duration slack = history.lease / 64 + std::chrono::milliseconds(1);
  std::set<int> nodes;
  VirtualTime latest{-1};
  for (const ServerHold& entry : history.server_holds) {
    const bool its_own = entry.client == hold.client || entry.client < 0;
    if (!its_own || entry.token != hold.token) continue;
    latest = std::max(latest, entry.promised_until);
    if (entry.promised_until == kOpen || entry.promised_until + slack >= until) {
      nodes.insert(entry.node);
    }
  }
  if (latest < VirtualTime{} || static_cast<int>(nodes.size()) >= history.quorum) return;
  history.observed.push_back({now, hold.client, RenewedNothing{until, latest}});
}

void CompareForced(const Force& force, History& history) {
  if (history.nests || force.token.empty()) return;
  const int known = CountServers(force, history, [](const ServerHold&) { return true; });
  if (known == 0) return;
  if (force.answer == StatusCode::kOk) {
    if (CountReleased(force, history) >= history.quorum) return;
    if (!history.recalls_releases && !GoesOn(force, history)) return;
    history.observed.push_back({force.answered, force.client, ForcedNothing{}});
  } else if (force.answer == StatusCode::kNotOwner) {
    const std::string_view wrong = WhyNoDenial(force, history);
    if (wrong.empty()) return;
    history.observed.push_back({force.answered, force.client, DeniedForce{force.answer, wrong}});
  }
}

}  // namespace interlock::scenarios
