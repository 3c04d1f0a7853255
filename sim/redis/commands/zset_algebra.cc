// SPDX-License-Identifier: MIT
//
// Unions, intersections and differences of sorted sets and sets, whose members have score 1.
#include <algorithm>
#include <cmath>

#include "sim/redis/commands/collections.h"
#include "sim/redis/commands/sorted_sets.h"

namespace interlock::sim::redis {

namespace {

enum class SortedSetOperation : std::uint8_t { kUnion, kInter, kDiff };
enum class Aggregate : std::uint8_t { kSum, kMin, kMax };

struct Source {
  const SortedSet* zset = nullptr;
  const Set* set = nullptr;
  double weight = 1;

  std::size_t size() const {
    if (zset != nullptr) return zset->size();
    return set == nullptr ? 0 : set->size();
  }
  std::optional<double> Score(std::string_view member) const {
    if (zset != nullptr) return zset->Score(member);
    if (set != nullptr && set->Contains(member)) return 1;
    return std::nullopt;
  }
  template <typename Visit>
  void ForEach(Visit visit) const {
    if (zset != nullptr) {
      for (const SortedSet::Item& item : zset->items()) visit(item.member, item.score);
    } else if (set != nullptr) {
      for (const std::string& member : set->Members()) visit(member, 1.0);
    }
  }
};

struct Request {
  SortedSetOperation operation = SortedSetOperation::kUnion;
  bool stores = false;
  bool counts = false;  // ZINTERCARD
  std::vector<Source> sources;
  Aggregate aggregate = Aggregate::kSum;
  bool with_scores = false;
  std::int64_t limit = 0;
};

bool FailAt(Context& c, std::string_view error) {
  c.Error(error);
  return false;
}

bool FindSources(Context& c, Arguments keys, Request* request) {
  for (const std::string_view key : keys) {
    Source source;
    if (const Entry* entry = c.FindToRead(key)) {
      source.zset = std::get_if<SortedSet>(&entry->data);
      source.set = std::get_if<Set>(&entry->data);
      if (source.zset == nullptr && source.set == nullptr) return FailAt(c, kWrongType);
    }
    request->sources.push_back(source);
  }
  return true;
}

bool ParseAggregate(Context& c, std::string_view word, Aggregate* aggregate) {
  if (EqualsIgnoreCase(word, "sum")) {
    *aggregate = Aggregate::kSum;
  } else if (EqualsIgnoreCase(word, "min")) {
    *aggregate = Aggregate::kMin;
  } else if (EqualsIgnoreCase(word, "max")) {
    *aggregate = Aggregate::kMax;
  } else {
    return FailAt(c, kSyntax);
  }
  return true;
}

// Consumes one option.
bool ParseOption(Context& c, Request* request, Arguments* left) {
  const std::string_view word = (*left)[0];
  const bool scored = request->operation != SortedSetOperation::kDiff && !request->counts;
  std::size_t used = 2;
  if (scored && left->size() > request->sources.size() && EqualsIgnoreCase(word, "weights")) {
    for (std::size_t i = 0; i < request->sources.size(); ++i) {
      if (!ParseScore(c, (*left)[1 + i], &request->sources[i].weight)) {
        return FailAt(c, "ERR weight value is not a float");
      }
    }
    used = 1 + request->sources.size();
  } else if (scored && left->size() >= 2 && EqualsIgnoreCase(word, "aggregate")) {
    if (!ParseAggregate(c, (*left)[1], &request->aggregate)) return false;
  } else if (!request->stores && !request->counts && EqualsIgnoreCase(word, "withscores")) {
    request->with_scores = true;
    used = 1;
  } else if (request->counts && left->size() >= 2 && EqualsIgnoreCase(word, "limit")) {
    if (!ParseInteger((*left)[1], &request->limit) || request->limit < 0) {
      return FailAt(c, "ERR LIMIT can't be negative");
    }
  } else {
    return FailAt(c, kSyntax);
  }
  *left = left->subspan(used);
  return true;
}

// Parses numkeys key [key ...] [options] from this argument on.
bool Parse(Context& c, std::size_t first, Request* request) {
  std::int64_t keys = 0;
  if (!c.ParseInt(c.args[first], &keys)) return false;
  if (keys < 1) {
    return FailAt(c, std::string("ERR at least 1 input key is needed for '")
                         .append(c.command.name)
                         .append("' command"));
  }
  Arguments left = c.args.subspan(first + 1);
  const auto count = static_cast<std::size_t>(keys);
  if (count > left.size()) return FailAt(c, kSyntax);
  if (!FindSources(c, left.first(count), request)) return false;
  left = left.subspan(count);
  while (!left.empty()) {
    if (!ParseOption(c, request, &left)) return false;
  }
  return true;
}

double OrZero(double score) { return std::isnan(score) ? 0 : score; }

double CombineSortedSets(Aggregate aggregate, double a, double b) {
  switch (aggregate) {
    case Aggregate::kMin:
      return b < a ? b : a;
    case Aggregate::kMax:
      return b > a ? b : a;
    default:
      return OrZero(a + b);  // inf - inf
  }
}

// Floating-point sums depend on the order: smallest source first.
void SortBySize(std::vector<Source>* sources) {
  std::stable_sort(sources->begin(), sources->end(),
                   [](const Source& a, const Source& b) { return a.size() < b.size(); });
}

SortedSet SortedSetUnion(const Request& request) {
  SortedSet result;
  result.EndCompact();
  for (const Source& source : request.sources) {
    source.ForEach([&](std::string_view member, double plain) {
      const double score = OrZero(source.weight * plain);
      const std::optional<double> before = result.Score(member);
      result.Put(member, before ? CombineSortedSets(request.aggregate, *before, score) : score);
    });
  }
  return result;
}

SortedSet SortedSetIntersection(const Request& request) {
  SortedSet result;
  result.EndCompact();
  const std::size_t most = request.limit == 0 ? SIZE_MAX : static_cast<std::size_t>(request.limit);
  const std::vector<Source>& sources = request.sources;
  sources[0].ForEach([&](std::string_view member, double plain) {
    if (result.size() >= most) return;
    double score = OrZero(sources[0].weight * plain);
    for (std::size_t i = 1; i < sources.size(); ++i) {
      const std::optional<double> other = sources[i].Score(member);
      if (!other) return;
      score = CombineSortedSets(request.aggregate, score, *other * sources[i].weight);
    }
    result.Put(member, score);
  });
  return result;
}

SortedSet SortedSetDifference(const Request& request) {
  SortedSet result;
  result.EndCompact();
  const std::vector<Source>& sources = request.sources;
  sources[0].ForEach([&](std::string_view member, double score) {
    const auto has = [&](const Source& source) { return source.Score(member).has_value(); };
    if (std::none_of(sources.begin() + 1, sources.end(), has)) result.Put(member, score);
  });
  return result;
}

SortedSet Compute(Request* request) {
  if (request->operation == SortedSetOperation::kDiff) return SortedSetDifference(*request);
  SortBySize(&request->sources);
  return request->operation == SortedSetOperation::kUnion ? SortedSetUnion(*request)
                                                          : SortedSetIntersection(*request);
}

SortedSet CompactIfSmall(const SortedSet& zset, const EncodingLimits& limits) {
  SortedSet compact;
  for (const SortedSet::Item& item : zset.items()) {
    compact.Put(item.member, item.score, limits);
    if (!compact.compact()) return zset;
  }
  return compact;
}

void Combined(Context& c, SortedSetOperation operation) {
  Request request;
  request.operation = operation;
  if (!Parse(c, 1, &request)) return;
  c.EmptyArray();
  const SortedSet result = Compute(&request);
  for (const SortedSet::Item& item : result.items()) {
    AppendMember(c, item, request.with_scores);
  }
}

void Stored(Context& c, SortedSetOperation operation, std::string_view event) {
  Request request;
  request.operation = operation;
  request.stores = true;
  if (!Parse(c, 2, &request)) return;
  StoreResult(c, c.args[1], CompactIfSmall(Compute(&request), c.engine.encoding_limits),
              kNotifySortedSet, event);
}

void ZInterCard(Context& c) {
  Request request;
  request.operation = SortedSetOperation::kInter;
  request.counts = true;
  if (Parse(c, 1, &request)) c.Integer(Compute(&request).size());
}

constexpr HandlerRow kSortedSetAlgebraCommands[] = {
    {"zunion", [](Context& c) { Combined(c, SortedSetOperation::kUnion); }},
    {"zinter", [](Context& c) { Combined(c, SortedSetOperation::kInter); }},
    {"zdiff", [](Context& c) { Combined(c, SortedSetOperation::kDiff); }},
    {"zunionstore", [](Context& c) { Stored(c, SortedSetOperation::kUnion, "zunionstore"); }},
    {"zinterstore", [](Context& c) { Stored(c, SortedSetOperation::kInter, "zinterstore"); }},
    {"zdiffstore", [](Context& c) { Stored(c, SortedSetOperation::kDiff, "zdiffstore"); }},
    {"zintercard", &ZInterCard},
};

}  // namespace

std::span<const HandlerRow> SortedSetAlgebraCommands() { return kSortedSetAlgebraCommands; }

}  // namespace interlock::sim::redis
