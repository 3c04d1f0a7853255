// SPDX-License-Identifier: MIT
//
// Command lines for a table, with scripts, hashes and tokens shortened for people. Scripts are
// named S1, S2, ... in order of appearance, whether sent or called by hash; their texts are printed
// once below the table.
//
// Thread safety: that of a std container.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "sim/trace.h"

namespace interlock::scenarios {

class ScriptNames {
 public:
  /// Names the scripts whose texts appear in the events, in order.
  explicit ScriptNames(const std::vector<sim::TraceEvent>& events);

  /// A command or reply line, as printed by sim::redis::ToText, shortened.
  std::string Shorten(std::string_view line) const;

  const std::vector<std::string>& texts() const { return texts_; }

 private:
  std::vector<std::string> texts_;
  std::map<std::string, std::string, std::less<>> by_hash_;  ///< lower-case SHA-1 to "S1"
};

}  // namespace interlock::scenarios
