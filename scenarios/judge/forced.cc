// SPDX-License-Identifier: MIT
#include "scenarios/judge/forced.h"

#include <algorithm>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "scenarios/judge/words.h"

namespace interlock::scenarios {
namespace {

/// On how many servers it is so of the latest entry with that token.
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

/// On how many servers the entry that it saw has been released, or a later one: who loses what it
/// had may ask again with its token, and be granted another one.
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

/// The last thing that happened to the resource was that it was released by this operator, which
/// has been told so.
bool IsRepeated(const Force& force, const History& history) {
  const Force* before = nullptr;
  for (const Force& other : history.forces) {
    if (&other == &force) break;
    const bool told = other.answered != kOpen;
    if (told && other.client == force.client && other.token == force.token) before = &other;
  }
  if (before == nullptr || before->answer != StatusCode::kOk) return false;
  return std::none_of(
      history.server_holds.begin(), history.server_holds.end(), [&](const ServerHold& entry) {
        const VirtualTime end = std::min(entry.ended, entry.promised_until);
        // Who waits on with its token may have been granted another one.
        const bool another = entry.token != force.token || entry.granted > before->looked;
        return (another && end >= before->called) || entry.end == ServerHoldEnd::kLost;
      });
}

/// Another operator was about it at the same time, so nobody knows whose doing its end was.
bool HadCompany(const Force& force, const History& history) {
  return std::any_of(history.forces.begin(), history.forces.end(), [&](const Force& other) {
    return other.client != force.client && other.token == force.token &&
           other.called <= force.answered && force.called <= other.answered;
  });
}

/// The holder that it saw has it when it is answered.
bool GoesOn(const Force& force, const History& history) {
  // One that came later is another grant, though a client that is sent away may keep its token.
  const int servers = CountServers(force, history, [&](const ServerHold& entry) {
    return entry.granted <= force.looked &&
           std::min(entry.ended, entry.surely_until()) > force.answered;
  });
  return servers >= history.quorum;
}

/// What makes "not owner" wrong, as the end of a sentence; empty: it may be right.
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
  return std::any_of(history.forces.begin(), history.forces.end(), [&](const Force& force) {
    if (force.client != client) return false;
    return history.nests ? entry.granted <= force.inspected : entry.token == force.token;
  });
}

VirtualTime ForcedOutAt(const History& history, const ClientHold& hold) {
  if (history.forces.empty()) return kOpen;
  // Votes are taken away one by one, also before they are a quorum.
  const bool by_force = history.quorum > 1 || !history.ownership_seen;
  if (by_force) return FirstForce(history, hold.token);
  for (auto entry = history.server_holds.rbegin(); entry != history.server_holds.rend(); ++entry) {
    if (entry->client != hold.client || entry->token != hold.token) continue;
    if (entry->end != ServerHoldEnd::kForced) return kOpen;
    // Whom another client handed it to, and who fetched that when it was gone, could have been told
    // so. Of one's own doing the server may have been asked several things.
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
        {Judged::kForeignRelease, force.answered, force.client,
         fmt::format("{}, an operator, was told \"released\", but nobody has released what it "
                     "had seen",
                     ClientName(force.client))});
  } else if (force.answer == StatusCode::kNotOwner) {
    const std::string_view wrong = WhyNoDenial(force, history);
    if (wrong.empty()) return;
    violations.push_back({Judged::kSpuriousRefusal, force.answered, force.client,
                          fmt::format("{}, an operator, was told \"{}\" of a holder {}",
                                      ClientName(force.client), ToString(force.answer), wrong)});
  }
}

}  // namespace interlock::scenarios
