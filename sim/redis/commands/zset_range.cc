// SPDX-License-Identifier: MIT
//
// Selecting members of a sorted set by rank, by score or by member.
#include <algorithm>

#include "sim/redis/commands/collections.h"
#include "sim/redis/commands/ranges.h"
#include "sim/redis/commands/sorted_sets.h"
#include "sim/redis/commands/zset_bounds.h"

namespace interlock::sim::redis {

namespace {

enum class By : std::uint8_t { kAny, kRank, kScore, kLex };
enum class Direction : std::uint8_t { kAny, kForward, kReverse };

struct RangeRequest {
  By by = By::kAny;
  Direction direction = Direction::kAny;
  bool stores = false;
  bool with_scores = false;
  std::int64_t offset = 0;
  bool offset_from_end = false;  // If it is negative.
  std::int64_t limit = -1;

  std::int64_t start = 0;
  std::int64_t stop = 0;
  ScoreBounds scores;
  LexBounds members;

  bool reverse() const { return direction == Direction::kReverse; }
};

bool ParseLimit(Context& c, std::size_t at, RangeRequest* request) {
  request->offset_from_end = c.dialect().since_72;
  return c.ParseInt(c.args[at + 1], &request->offset) &&
         c.ParseInt(c.args[at + 2], &request->limit);
}

bool ParseOptions(Context& c, std::size_t first, RangeRequest* r) {
  for (std::size_t i = first; i < c.args.size(); ++i) {
    const std::string_view word = c.args[i];
    if (!r->stores && EqualsIgnoreCase(word, "withscores")) {
      r->with_scores = true;
    } else if (i + 2 < c.args.size() && EqualsIgnoreCase(word, "limit")) {
      if (!ParseLimit(c, i, r)) return false;
      i += 2;
    } else if (r->direction == Direction::kAny && EqualsIgnoreCase(word, "rev")) {
      r->direction = Direction::kReverse;
    } else if (r->by == By::kAny && EqualsIgnoreCase(word, "bylex")) {
      r->by = By::kLex;
    } else if (r->by == By::kAny && EqualsIgnoreCase(word, "byscore")) {
      r->by = By::kScore;
    } else {
      c.Error(kSyntax);
      return false;
    }
  }
  if (r->by == By::kAny) r->by = By::kRank;
  if (r->limit != -1 && r->by == By::kRank) {
    c.Error(
        "ERR syntax error, LIMIT is only supported in combination with either BYSCORE or BYLEX");
    return false;
  }
  if (r->with_scores && r->by == By::kLex) {
    c.Error("ERR syntax error, WITHSCORES not supported in combination with BYLEX");
    return false;
  }
  return true;
}

// Parses the range and the options after it. Reversed score and member ranges are max, min.
bool ParseRange(Context& c, std::size_t first, RangeRequest* r) {
  if (!ParseOptions(c, first + 2, r)) return false;
  const std::string_view start = c.args[first];
  const std::string_view stop = c.args[first + 1];
  if (r->by == By::kRank) return c.ParseInt(start, &r->start) && c.ParseInt(stop, &r->stop);
  const std::string_view min = r->reverse() ? stop : start;
  const std::string_view max = r->reverse() ? start : stop;
  if (r->by == By::kScore) return ParseScoreBounds(c, min, max, &r->scores);
  return ParseLexBounds(c, min, max, &r->members);
}

bool IsUnmodelled(Context& c, const SortedSet& zset, const RangeRequest& r) {
  const bool unknown = r.by == By::kLex && IsLeftToChance(zset, r.members);
  if (unknown) c.Unmodelled("a range by members of a large sorted set whose scores differ");
  return unknown;
}

IndexRange SelectRange(const SortedSet& zset, const RangeRequest& r) {
  if (r.by == By::kScore) return Select(zset, r.scores);
  if (r.by == By::kLex) return Select(zset, r.members, r.reverse());
  const IndexRange range = ClampRange(r.start, r.stop, zset.size());
  if (!r.reverse() || range.first == range.last) return range;
  return {zset.size() - range.last, zset.size() - range.first};
}

// How many of the selected ones LIMIT leaves out at the beginning. A negative offset skips
// everything; newer servers count it from the end, except in a compact set.
std::size_t Skipped(const SortedSet& zset, const RangeRequest& r, std::size_t count) {
  if (r.offset >= 0) return std::min(count, static_cast<std::size_t>(r.offset));
  const std::size_t from_end = 0 - static_cast<std::size_t>(r.offset);
  return !r.offset_from_end || zset.compact() || from_end > count ? count : count - from_end;
}

// In the requested order and number.
template <typename Visit>
void ForEachSelected(const SortedSet& zset, const RangeRequest& r, Visit visit) {
  const IndexRange range = SelectRange(zset, r);
  std::size_t count = range.last - range.first;
  std::size_t skip = 0;
  if (r.by != By::kRank) {
    skip = Skipped(zset, r, count);
    count -= skip;
    if (r.limit >= 0) count = std::min(count, static_cast<std::size_t>(r.limit));
  }
  if (count == 0) return;
  auto at = zset.items().At(r.reverse() ? range.last - 1 - skip : range.first + skip);
  for (visit(*at); --count > 0; visit(*at)) {
    if (r.reverse()) {
      --at;
    } else {
      ++at;
    }
  }
}

void Range(Context& c, By by, Direction direction) {
  RangeRequest request;
  request.by = by;
  request.direction = direction;
  if (!ParseRange(c, 2, &request)) return;
  SortedSet* zset = nullptr;
  if (!c.Get(c.args[1], &zset)) return;
  c.EmptyArray();
  if (zset == nullptr || IsUnmodelled(c, *zset, request)) return;
  ForEachSelected(*zset, request,
                  [&](const SortedSet::Item& item) { AppendMember(c, item, request.with_scores); });
}

void ZRangeStore(Context& c) {
  RangeRequest request;
  request.stores = true;
  if (!ParseRange(c, 3, &request)) return;
  SortedSet* zset = nullptr;
  if (!c.GetToRead(c.args[2], &zset)) return;
  if (zset != nullptr && IsUnmodelled(c, *zset, request)) return;
  SortedSet result;
  if (zset != nullptr) {
    ForEachSelected(*zset, request, [&](const SortedSet::Item& item) {
      result.Put(item.member, item.score, c.engine.encoding_limits);
    });
  }
  StoreResult(c, c.args[1], std::move(result), kNotifySortedSet, "zrangestore");
}

// Replies the number of members selected. Null: there is no set, or an error is the reply.
SortedSet* CountSelected(Context& c, By by, IndexRange* range) {
  RangeRequest request;
  request.by = by;
  if (!ParseRange(c, 2, &request)) return nullptr;
  SortedSet* zset = nullptr;
  if (!c.Get(c.args[1], &zset)) return nullptr;
  c.Integer(std::int64_t{0});
  if (zset == nullptr || IsUnmodelled(c, *zset, request)) return nullptr;
  *range = SelectRange(*zset, request);
  c.Integer(range->last - range->first);
  return zset;
}

void RemoveRange(Context& c, By by, std::string_view event) {
  IndexRange range = {};
  SortedSet* zset = CountSelected(c, by, &range);
  if (zset == nullptr || range.last == range.first) return;
  zset->RemoveRange(range.first, range.last);
  c.Touch(c.args[1], static_cast<std::size_t>(range.last - range.first));
  c.Notify(kNotifySortedSet, event, c.args[1]);
  RemoveIfEmpty(c, c.args[1], *zset);
}

void CountRange(Context& c, By by) {
  IndexRange range = {};
  (void)CountSelected(c, by, &range);
}

constexpr HandlerRow kSortedSetRangeCommands[] = {
    {"zrange", [](Context& c) { Range(c, By::kAny, Direction::kAny); }},
    {"zrevrange", [](Context& c) { Range(c, By::kRank, Direction::kReverse); }},
    {"zrangebyscore", [](Context& c) { Range(c, By::kScore, Direction::kForward); }},
    {"zrevrangebyscore", [](Context& c) { Range(c, By::kScore, Direction::kReverse); }},
    {"zrangebylex", [](Context& c) { Range(c, By::kLex, Direction::kForward); }},
    {"zrevrangebylex", [](Context& c) { Range(c, By::kLex, Direction::kReverse); }},
    {"zrangestore", &ZRangeStore},
    {"zremrangebyrank", [](Context& c) { RemoveRange(c, By::kRank, "zremrangebyrank"); }},
    {"zremrangebyscore", [](Context& c) { RemoveRange(c, By::kScore, "zremrangebyscore"); }},
    {"zremrangebylex", [](Context& c) { RemoveRange(c, By::kLex, "zremrangebylex"); }},
    {"zcount", [](Context& c) { CountRange(c, By::kScore); }},
    {"zlexcount", [](Context& c) { CountRange(c, By::kLex); }},
};

}  // namespace

std::span<const HandlerRow> SortedSetRangeCommands() { return kSortedSetRangeCommands; }

}  // namespace interlock::sim::redis
