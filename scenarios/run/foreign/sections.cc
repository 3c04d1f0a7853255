// SPDX-License-Identifier: MIT
#include "scenarios/run/foreign/sections.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "scenarios/log/words.h"

namespace interlock::scenarios::drive {

Sections::Section& Sections::Named(const std::string& section) {
  const auto number = static_cast<int>(sections_.size());
  return sections_.try_emplace(section, Section{number, {}, {}}).first->second;
}

int Sections::Enter(int client, const std::string& section, const std::vector<bool>& excused) {
  Section& entered = Named(section);
  std::set<int>& inside = entered.inside;
  const bool twice = !inside.insert(client).second;
  if (twice && entered_twice_.empty()) {
    entered_twice_ = fmt::format("{} entered {} twice", ClientName(client), section);
  }
  ++entries_;
  entered.entrants.insert(client);
  if (static_cast<int>(inside.size()) <= permits_) return entered.number;
  const auto is_excused = [&excused](int one) { return excused[static_cast<std::size_t>(one)]; };
  if (std::ranges::any_of(inside, is_excused)) return entered.number;
  std::vector<std::string> names;
  for (const int one : inside) {
    if (one != client) names.push_back(ClientName(one));
  }
  findings_.push_back({permits_ > 1 ? "permits-section" : "section-exclusion",
                       fmt::format("{} entered {} while {} {} inside", ClientName(client), section,
                                   fmt::join(names, " and "), names.size() > 1 ? "were" : "was")});
  return entered.number;
}

int Sections::Leave(int client, const std::string& section) {
  Section& left = Named(section);
  left.inside.erase(client);
  return left.number;
}

void Sections::Ended(int client) {
  for (auto& [name, section] : sections_) section.inside.erase(client);
}

bool Sections::Inside(int client) const {
  return std::ranges::any_of(
      sections_, [client](const auto& one) { return one.second.inside.contains(client); });
}

std::size_t Sections::most_entrants() const {
  std::size_t most = 0;
  for (const auto& [name, section] : sections_) most = std::max(most, section.entrants.size());
  return most;
}

}  // namespace interlock::scenarios::drive
