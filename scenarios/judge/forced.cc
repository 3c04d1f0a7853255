// SPDX-License-Identifier: MIT
#include "scenarios/judge/forced.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "scenarios/judge/violated.h"
#include "scenarios/log/words.h"

namespace interlock::scenarios {
namespace {

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

void JudgeForced(const Force& force, const History& history, std::vector<Violation>& violations) {
  if (history.nests || force.token.empty()) return;
  const int known = CountServers(force, history, [](const ServerHold&) { return true; });
  if (known == 0) return;
  if (force.answer == StatusCode::kOk) {
    if (CountReleased(force, history) >= history.quorum) return;
    if (!history.recalls_releases && !GoesOn(force, history)) return;
    violations.push_back(
        Violated(Judged::kForeignRelease, force.answered, force.client,
                 "{}, an operator, was told \"released\", but nobody has released what it had seen",
                 ClientName(force.client)));
  } else if (force.answer == StatusCode::kNotOwner) {
    const std::string_view wrong = WhyNoDenial(force, history);
    if (wrong.empty()) return;
    violations.push_back(Violated(Judged::kSpuriousRefusal, force.answered, force.client,
                                  "{}, an operator, was told \"{}\" of a holder {}",
                                  ClientName(force.client), force.answer, wrong));
  }
}

}  // namespace interlock::scenarios
