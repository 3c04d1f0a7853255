// SPDX-License-Identifier: MIT
#include "scenarios/oracles/grants.h"

#include <algorithm>
#include <string_view>
#include <tuple>

namespace interlock::scenarios {

std::vector<Grant> GrantsInOrder(const History& history) {
  using Entry = std::tuple<int, std::string_view, VirtualTime>;  // client, token, granted
  std::vector<Entry> entries;
  entries.reserve(history.server_holds.size());
  for (const ServerHold& entry : history.server_holds) {
    entries.emplace_back(entry.client, entry.token, entry.granted);
  }
  std::sort(entries.begin(), entries.end());
  std::vector<Grant> grants;
  grants.reserve(history.holds.size());
  for (const ClientHold& hold : history.holds) {
    const VirtualTime learned = hold.belief.front().from;
    // Its latest entry that was there when it learned of the grant.
    const auto after =
        std::upper_bound(entries.begin(), entries.end(), Entry(hold.client, hold.token, learned));
    VirtualTime granted = learned;
    if (after != entries.begin()) {
      const auto& [client, token, when] = *(after - 1);
      if (client == hold.client && token == hold.token && when >= hold.asked) granted = when;
    }
    grants.push_back({granted, &hold});
  }
  std::sort(grants.begin(), grants.end(), [](const Grant& a, const Grant& b) {
    return std::tuple(a.granted, a.hold->belief.front().from, a.hold->client) <
           std::tuple(b.granted, b.hold->belief.front().from, b.hold->client);
  });
  return grants;
}

}  // namespace interlock::scenarios
