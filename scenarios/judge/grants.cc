// SPDX-License-Identifier: MIT
#include "scenarios/judge/grants.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tuple>
#include <utility>

namespace interlock::scenarios {

std::vector<Grant> GrantsInOrder(const History& history) {
  // Client, token, granted, position in the server's order: several grants may share an instant.
  using Entry = std::tuple<int, std::string_view, VirtualTime, std::size_t>;
  constexpr std::size_t kNowhere = ~std::size_t{0};
  std::vector<Entry> entries;
  entries.reserve(history.server_holds.size());
  std::size_t made = 0;
  for (const ServerHold& entry : history.server_holds) {
    if (!entry.beside) ++made;
    if (!entry.copied) entries.emplace_back(entry.client, entry.token, entry.granted, made);
  }
  std::ranges::sort(entries);
  std::vector<std::pair<Grant, std::size_t>> placed;
  placed.reserve(history.holds.size());
  for (const ClientHold& hold : history.holds) {
    const VirtualTime learned = hold.told_at();
    // Its latest entry that existed when it learned of the grant.
    const auto after = std::upper_bound(entries.begin(), entries.end(),
                                        Entry(hold.client, hold.token, learned, kNowhere));
    VirtualTime granted = learned;
    std::size_t place = kNowhere;
    if (after != entries.begin()) {
      const auto& [client, token, when, order] = *(after - 1);
      if (client == hold.client && token == hold.token && when >= hold.asked) {
        granted = when;
        place = order;
      }
    }
    placed.push_back({{granted, &hold}, place});
  }
  const auto key = [](const std::pair<Grant, std::size_t>& one) {
    const auto& [grant, place] = one;
    // Grants made by one command have no order of their own; that of the tokens is as good as any.
    const std::uint64_t token = place == kNowhere ? 0 : grant.hold->fencing_token.value_or(0);
    return std::tuple(grant.granted, place, token, grant.hold->told_at(), grant.hold->client);
  };
  std::ranges::sort(placed, [&](const auto& a, const auto& b) { return key(a) < key(b); });
  std::vector<Grant> grants;
  grants.reserve(placed.size());
  for (const auto& [grant, place] : placed) grants.push_back(grant);
  return grants;
}

}  // namespace interlock::scenarios
