// SPDX-License-Identifier: MIT
#include "scenarios/log/stretches.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace interlock::scenarios {
namespace {

using reports::Stretch;
using reports::StretchKind;

std::optional<std::int64_t> EndOf(VirtualTime from, VirtualTime to) {
  if (to == kOpen) return std::nullopt;
  return std::max(from, to).count();
}

std::string_view HowEnded(const ServerHold& hold) {
  switch (hold.end) {
    case ServerHoldEnd::kNone:
      break;
    case ServerHoldEnd::kReleased:
      return "released";
    case ServerHoldEnd::kExpired:
      return "expired";
    case ServerHoldEnd::kForeign:
      return "removed by another client";
    case ServerHoldEnd::kLost:
      return "lost by its server";
    case ServerHoldEnd::kForced:
      return "taken away by an operator";
  }
  return "";
}

void AddBeliefs(const ResourceHistory& of, std::vector<Stretch>& stretches) {
  for (const ClientHold& hold : of.history.holds) {
    for (const Interval& belief : hold.belief) {
      stretches.push_back({StretchKind::kBelief, static_cast<std::size_t>(hold.client), of.resource,
                           belief.from.count(), EndOf(belief.from, belief.to)});
    }
  }
}

void AddOwners(const ResourceHistory& of, std::vector<Stretch>& stretches) {
  const auto& holds = of.history.server_holds;
  const bool several =
      std::ranges::any_of(holds, [](const ServerHold& one) { return one.node != 0; });
  for (const ServerHold& hold : holds) {
    if (hold.client < 0) continue;
    stretches.push_back(
        {StretchKind::kOwner, static_cast<std::size_t>(hold.client),
         several ? fmt::format("{} on node {}", of.resource, hold.node) : of.resource,
         hold.granted.count(), EndOf(hold.granted, hold.ended), std::string(HowEnded(hold))});
  }
}

}  // namespace

std::vector<Stretch> StretchesOf(const RunResult& run, const std::vector<reports::TableRow>& rows) {
  std::vector<Stretch> stretches;
  if (rows.empty()) return stretches;
  for (const ResourceHistory& of : run.histories) {
    for (const auto add : {&AddBeliefs, &AddOwners}) {
      const auto first = static_cast<std::ptrdiff_t>(stretches.size());
      add(of, stretches);
      std::stable_sort(stretches.begin() + first, stretches.end(),
                       [](const Stretch& a, const Stretch& b) { return a.from_ns < b.from_ns; });
    }
  }
  const std::int64_t last = rows.back().time_ns;
  std::erase_if(stretches, [last](const Stretch& stretch) { return stretch.from_ns > last; });
  return stretches;
}

}  // namespace interlock::scenarios
