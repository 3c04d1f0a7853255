// SPDX-License-Identifier: MIT
#include "scenarios/run/foreign/sections.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "scenarios/log/words.h"

namespace interlock::scenarios::drive {

void Sections::Enter(int client, const std::string& section, const std::vector<bool>& excused) {
  std::set<int>& inside = inside_[section];
  inside.insert(client);
  ++entries_;
  entrants_[section].insert(client);
  if (static_cast<int>(inside.size()) <= permits_) return;
  const auto is_excused = [&excused](int one) { return excused[static_cast<std::size_t>(one)]; };
  if (std::any_of(inside.begin(), inside.end(), is_excused)) return;
  std::vector<std::string> names;
  for (const int one : inside) {
    if (one != client) names.push_back(ClientName(one));
  }
  findings_.push_back({permits_ > 1 ? "permits-section" : "section-exclusion",
                       fmt::format("{} entered {} while {} {} inside", ClientName(client), section,
                                   fmt::join(names, " and "), names.size() > 1 ? "were" : "was")});
}

void Sections::Ended(int client) {
  for (auto& [section, inside] : inside_) inside.erase(client);
}

bool Sections::Inside(int client) const {
  return std::any_of(inside_.begin(), inside_.end(),
                     [client](const auto& one) { return one.second.contains(client); });
}

std::size_t Sections::most_entrants() const {
  std::size_t most = 0;
  for (const auto& [section, entrants] : entrants_) most = std::max(most, entrants.size());
  return most;
}

}  // namespace interlock::scenarios::drive
