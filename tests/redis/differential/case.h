// SPDX-License-Identifier: MIT
//
// A sequence of commands by several connections: what the comparison generates, runs, shrinks and
// prints. Its text is one line per step, the connection and then the words as redis-cli takes
// them; a word @2 stands for the client id of connection 2:
//
//   0> SET k "two words"
//   1> (reconnect)
//   0> CLIENT UNBLOCK @1
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "sim/redis/server.h"

namespace interlock::testing {

/// The most connections that a sequence may use.
inline constexpr std::size_t kConnections = 5;

struct Step {
  std::size_t connection = 0;
  sim::redis::Argv argv;  ///< empty: the connection is closed, and opened again
};

struct Case {
  std::vector<Step> steps;
};

/// One more than the highest connection in use; at least 1.
std::size_t ConnectionsOf(const Case& sequence);

std::string ToText(const Step& step);
std::string ToText(const Case& sequence);

/// The words of one line.
sim::redis::Argv ParseWords(std::string_view line);
/// The inverse of ToText. REQUIRES: well-formed text; blank lines and leading spaces are skipped.
Case ParseCase(std::string_view text);

}  // namespace interlock::testing
