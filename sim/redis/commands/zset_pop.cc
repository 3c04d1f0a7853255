// SPDX-License-Identifier: MIT
//
// Popping the lowest or the highest members of a sorted set, at once or by blocked clients.
#include <algorithm>

#include "sim/redis/commands/collections.h"
#include "sim/redis/commands/sorted_sets.h"

namespace interlock::sim::redis {

namespace {

std::string_view SortedSetPopName(bool lowest) { return lowest ? "ZPOPMIN" : "ZPOPMAX"; }

// REQUIRES: the key holds a sorted set, and count >= 1.
std::vector<SortedSet::Item> TakeEnd(Engine& engine, int database, std::string_view key,
                                     bool lowest, std::int64_t count) {
  Keyspace& keyspace = engine.keyspace;
  SortedSet& zset = std::get<SortedSet>(keyspace.FindToWrite(database, key)->data);
  const std::size_t taken = static_cast<std::size_t>(
      std::min<std::uint64_t>(static_cast<std::uint64_t>(count), zset.size()));
  const std::size_t first = lowest ? 0 : zset.size() - taken;
  std::vector<SortedSet::Item> items;
  auto at = zset.items().At(first);
  for (std::size_t i = 0; i < taken; ++i, ++at) items.push_back(*at);
  if (!lowest) std::reverse(items.begin(), items.end());
  zset.RemoveRange(first, first + taken);
  engine.events.Publish(kNotifySortedSet, lowest ? "zpopmin" : "zpopmax", database, key);
  if (zset.size() == 0) {
    keyspace.Remove(database, key);
    engine.events.Publish(kNotifyGeneric, "del", database, key);
  }
  keyspace.Touch(database, key, taken);
  return items;
}

// The result of ZMPOP: [key, [[member, score] ...]].
Value KeyAndMembers(const Engine& engine, std::string_view key,
                    const std::vector<SortedSet::Item>& items) {
  std::vector<Value> pairs;
  for (const SortedSet::Item& item : items) {
    pairs.push_back(ArrayValue({StringValue(item.member), ScoreValue(engine, item.score)}));
  }
  return ArrayValue({StringValue(key), ArrayValue(std::move(pairs))});
}

// The result of BZPOPMIN: [key, member, score].
Value KeyAndMember(const Engine& engine, std::string_view key, const SortedSet::Item& item) {
  return ArrayValue({StringValue(key), StringValue(item.member), ScoreValue(engine, item.score)});
}

// In RESP3 members and scores are pairs only if a count was given.
void ZPop(Context& c, bool lowest) {
  if (c.args.size() > 3) return c.Error(kSyntax);
  const bool has_count = c.args.size() == 3;
  std::int64_t count = 1;
  if (has_count && (!ParseInteger(c.args[2], &count) || count < 0)) {
    return c.Error(kMustBePositive);
  }
  SortedSet* zset = nullptr;
  if (!c.Get(c.args[1], &zset)) return;
  c.EmptyArray();
  if (zset == nullptr || count == 0) return;
  for (const SortedSet::Item& item : TakeEnd(c.engine, c.database(), c.args[1], lowest, count)) {
    if (has_count) {
      AppendMember(c, item, true);
    } else {
      c.Pair(item.member, FormatDouble(c.dialect(), item.score));
      c.reply.elements.back().type = Value::Type::kDouble;
    }
  }
}

// Finds the first key with members; null if there is none. On failure replies an error and returns
// false.
bool FirstNonEmpty(Context& c, Arguments keys, std::string_view* key) {
  for (const std::string_view candidate : keys) {
    SortedSet* zset = nullptr;
    if (!c.Get(candidate, &zset)) return false;
    if (zset == nullptr) continue;
    *key = candidate;
    break;
  }
  return true;
}

struct SortedSetMultiPop {
  Arguments keys;
  bool lowest = true;
  std::int64_t count = 1;
};

// Parses numkeys key [key ...] MIN|MAX [COUNT count] from this argument on.
bool ParseSortedSetMultiPop(Context& c, std::size_t first, SortedSetMultiPop* pop) {
  const auto fail = [&](std::string_view error) {
    c.Error(error);
    return false;
  };
  std::int64_t keys = 0;
  if (!ParseInteger(c.args[first], &keys) || keys < 1) {
    return fail("ERR numkeys should be greater than 0");
  }
  const std::size_t left = c.args.size() - first - 1;
  if (static_cast<std::uint64_t>(keys) >= left) return fail(kSyntax);
  pop->keys = c.args.subspan(first + 1, static_cast<std::size_t>(keys));
  const Arguments rest = c.args.subspan(first + 1 + pop->keys.size());
  pop->lowest = EqualsIgnoreCase(rest[0], "min");
  if (!pop->lowest && !EqualsIgnoreCase(rest[0], "max")) return fail(kSyntax);
  if (rest.size() == 1) return true;
  if (rest.size() == 2 || !EqualsIgnoreCase(rest[1], "count")) return fail(kSyntax);
  if (!ParseInteger(rest[2], &pop->count) || pop->count < 1) {
    return fail("ERR count should be greater than 0");
  }
  return rest.size() == 3 || fail(kSyntax);
}

// Pops from the first key with members and replies; false if there is none, or on an error.
bool PopFirst(Context& c, const SortedSetMultiPop& pop) {
  std::string_view key;
  c.NilArray();
  if (!FirstNonEmpty(c, pop.keys, &key) || key.data() == nullptr) return false;
  const auto items = TakeEnd(c.engine, c.database(), key, pop.lowest, pop.count);
  c.reply = KeyAndMembers(c.engine, key, items);
  c.Propagate({SortedSetPopName(pop.lowest), key, std::to_string(items.size())});
  return true;
}

void ZMPop(Context& c) {
  SortedSetMultiPop pop;
  if (ParseSortedSetMultiPop(c, 1, &pop)) PopFirst(c, pop);
}

// Serves a blocked client. Without a count it used BZPOPMIN or BZPOPMAX.
void Serve(Engine& engine, Client& client, const Wait& wait, const std::string& key) {
  const std::int64_t count = std::max<std::int64_t>(wait.count, 1);
  const auto items = TakeEnd(engine, wait.database, key, wait.from_left, count);
  const std::string number = std::to_string(items.size());
  const std::string_view effect[] = {SortedSetPopName(wait.from_left), key, number};
  engine.journal.Add(wait.database, Arguments(effect).first(wait.count == 0 ? 2 : 3));
  engine.outbox.Emit(client, wait.count == 0 ? KeyAndMember(engine, key, items[0])
                                             : KeyAndMembers(engine, key, items));
}

void WaitForMembers(Context& c, Arguments keys, bool lowest, std::int64_t count, Wait wait) {
  if (c.client.must_not_block) return c.NilArray();
  wait.serve = &Serve;
  wait.timeout_reply = NilArrayValue();
  wait.type = kSortedSetIndex;
  wait.from_left = lowest;
  wait.count = count;
  c.engine.blocking.Block(c, keys, std::move(wait));
}

void BZPop(Context& c, bool lowest) {
  Wait wait;
  if (!ParseTimeout(c, c.args.back(), &wait.deadline_ms)) return;
  const Arguments keys = c.args.subspan(1, c.args.size() - 2);
  std::string_view key;
  if (!FirstNonEmpty(c, keys, &key)) return;
  if (key.data() == nullptr) return WaitForMembers(c, keys, lowest, 0, std::move(wait));
  c.reply = KeyAndMember(c.engine, key, TakeEnd(c.engine, c.database(), key, lowest, 1)[0]);
  c.Propagate({SortedSetPopName(lowest), key});
}

void BZMPop(Context& c) {
  SortedSetMultiPop pop;
  Wait wait;
  if (!ParseSortedSetMultiPop(c, 2, &pop) || !ParseTimeout(c, c.args[1], &wait.deadline_ms)) return;
  if (PopFirst(c, pop) || c.reply.type == Value::Type::kError) return;
  WaitForMembers(c, pop.keys, pop.lowest, pop.count, std::move(wait));
}

constexpr HandlerRow kSortedSetPopCommands[] = {
    {"zpopmin", [](Context& c) { ZPop(c, true); }},
    {"zpopmax", [](Context& c) { ZPop(c, false); }},
    {"zmpop", &ZMPop},
    {"bzpopmin", [](Context& c) { BZPop(c, true); }},
    {"bzpopmax", [](Context& c) { BZPop(c, false); }},
    {"bzmpop", &BZMPop},
};

}  // namespace

std::span<const HandlerRow> SortedSetPopCommands() { return kSortedSetPopCommands; }

}  // namespace interlock::sim::redis
