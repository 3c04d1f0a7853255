// SPDX-License-Identifier: MIT
//
// The commands on the members of a single sorted set.
#include <cmath>
#include <utility>

#include "sim/redis/commands/collections.h"
#include "sim/redis/commands/scan_options.h"
#include "sim/redis/commands/sorted_sets.h"
#include "sim/redis/text.h"

namespace interlock::sim::redis {

namespace {

struct AddOptions {
  bool nx = false;
  bool xx = false;
  bool ch = false;
  bool incr = false;
  bool gt = false;
  bool lt = false;
};

// Reads the options; returns the index of the first score, or 0 with an error as reply.
std::size_t ParseAddOptions(Context& c, AddOptions* o) {
  std::size_t at = 2;
  for (; at < c.args.size(); ++at) {
    if (EqualsIgnoreCase(c.args[at], "nx")) {
      o->nx = true;
    } else if (EqualsIgnoreCase(c.args[at], "xx")) {
      o->xx = true;
    } else if (EqualsIgnoreCase(c.args[at], "ch")) {
      o->ch = true;
    } else if (EqualsIgnoreCase(c.args[at], "incr")) {
      o->incr = true;
    } else if (EqualsIgnoreCase(c.args[at], "gt")) {
      o->gt = true;
    } else if (EqualsIgnoreCase(c.args[at], "lt")) {
      o->lt = true;
    } else {
      break;
    }
  }
  const std::size_t left = c.args.size() - at;
  std::string_view error;
  if (left == 0 || left % 2 != 0) {
    error = kSyntax;
  } else if (o->nx && o->xx) {
    error = "ERR XX and NX options at the same time are not compatible";
  } else if ((o->gt && o->nx) || (o->lt && o->nx) || (o->gt && o->lt)) {
    error = "ERR GT, LT, and/or NX options at the same time are not compatible";
  } else if (o->incr && left > 2) {
    error = "ERR INCR option supports a single increment-element pair";
  }
  if (error.empty()) return at;
  c.Error(error);
  return 0;
}

enum class Outcome : std::uint8_t { kNothing, kSame, kAdded, kUpdated, kNaN };

// Adds one pair; *score becomes the resulting score.
Outcome AddOne(Context& c, SortedSet& zset, std::string_view member, const AddOptions& o,
               double* score) {
  const std::optional<double> current = zset.Score(member);
  if (!current) {
    if (o.xx) return Outcome::kNothing;
    zset.Put(member, *score, c.engine.encoding_limits);
    return Outcome::kAdded;
  }
  if (o.nx) return Outcome::kNothing;
  if (o.incr) *score += *current;
  if (std::isnan(*score)) return Outcome::kNaN;
  if ((o.lt && *score >= *current) || (o.gt && *score <= *current)) return Outcome::kNothing;
  if (*score == *current) return Outcome::kSame;
  zset.Put(member, *score, c.engine.encoding_limits);
  return Outcome::kUpdated;
}

void Add(Context& c, bool incr) {
  AddOptions options;
  options.incr = incr;
  const std::size_t first = ParseAddOptions(c, &options);
  if (first == 0) return;
  std::vector<double> scores((c.args.size() - first) / 2);
  for (std::size_t i = 0; i < scores.size(); ++i) {
    if (!ParseScore(c, c.args[first + 2 * i], &scores[i])) return c.Error(kNotFloat);
  }
  SortedSet* zset = nullptr;
  if (!c.Get(c.args[1], &zset)) return;
  if (zset == nullptr) {
    if (options.xx) return options.incr ? c.Nil() : c.Integer(std::int64_t{0});
    zset = &c.Create<SortedSet>(c.args[1]);
  }
  std::int64_t added = 0;
  std::int64_t updated = 0;
  Outcome outcome = Outcome::kNothing;
  for (std::size_t i = 0; i < scores.size() && outcome != Outcome::kNaN; ++i) {
    outcome = AddOne(c, *zset, c.args[first + 2 * i + 1], options, &scores[i]);
    added += outcome == Outcome::kAdded ? 1 : 0;
    updated += outcome == Outcome::kUpdated ? 1 : 0;
  }
  if (added + updated > 0) {
    c.Touch(c.args[1], static_cast<std::size_t>(added + updated));
    c.Notify(kNotifySortedSet, options.incr ? "zincr" : "zadd", c.args[1]);
  }
  if (outcome == Outcome::kNaN) return c.Error("ERR resulting score is not a number (NaN)");
  if (!options.incr) return c.Integer(options.ch ? added + updated : added);
  if (outcome != Outcome::kNothing) c.reply = ScoreValue(c.engine, scores.back());
}

void ZRem(Context& c) {
  SortedSet* zset = nullptr;
  if (!c.Get(c.args[1], &zset)) return;
  std::int64_t removed = 0;
  if (zset != nullptr) {
    for (const std::string_view member : c.args.subspan(2)) {
      removed += zset->Remove(member) ? 1 : 0;
    }
    if (removed > 0) {
      c.Touch(c.args[1], static_cast<std::size_t>(removed));
      c.Notify(kNotifySortedSet, "zrem", c.args[1]);
      RemoveIfEmpty(c, c.args[1], *zset);
    }
  }
  c.Integer(removed);
}

void ZCard(Context& c) {
  SortedSet* zset = nullptr;
  if (c.Get(c.args[1], &zset)) c.Integer(zset == nullptr ? std::size_t{0} : zset->size());
}

Value ScoreOf(const Engine& engine, const SortedSet* zset, std::string_view member) {
  const std::optional<double> score = zset == nullptr ? std::nullopt : zset->Score(member);
  return score ? ScoreValue(engine, *score) : NilValue();
}

void ZScore(Context& c) {
  SortedSet* zset = nullptr;
  if (c.Get(c.args[1], &zset)) c.reply = ScoreOf(c.engine, zset, c.args[2]);
}

void ZMScore(Context& c) {
  SortedSet* zset = nullptr;
  if (!c.Get(c.args[1], &zset)) return;
  for (const std::string_view member : c.args.subspan(2)) {
    c.Array().push_back(ScoreOf(c.engine, zset, member));
  }
}

// WITHSCORE came with Redis 7.2.
void Rank(Context& c, bool reverse) {
  const bool with_score = c.args.size() > 3;
  if (with_score && (c.args.size() > 4 || !EqualsIgnoreCase(c.args[3], "withscore"))) {
    return c.args.size() > 4 ? c.ArityError() : c.Error(kSyntax);
  }
  SortedSet* zset = nullptr;
  if (!c.Get(c.args[1], &zset)) return;
  const std::optional<std::size_t> found = zset == nullptr ? std::nullopt : zset->Rank(c.args[2]);
  if (!found) return with_score ? c.NilArray() : c.Nil();
  const std::size_t rank = reverse ? zset->size() - 1 - *found : *found;
  if (!with_score) return c.Integer(rank);
  c.Array() = {IntegerValue(static_cast<std::int64_t>(rank)),
               ScoreValue(c.engine, *zset->Score(c.args[2]))};
}

void ZRandMember(Context& c) {
  RandomRequest request;
  if (!ParseRandomRequest(c, "withscores", &request)) return;
  SortedSet* zset = nullptr;
  if (!c.Get(c.args[1], &zset)) return;
  if (request.has_count) c.EmptyArray();
  if (zset == nullptr) return;
  if (!request.has_count) {
    return c.String(zset->items().At(c.engine.dice.Choose(zset->size()))->member);
  }
  const std::size_t size = zset->size();
  const bool all = request.count >= 0 && static_cast<std::uint64_t>(request.count) >= size;
  for (const std::size_t at : ChoosePositions(c.engine, size, request.count, zset->compact())) {
    // Redis lists a whole sorted set from its end.
    AppendMember(c, *zset->items().At(all ? size - 1 - at : at), request.pairs);
  }
}

void AppendMatch(const ScanPage& page, std::string_view member, std::string score,
                 std::vector<Value>* found) {
  if (!GlobMatch(page.pattern, member)) return;
  found->push_back(StringValue(member));
  if (!page.names_only) found->push_back(StringValue(std::move(score)));
}

void ZScan(Context& c) {
  std::uint64_t cursor = 0;
  if (!ParseScanCursor(c, c.args[2], &cursor)) return;
  SortedSet* zset = nullptr;
  if (!c.Get(c.args[1], &zset)) return;
  if (zset == nullptr) return ReplyScanPage(c, {}, {});
  ScanPage page;
  if (!ParseScanPage(c, ScanOf::kSortedSet, cursor, zset->size(), zset->compact(), &page)) return;
  std::vector<Value> found;
  if (zset->compact()) {
    for (const SortedSet::Item& item : zset->items()) {
      AppendMatch(page, item.member, FormatDouble(c.dialect(), item.score), &found);
    }
  } else {
    // Not by score: a member whose score changes meanwhile must not be missed. Newer servers, too,
    // write these scores as 7.0 does.
    for (std::size_t at = page.first; at < page.last; ++at) {
      const auto& [member, score] = zset->unordered()[at];
      AppendMatch(page, member, FormatDouble(score), &found);
    }
  }
  ReplyScanPage(c, page, std::move(found));
}

constexpr HandlerRow kSortedSetCommands[] = {
    {"zadd", [](Context& c) { Add(c, false); }},
    {"zincrby", [](Context& c) { Add(c, true); }},
    {"zrem", &ZRem},
    {"zcard", &ZCard},
    {"zscore", &ZScore},
    {"zmscore", &ZMScore},
    {"zrank", [](Context& c) { Rank(c, false); }},
    {"zrevrank", [](Context& c) { Rank(c, true); }},
    {"zrandmember", &ZRandMember},
    {"zscan", &ZScan},
};

}  // namespace

std::span<const HandlerRow> SortedSetCommands() { return kSortedSetCommands; }

}  // namespace interlock::sim::redis
