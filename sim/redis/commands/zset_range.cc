// SPDX-License-Identifier: MIT
//
// The commands that select members of a sorted set by rank or by score.
#include <algorithm>

#include "sim/redis/commands/ranges.h"
#include "sim/redis/engine.h"
#include "sim/redis/text.h"

namespace interlock::sim::redis {

namespace {

enum class By : std::uint8_t { kAny, kRank, kScore };
enum class Direction : std::uint8_t { kAny, kForward, kReverse };

struct RangeOptions {
  By by = By::kAny;
  Direction direction = Direction::kAny;
  bool with_scores = false;
  std::int64_t offset = 0;
  std::int64_t limit = -1;
};

struct ScoreBounds {
  double min = 0;
  double max = 0;
  bool min_exclusive = false;
  bool max_exclusive = false;
};

bool ParseBounds(Context& c, std::string_view min, std::string_view max, ScoreBounds* bounds) {
  if (ParseScoreBound(min, &bounds->min, &bounds->min_exclusive) &&
      ParseScoreBound(max, &bounds->max, &bounds->max_exclusive)) {
    return true;
  }
  c.Error("ERR min or max is not a float");
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

bool ParseRangeOptions(Context& c, RangeOptions* o) {
  for (std::size_t i = 4; i < c.args.size(); ++i) {
    const std::string_view word = c.args[i];
    if (EqualsIgnoreCase(word, "withscores")) {
      o->with_scores = true;
    } else if (EqualsIgnoreCase(word, "limit") && i + 2 < c.args.size()) {
      if (!c.ParseInt(c.args[i + 1], &o->offset) || !c.ParseInt(c.args[i + 2], &o->limit)) {
        return false;
      }
      i += 2;
    } else if (o->direction == Direction::kAny && EqualsIgnoreCase(word, "rev")) {
      o->direction = Direction::kReverse;
    } else if (o->by == By::kAny && EqualsIgnoreCase(word, "bylex")) {
      c.Unmodelled("ZRANGE BYLEX");
      return false;
    } else if (o->by == By::kAny && EqualsIgnoreCase(word, "byscore")) {
      o->by = By::kScore;
    } else {
      c.Error(kSyntax);
      return false;
    }
  }
  if (o->by == By::kAny) o->by = By::kRank;
  if (o->limit != -1 && o->by == By::kRank) {
    c.Error(
        "ERR syntax error, LIMIT is only supported in combination with either BYSCORE or BYLEX");
    return false;
  }
  return true;
}

void Reply(Context& c, const SortedSet& zset, IndexRange range, const RangeOptions& o) {
  const bool reverse = o.direction == Direction::kReverse;
  std::size_t skip = 0;
  std::size_t count = range.last - range.first;
  if (o.by == By::kScore) {
    // A negative offset never ends its skipping.
    skip = o.offset < 0 ? count : std::min(count, static_cast<std::size_t>(o.offset));
    count -= skip;
    if (o.limit >= 0) count = std::min(count, static_cast<std::size_t>(o.limit));
  }
  std::vector<Value>& found = c.Array();
  for (std::size_t i = skip; i < skip + count; ++i) {
    const SortedSet::Item& item = *zset.items().At(reverse ? range.last - 1 - i : range.first + i);
    found.push_back(StringValue(item.member));
    if (o.with_scores) found.push_back(StringValue(FormatDouble(item.score)));
  }
}

void Range(Context& c, By by, Direction direction) {
  RangeOptions options;
  options.by = by;
  options.direction = direction;
  if (!ParseRangeOptions(c, &options)) return;
  const bool reverse = options.direction == Direction::kReverse;
  ScoreBounds bounds;
  std::int64_t start = 0;
  std::int64_t stop = 0;
  if (options.by == By::kScore) {
    // A reversed range of scores is given as max, min.
    if (!ParseBounds(c, c.args[reverse ? 3 : 2], c.args[reverse ? 2 : 3], &bounds)) return;
  } else if (!c.ParseInt(c.args[2], &start) || !c.ParseInt(c.args[3], &stop)) {
    return;
  }
  SortedSet* zset = nullptr;
  if (!c.Get(c.args[1], &zset)) return;
  if (zset == nullptr) return c.EmptyArray();
  IndexRange range;
  if (options.by == By::kScore) {
    range = Select(*zset, bounds);
  } else {
    range = ClampRange(start, stop, zset->size());
    if (reverse && range.last > range.first) {
      range = {zset->size() - range.last, zset->size() - range.first};
    }
  }
  Reply(c, *zset, range, options);
}

void RemoveSelected(Context& c, SortedSet& zset, IndexRange range) {
  c.Integer(range.last - range.first);
  if (range.last == range.first) return;
  zset.RemoveRange(range.first, range.last);
  if (zset.size() == 0) c.Remove(c.args[1]);
  c.Touch(c.args[1]);
}

void ZRemRangeByScore(Context& c) {
  ScoreBounds bounds;
  if (!ParseBounds(c, c.args[2], c.args[3], &bounds)) return;
  SortedSet* zset = nullptr;
  if (!c.Get(c.args[1], &zset)) return;
  if (zset == nullptr) return c.Integer(std::int64_t{0});
  RemoveSelected(c, *zset, Select(*zset, bounds));
}

void ZRemRangeByRank(Context& c) {
  std::int64_t start = 0;
  std::int64_t stop = 0;
  if (!c.ParseInt(c.args[2], &start) || !c.ParseInt(c.args[3], &stop)) return;
  SortedSet* zset = nullptr;
  if (!c.Get(c.args[1], &zset)) return;
  if (zset == nullptr) return c.Integer(std::int64_t{0});
  RemoveSelected(c, *zset, ClampRange(start, stop, zset->size()));
}

void ZCount(Context& c) {
  ScoreBounds bounds;
  if (!ParseBounds(c, c.args[2], c.args[3], &bounds)) return;
  SortedSet* zset = nullptr;
  if (!c.Get(c.args[1], &zset)) return;
  if (zset == nullptr) return c.Integer(std::int64_t{0});
  const IndexRange range = Select(*zset, bounds);
  c.Integer(range.last - range.first);
}

constexpr HandlerRow kRows[] = {
    {"zrange", [](Context& c) { Range(c, By::kAny, Direction::kAny); }},
    {"zrevrange", [](Context& c) { Range(c, By::kRank, Direction::kReverse); }},
    {"zrangebyscore", [](Context& c) { Range(c, By::kScore, Direction::kForward); }},
    {"zrevrangebyscore", [](Context& c) { Range(c, By::kScore, Direction::kReverse); }},
    {"zremrangebyscore", &ZRemRangeByScore},
    {"zremrangebyrank", &ZRemRangeByRank},
    {"zcount", &ZCount},
};

}  // namespace

std::span<const HandlerRow> SortedSetRangeCommands() { return kRows; }

}  // namespace interlock::sim::redis
