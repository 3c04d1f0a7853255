// SPDX-License-Identifier: MIT
//
// Command lines for a table: scripts, hashes and tokens are cut to what a person can use. A script
// is named S1, S2, ... by its first appearance, wherever it was sent or called by its hash, and its
// text stands once below the table.
//
// Thread safety: as any std container.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "sim/trace.h"

namespace interlock::scenarios {

class ScriptNames {
 public:
  /// Names the scripts whose texts appear in the events, in their order.
  explicit ScriptNames(const std::vector<sim::TraceEvent>& events);

  /// The line of a command or a reply, as sim::redis::ToText prints it, made short.
  std::string Shorten(std::string_view line) const;

  const std::vector<std::string>& texts() const { return texts_; }

 private:
  std::vector<std::string> texts_;
  std::map<std::string, std::string, std::less<>> by_hash_;  ///< lower-case SHA-1: "S1"
};

}  // namespace interlock::scenarios
