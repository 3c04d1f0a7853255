// SPDX-License-Identifier: MIT
//
// Unions, intersections and differences of sets.
#include <algorithm>

#include "sim/redis/commands/collections.h"
#include "sim/redis/text.h"

namespace interlock::sim::redis {

namespace {

// Null for missing keys. If a key holds another type, replies WRONGTYPE and returns false.
bool FindSets(Context& c, Arguments keys, std::vector<const Set*>* sets) {
  for (const std::string_view key : keys) {
    Set* set = nullptr;
    if (!c.GetToRead(key, &set)) return false;
    sets->push_back(set);
  }
  return true;
}

void Reply(Context& c, const Set& result) {
  std::vector<Value>& members = c.Set();
  for (const std::string& member : result.Members()) members.push_back(StringValue(member));
}

// True: none of them is missing.
bool SmallestFirst(std::vector<const Set*>* sets) {
  if (std::find(sets->begin(), sets->end(), nullptr) != sets->end()) return false;
  std::stable_sort(sets->begin(), sets->end(),
                   [](const Set* a, const Set* b) { return a->size() < b->size(); });
  return true;
}

// In the order of the smallest set, up to `limit` members.
std::vector<std::string> Intersection(std::vector<const Set*> sets, std::size_t limit) {
  std::vector<std::string> common;
  if (!SmallestFirst(&sets)) return common;
  for (std::size_t i = 0; i < sets[0]->size() && common.size() < limit; ++i) {
    std::string member = sets[0]->Member(i);
    if (std::all_of(sets.begin() + 1, sets.end(),
                    [&](const Set* set) { return set->Contains(member); })) {
      common.push_back(std::move(member));
    }
  }
  return common;
}

void SInter(Context& c) {
  std::vector<const Set*> sets;
  if (!FindSets(c, c.args.subspan(1), &sets)) return;
  std::vector<Value>& members = c.Set();
  for (const std::string& member : Intersection(std::move(sets), SIZE_MAX)) {
    members.push_back(StringValue(member));
  }
}

void SInterStore(Context& c) {
  std::vector<const Set*> sets;
  if (!FindSets(c, c.args.subspan(2), &sets)) return;
  const EncodingLimits& limits = c.engine.encoding_limits;
  const bool integers = !SmallestFirst(&sets) || sets[0]->of_integers();
  Set result = integers ? Set() : Set::Mixed(limits);
  for (const std::string& member : Intersection(std::move(sets), SIZE_MAX)) {
    result.Add(member, limits);
  }
  if (limits.since_72) result.Reduce(limits);
  StoreResult(c, c.args[1], std::move(result), kNotifySet, "sinterstore");
}

void SInterCard(Context& c) {
  std::int64_t count = 0;
  if (!ParseInteger(c.args[1], &count) || count < 1) {
    return c.Error("ERR numkeys should be greater than 0");
  }
  if (static_cast<std::uint64_t>(count) > c.args.size() - 2) {
    return c.Error("ERR Number of keys can't be greater than number of args");
  }
  const auto keys = static_cast<std::size_t>(count);
  std::int64_t limit = 0;
  for (std::size_t i = 2 + keys; i < c.args.size(); i += 2) {
    if (i + 1 == c.args.size() || !EqualsIgnoreCase(c.args[i], "limit")) return c.Error(kSyntax);
    if (!ParseInteger(c.args[i + 1], &limit) || limit < 0) {
      return c.Error("ERR LIMIT can't be negative");
    }
  }
  std::vector<const Set*> sets;
  if (!FindSets(c, c.args.subspan(2, keys), &sets)) return;
  const std::size_t most = limit == 0 ? SIZE_MAX : static_cast<std::size_t>(limit);
  c.Integer(Intersection(std::move(sets), most).size());
}

Set Union(Context& c, const std::vector<const Set*>& sets) {
  Set result;
  for (const Set* set : sets) {
    for (std::size_t i = 0; set != nullptr && i < set->size(); ++i) {
      result.Add(set->Member(i), c.engine.encoding_limits);
    }
  }
  return result;
}

Set Difference(Context& c, const std::vector<const Set*>& sets) {
  Set result;
  for (std::size_t i = 0; sets[0] != nullptr && i < sets[0]->size(); ++i) {
    const std::string member = sets[0]->Member(i);
    if (std::none_of(sets.begin() + 1, sets.end(),
                     [&](const Set* set) { return set != nullptr && set->Contains(member); })) {
      result.Add(member, c.engine.encoding_limits);
    }
  }
  return result;
}

using Operation = Set (*)(Context&, const std::vector<const Set*>&);

void Combine(Context& c, Operation operation) {
  std::vector<const Set*> sets;
  if (FindSets(c, c.args.subspan(1), &sets)) Reply(c, operation(c, sets));
}

void CombineAndStore(Context& c, Operation operation, std::string_view event) {
  std::vector<const Set*> sets;
  if (!FindSets(c, c.args.subspan(2), &sets)) return;
  StoreResult(c, c.args[1], operation(c, sets), kNotifySet, event);
}

constexpr HandlerRow kSetAlgebraCommands[] = {
    {"sinter", &SInter},
    {"sinterstore", &SInterStore},
    {"sintercard", &SInterCard},
    {"sunion", [](Context& c) { Combine(c, &Union); }},
    {"sunionstore", [](Context& c) { CombineAndStore(c, &Union, "sunionstore"); }},
    {"sdiff", [](Context& c) { Combine(c, &Difference); }},
    {"sdiffstore", [](Context& c) { CombineAndStore(c, &Difference, "sdiffstore"); }},
};

}  // namespace

std::span<const HandlerRow> SetAlgebraCommands() { return kSetAlgebraCommands; }

}  // namespace interlock::sim::redis
