// SPDX-License-Identifier: MIT
//
// How scores are read, and how sorted sets appear in replies.
#pragma once

#include <string_view>

#include "sim/redis/context.h"
#include "sim/redis/engine.h"
#include "sim/redis/sorted_set.h"
#include "sim/redis/text.h"

namespace interlock::sim::redis {

inline bool ParseScore(const Context& c, std::string_view text, double* out) {
  return ParseDouble(text, out) && !(c.dialect().plain_scores && IsHexadecimal(text));
}
inline Value ScoreValue(const Engine& engine, double score) {
  return DoubleValue(FormatDouble(engine.dialect(), score));
}

/// Appends it to the reply's array: member, then score in RESP2; as a separate pair in RESP3.
inline void AppendMember(Context& c, const SortedSet::Item& item, bool with_score) {
  std::vector<Value>& all = c.Array();
  if (with_score && c.resp3()) {
    all.push_back(ArrayValue({StringValue(item.member), ScoreValue(c.engine, item.score)}));
    return;
  }
  all.push_back(StringValue(item.member));
  if (with_score) all.push_back(ScoreValue(c.engine, item.score));
}

}  // namespace interlock::sim::redis
