// SPDX-License-Identifier: MIT
#include "sim/redis/commands/zset_bounds.h"

#include "sim/redis/text.h"

namespace interlock::sim::redis {

namespace {

bool ParseLexBound(std::string_view text, LexBound* bound) {
  if (text.empty()) return false;
  const bool alone = UntilNul(text).size() == 1;
  switch (text[0]) {
    case '-':
      bound->kind = LexBound::Kind::kLowest;
      return alone;
    case '+':
      bound->kind = LexBound::Kind::kHighest;
      return alone;
    case '(':
    case '[':
      bound->member = text.substr(1);
      bound->exclusive = text[0] == '(';
      return true;
    default:
      return false;
  }
}

bool NotBelow(std::string_view member, const LexBound& min) {
  if (min.kind != LexBound::Kind::kMember) return min.kind == LexBound::Kind::kLowest;
  return min.exclusive ? member > min.member : member >= min.member;
}

bool NotAbove(std::string_view member, const LexBound& max) {
  if (max.kind != LexBound::Kind::kMember) return max.kind == LexBound::Kind::kHighest;
  return max.exclusive ? member < max.member : member <= max.member;
}

bool IsEmpty(const LexBounds& bounds) {
  const auto& [min, max] = bounds;
  if (min.kind != LexBound::Kind::kMember || max.kind != LexBound::Kind::kMember) {
    return min.kind > max.kind;
  }
  return min.member > max.member || (min.member == max.member && (min.exclusive || max.exclusive));
}

/// As Redis decides at the ends, before it searches.
bool SelectsNothing(const ScoreOrder& items, const LexBounds& bounds) {
  return IsEmpty(bounds) || !NotBelow(items.At(items.size() - 1)->member, bounds.min) ||
         !NotAbove(items.begin()->member, bounds.max);
}

}  // namespace

bool ParseScoreBounds(Context& c, std::string_view min, std::string_view max, ScoreBounds* bounds) {
  const auto parse = [&](std::string_view text, double* out, bool* exclusive) {
    if (!ParseScoreBound(text, out, exclusive)) return false;
    if (!c.dialect().plain_score_bounds) return true;
    const std::string_view number = text.substr(*exclusive ? 1 : 0);
    return !IsHexadecimal(number) && (number.empty() || !IsBlank(number[0]));
  };
  if (parse(min, &bounds->min, &bounds->min_exclusive) &&
      parse(max, &bounds->max, &bounds->max_exclusive)) {
    return true;
  }
  c.Error("ERR min or max is not a float");
  return false;
}

bool ParseLexBounds(Context& c, std::string_view min, std::string_view max, LexBounds* bounds) {
  if (ParseLexBound(min, &bounds->min) && ParseLexBound(max, &bounds->max)) return true;
  c.Error("ERR min or max not valid string range item");
  return false;
}

IndexRange Select(const SortedSet& zset, const ScoreBounds& bounds) {
  const std::size_t first = zset.items().CountWhile([&](const SortedSet::Item& item) {
    return bounds.min_exclusive ? item.score <= bounds.min : item.score < bounds.min;
  });
  const std::size_t last = zset.items().CountWhile([&](const SortedSet::Item& item) {
    return bounds.max_exclusive ? item.score < bounds.max : item.score <= bounds.max;
  });
  if (first >= last) return {};
  return {first, last};
}

bool IsLeftToChance(const SortedSet& zset, const LexBounds& bounds) {
  const ScoreOrder& items = zset.items();
  if (zset.compact() || SelectsNothing(items, bounds)) return false;
  if (items.begin()->score == items.At(zset.size() - 1)->score) return false;
  bool in = false;
  bool behind = false;
  for (const SortedSet::Item& item : items) {
    const bool not_below = NotBelow(item.member, bounds.min);
    const bool above = !NotAbove(item.member, bounds.max);
    if ((in && !not_below) || (behind && !above)) return true;
    in = not_below;
    behind = above;
  }
  return false;
}

IndexRange Select(const SortedSet& zset, const LexBounds& bounds, bool reverse) {
  const ScoreOrder& items = zset.items();
  if (SelectsNothing(items, bounds)) return {};
  if (!reverse) {
    const std::size_t first = items.CountWhile(
        [&](const SortedSet::Item& item) { return !NotBelow(item.member, bounds.min); });
    std::size_t last = first;
    for (auto at = items.At(first); at != items.end() && NotAbove(at->member, bounds.max); ++at) {
      ++last;
    }
    return {first, last};
  }
  std::size_t last = zset.size();
  auto at = items.end();
  while (last > 0 && !NotAbove((--at)->member, bounds.max)) --last;
  std::size_t first = last;
  for (; first > 0 && NotBelow(at->member, bounds.min); --first) {
    if (first > 1) --at;
  }
  return {first, last};
}

}  // namespace interlock::sim::redis
