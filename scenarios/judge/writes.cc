// SPDX-License-Identifier: MIT
#include "scenarios/judge/writes.h"

#include <algorithm>
#include <cstddef>

#include "scenarios/cases/kind_model.h"
#include "scenarios/cases/scenario.h"
#include "scenarios/judge/grants.h"
#include "scenarios/judge/judged_resource.h"
#include "scenarios/judge/property.h"
#include "scenarios/judge/violated.h"
#include "scenarios/log/forced.h"
#include "scenarios/log/words.h"

namespace interlock::scenarios {
namespace {

/// Each hold's position among the grants.
std::vector<std::size_t> PlacesOf(const History& history) {
  const std::vector<Grant> grants = GrantsInOrder(history);
  std::vector<std::size_t> places(history.holds.size());
  for (std::size_t place = 0; place < grants.size(); ++place) {
    places[static_cast<std::size_t>(grants[place].hold - history.holds.data())] = place;
  }
  return places;
}

bool IsRightful(const History& history, const ClientHold& hold, VirtualTime at) {
  const bool believes = std::ranges::any_of(
      hold.belief, [at](const Interval& belief) { return belief.from <= at && at < belief.to; });
  if (!believes || ForcedOutAt(history, hold) <= at) return false;
  return std::ranges::any_of(history.server_holds, [&](const ServerHold& entry) {
    return entry.IsOf(hold) && entry.granted <= at &&
           at < std::min(entry.ended, entry.promise_end());
  });
}

void JudgeRefusedAccesses(const History& history, std::vector<Violation>& violations) {
  if (history.server_changed) return;
  for (const Access& access : history.accesses) {
    const ClientHold& hold = history.holds[access.hold];
    if (access.accepted || !hold.fencing_token.has_value()) continue;
    if (!IsRightful(history, hold, access.arrived)) continue;
    violations.push_back(
        Violated(Judged::kFencedWrites, access.arrived, hold.client,
                 "the guarded resource refused at {} what {} had sent at {} to {} it with the "
                 "fencing token {}, though it held the lock: it had seen a larger one",
                 access.arrived, ClientName(hold.client), access.sent,
                 access.writes ? "write" : "read", *hold.fencing_token));
    return;
  }
}

std::string_view WhyNoWriteIsFenced(const Demand& of, SynchronyClass synchrony) {
  if (of.traits.fencing) return {};
  if (synchrony == SynchronyClass::kArbitrary) {
    return "without fencing tokens nothing tells a stale write";
  }
  const bool dies = HasAny(of.scenario, {sim::FaultKind::kCrash});
  if (of.traits.lasts_as_connection && (dies || MayEndConnections(of.scenario))) {
    return "what a dead client has sent may arrive when its connection is over";
  }
  return {};
}

}  // namespace

void JudgeWrites(const History& history, bool by_token, std::vector<Violation>& violations) {
  if (history.accesses.empty()) return;
  if (by_token) JudgeRefusedAccesses(history, violations);
  const std::vector<std::size_t> places = PlacesOf(history);
  const auto is_later = [&](const Access& one, const Access* other) {
    return other == nullptr || places[one.hold] >= places[other->hold];
  };
  const Access* latest_of_all = nullptr;
  const Access* latest_of_writers = nullptr;
  for (const Access& access : history.accesses) {
    if (!access.accepted) continue;
    const ClientHold& hold = history.holds[access.hold];
    if (!hold.fencing_token && ForcedOutAt(history, hold) <= access.arrived) continue;
    const bool shared = hold.shared;
    const Access* latest = shared ? latest_of_writers : latest_of_all;
    if (is_later(access, latest)) {
      if (is_later(access, latest_of_all)) latest_of_all = &access;
      if (!shared) latest_of_writers = &access;
      continue;
    }
    const int client = hold.client;
    violations.push_back(
        Violated(Judged::kFencedWrites, access.arrived, client,
                 "the guarded resource accepted at {} what {} had sent at {} to {} it, after it "
                 "had accepted {} at {}, whose grant is a later one",
                 access.arrived, ClientName(client), access.sent, access.writes ? "write" : "read",
                 ClientName(history.holds[latest->hold].client), latest->arrived));
    return;
  }
}

constinit const Property kFencedWritesProperty = {
    .judged = Judged::kFencedWrites,
    .code = "LK004",
    .slug = "fenced-writes",
    .name = "fenced writes",
    .headline = "a stale holder's write was accepted",
    .definition =
        "Violated when the guarded resource accepts an access of one grant after it has accepted "
        "one of a later grant, or refuses for its token what the holder sends in time.",
    .scenario = "kleppmann.k3",
    .story =
        "C1 sends its write and the network keeps it for 90 seconds. Its lease ends, C2 acquires "
        "and writes; then C1's old write arrives and overwrites C2's.",
    .fixes = {"send the fencing token with every access; refuse any below the highest seen",
              "compare and write in one step at the resource, on reads that lead to writes too",
              "keep the highest token as safely as the data that it guards"},
    // Holders of several permits have no order.
    .need = [](const Demand& of) { return !ModelOf(of.traits.kind).permits; },
    .assumes = {.clocks = true, .writes = true, .why_not = WhyNoWriteIsFenced},
    .judge =
        [](const JudgedResource& of, Violations& found) {
          if (ModelOf(of.traits.kind).permits) return;
          JudgeWrites(of.history, of.guarded_by_token, found);
        },
    .exercised =
        [](const Evidence& of) {
          return std::ranges::any_of(of.history.accesses, [&](const Access& access) {
            return access.hold != of.history.accesses.front().hold;
          });
        },
    .from_outside = {.why_hidden =
                         [](const OutsideSetting&) {
                           return std::string_view("nothing is guarded outside of Redis");
                         }},
};

}  // namespace interlock::scenarios
