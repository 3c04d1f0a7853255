// SPDX-License-Identifier: MIT
#include "sim/unknown_name.h"

#include <algorithm>

namespace interlock::sim {
namespace {

/// Levenshtein's distance.
std::size_t Distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t above = row[j];
      const std::size_t changed = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({above + 1, row[j - 1] + 1, changed});
      diagonal = above;
    }
  }
  return row[b.size()];
}

}  // namespace

std::string UnknownName(std::string_view kind, std::string_view given,
                        const std::vector<std::string_view>& known) {
  // A whole part of a name suggests it as well as a misspelling does: "broken/" and what follows.
  constexpr std::size_t kTelling = 3;
  const auto off = [given](std::string_view name) {
    const bool may_be_part = given.size() >= kTelling && name.size() > given.size();
    const auto separates = [name](std::size_t at) { return name[at] == '/' || name[at] == '-'; };
    const bool is_part =
        may_be_part && ((name.ends_with(given) && separates(name.size() - given.size() - 1)) ||
                        (name.starts_with(given) && separates(given.size())));
    return is_part ? 0 : Distance(given, name);
  };
  std::string text("unknown ");
  text.append(kind).append(" \"").append(given).append("\"");
  const auto nearest =
      std::min_element(known.begin(), known.end(), [&](auto a, auto b) { return off(a) < off(b); });
  if (nearest == known.end() || off(*nearest) > 1 + given.size() / 3) {
    return text;
  }
  return text.append("; did you mean \"").append(*nearest).append("\"?");
}

}  // namespace interlock::sim
