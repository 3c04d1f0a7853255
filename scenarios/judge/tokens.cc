// SPDX-License-Identifier: MIT
#include "scenarios/judge/tokens.h"

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

#include "scenarios/judge/grants.h"
#include "scenarios/judge/judged_resource.h"
#include "scenarios/judge/outside.h"
#include "scenarios/judge/property.h"
#include "scenarios/judge/violated.h"
#include "scenarios/log/words.h"

namespace interlock::scenarios {
namespace {

std::optional<Violation> FirstThatDoesNotIncrease(const std::vector<Grant>& grants) {
  const ClientHold* highest = nullptr;
  for (const Grant& grant : grants) {
    const ClientHold& hold = *grant.hold;
    if (!hold.fencing_token.has_value()) continue;
    if (highest != nullptr && *hold.fencing_token <= *highest->fencing_token) {
      return Violated(
          Judged::kTokens, hold.told_at(), hold.client,
          "{} was granted at {} with fencing token {}, after {} had been granted with {}",
          ClientName(hold.client), grant.granted, *hold.fencing_token, ClientName(highest->client),
          *highest->fencing_token);
    }
    highest = &hold;
  }
  return std::nullopt;
}

/// Judges tokens shown to clients, and entries of failed attempts.
std::optional<Violation> FirstReused(const History& history) {
  using Use = std::tuple<std::string_view, VirtualTime, const ClientHold*>;  // null: an entry
  std::vector<Use> uses;
  uses.reserve(history.server_holds.size() + history.holds.size());
  for (const ServerHold& entry : history.server_holds) {
    if (!entry.token.empty()) uses.emplace_back(entry.token, entry.granted, nullptr);
  }
  for (const ClientHold& hold : history.holds) {
    if (!hold.token.empty()) uses.emplace_back(hold.token, hold.told_at(), &hold);
  }
  std::ranges::sort(uses, [](const Use& a, const Use& b) {
    return std::pair(std::get<0>(a), std::get<1>(a)) < std::pair(std::get<0>(b), std::get<1>(b));
  });
  std::optional<Violation> first;
  std::string_view token;
  VirtualTime first_use{};
  for (const auto& [name, at, hold] : uses) {
    if (name != token) {
      token = name;
      first_use = hold != nullptr ? hold->asked : at;
      continue;
    }
    // Anything that carried the token before this request belongs to another grant.
    if (hold == nullptr || first_use >= hold->asked) continue;
    KeepEarlier(
        Violated(Judged::kTokens, at, hold->client,
                 "{} asked at {} and was granted with an owner token that was in use at {} already",
                 ClientName(hold->client), hold->asked, first_use),
        first);
  }
  return first;
}

/// A request made after another was granted must get a later fencing token, and an owner token of
/// its own.
std::optional<Violation> JudgeTokensOf(const ClientHold& earlier, const ClientHold& later) {
  const VirtualTime granted = earlier.told_at();
  if (later.asked <= granted) return std::nullopt;
  const VirtualTime at = later.told_at();
  if (!later.token.empty() && later.token == earlier.token) {
    return Violated(
        Judged::kTokens, at, later.client,
        "{} asked at {} and was granted with the owner token that {} was granted with at {}",
        ClientName(later.client), later.asked, ClientName(earlier.client), granted);
  }
  const bool fenced = later.fencing_token.has_value() && earlier.fencing_token.has_value();
  if (!fenced || *later.fencing_token > *earlier.fencing_token) return std::nullopt;
  return Violated(Judged::kTokens, at, later.client,
                  "{} asked at {} and was granted with fencing token {}, after {} had been granted "
                  "with {} at {}",
                  ClientName(later.client), later.asked, *later.fencing_token,
                  ClientName(earlier.client), *earlier.fencing_token, granted);
}

void JudgeTokensFromOutside(const SeenFromOutside& of, OutsideVerdict& verdict) {
  std::optional<Violation> first;
  for (const ClientHold& hold : of.history.holds) {
    for (const ClientHold& later : of.history.holds) KeepEarlier(JudgeTokensOf(hold, later), first);
  }
  if (first.has_value()) verdict.violations.push_back(std::move(*first));
}

}  // namespace

void JudgeTokens(const History& history, std::vector<Violation>& violations) {
  if (history.holds.empty()) return;
  std::optional<Violation> first = FirstThatDoesNotIncrease(GrantsInOrder(history));
  KeepEarlier(FirstReused(history), first);
  if (first.has_value()) violations.push_back(std::move(*first));
}

constinit const Property kTokensProperty = {
    .judged = Judged::kTokens,
    .code = "LK007",
    .slug = "tokens",
    .name = "tokens",
    .headline = "fencing tokens did not increase",
    .definition =
        "Violated when the fencing tokens of a resource do not strictly increase in the order of "
        "the grants, when an owner token serves two grants, or when nesting returns another token.",
    .scenario = "kleppmann.k9",
    .story =
        "Tokens come from INCR on one node. The node loses its data, the counter begins again at "
        "1, and the resource takes the new holder for a stale one.",
    .fixes = {"draw the token in the same script that grants the lock",
              "never below the last one nor below the server's time, so that a lost counter does "
              "no harm",
              "random values are owner tokens; they have no order and cannot fence"},
    .assumes = {.writes = true},
    .judge = [](const JudgedResource& of, Violations& found) { JudgeTokens(of.history, found); },
    .exercised =
        [](const Evidence& of) {
          const auto with_token =
              std::ranges::count_if(of.history.holds, [](const ClientHold& hold) {
                return hold.fencing_token.has_value() || !hold.token.empty();
              });
          return with_token >= 2;
        },
    .from_outside = {.judge = JudgeTokensFromOutside},
};

}  // namespace interlock::scenarios
