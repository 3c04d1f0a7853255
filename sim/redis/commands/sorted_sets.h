// SPDX-License-Identifier: MIT
//
// How sorted sets appear in replies.
#pragma once

#include <string_view>

#include "sim/redis/context.h"
#include "sim/redis/sorted_set.h"
#include "sim/redis/text.h"

namespace interlock::sim::redis {

inline Value ScoreValue(double score) { return DoubleValue(FormatDouble(score)); }

/// Appends it to the reply's array: member, then score in RESP2; as a separate pair in RESP3.
inline void AppendMember(Context& c, const SortedSet::Item& item, bool with_score) {
  std::vector<Value>& all = c.Array();
  if (with_score && c.resp3()) {
    all.push_back(ArrayValue({StringValue(item.member), ScoreValue(item.score)}));
    return;
  }
  all.push_back(StringValue(item.member));
  if (with_score) all.push_back(ScoreValue(item.score));
}

}  // namespace interlock::sim::redis
