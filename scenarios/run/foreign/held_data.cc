// SPDX-License-Identifier: MIT
#include "scenarios/run/foreign/held_data.h"

#include <utility>

#include <fmt/format.h>

namespace interlock::scenarios::drive {
namespace {

constexpr int kDatabases = 16;  // of a server without a configuration file

}  // namespace

HeldMap HeldDataOf(int node, const sim::redis::Server& server) {
  using Kind = HeldData::Kind;
  HeldMap data;
  for (int database = 0; database < kDatabases; ++database) {
    for (const auto& [key, end_ms] : server.PeekKeys(database)) {
      const auto add = [&, &one_key = key, &one_end_ms = end_ms](Kind kind, std::string part,
                                                                 std::string value) {
        data.emplace(HeldId{node, database, one_key, std::move(part)},
                     HeldData{kind, std::move(value), one_end_ms});
      };
      if (auto text = server.PeekString(database, key)) {
        add(Kind::kString, "", *std::move(text));
        continue;
      }
      const auto fields = server.PeekHash(database, key);
      const auto members = server.PeekSortedSet(database, key);
      for (const auto& [field, value] : fields) add(Kind::kField, field, value);
      for (const auto& [member, score] : members) {
        add(Kind::kMember, member, fmt::format("{:.17g}", score));
      }
      if (fields.empty() && members.empty()) add(Kind::kOther, "", "");
    }
  }
  return data;
}

}  // namespace interlock::scenarios::drive
