// SPDX-License-Identifier: MIT
//
// Ranges of sorted sets by score and by member, as ZRANGE BYSCORE and BYLEX read them.
#pragma once

#include <cstdint>
#include <string_view>

#include "sim/redis/commands/ranges.h"
#include "sim/redis/context.h"
#include "sim/redis/sorted_set.h"

namespace interlock::sim::redis {

struct ScoreBounds {
  double min = 0;
  double max = 0;
  bool min_exclusive = false;
  bool max_exclusive = false;
};

/// One end of a range of members: "-", "+", "[text" or "(text".
struct LexBound {
  enum class Kind : std::uint8_t { kLowest, kMember, kHighest };
  Kind kind = Kind::kMember;
  std::string_view member;
  bool exclusive = false;
};

struct LexBounds {
  LexBound min;
  LexBound max;
};

/// On failure these reply an error and return false.
bool ParseScoreBounds(Context& c, std::string_view min, std::string_view max, ScoreBounds* bounds);
bool ParseLexBounds(Context& c, std::string_view min, std::string_view max, LexBounds* bounds);

IndexRange Select(const SortedSet& zset, const ScoreBounds& bounds);
/// Whether what Redis selects depends on the random levels of a skiplist: members that are not in
/// order, because their scores differ.
bool IsLeftToChance(const SortedSet& zset, const LexBounds& bounds);
/// Searches from the front, or from the back if `reverse`: the results differ if not all scores are
/// equal, which Redis leaves undefined.
IndexRange Select(const SortedSet& zset, const LexBounds& bounds, bool reverse);

}  // namespace interlock::sim::redis
