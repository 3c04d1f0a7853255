// SPDX-License-Identifier: MIT
//
// When two replies agree: they are equal, but for what no two servers share (client ids, the clock,
// the order of a hash table).
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "sim/redis/server.h"

namespace interlock::testing {

/// What the replies to a command cannot be compared in.
struct Tolerance {
  bool order = false;    ///< elements in any order
  bool content = false;  ///< anything but the types
  void Add(const Tolerance& other);
};

/// For a command with all its words, so that a script or a queued command counts as well.
Tolerance ToleranceFor(const sim::redis::Argv& argv);

/// Whether a command makes a random choice: then only what it may choose can be compared. With
/// nothing to choose (all members, none, an invalid count) it makes none.
bool IsRandomChoice(const sim::redis::Argv& argv);

/// Whether both chose among the same: replies of one shape, all of their texts in `among`.
bool AgreeInChoice(const sim::redis::Value& real, const sim::redis::Value& fake,
                   const std::set<std::string>& among);

/// Whether it asks for the first of several pages, cut in a place of Redis' choice.
bool IsFirstPage(const sim::redis::Argv& argv);

/// Redis goes through the patterns that match one message, and through the channels that one
/// UNSUBSCRIBE ends, in any order.
void SortMessages(std::vector<sim::redis::Value>* values);

/// What the two servers do not share.
struct Surroundings {
  std::span<const std::int64_t> real_ids;  ///< client ids, those of one client at one place
  std::span<const std::int64_t> fake_ids;
  std::int64_t now_ms = 0;  ///< both were asked within seconds of it
};

bool Agree(sim::redis::Value real, sim::redis::Value fake, const Tolerance& tolerance,
           const Surroundings& surroundings);

}  // namespace interlock::testing
