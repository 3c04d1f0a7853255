// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstdlib>

#include "sim/redis/commands/ranges.h"
#include "sim/redis/engine.h"
#include "sim/redis/text.h"

namespace interlock::sim::redis {

namespace {

void RemoveIfEmpty(Context& c, std::string_view key, const List& list) {
  if (list.items.empty()) c.Remove(key);
  c.Touch(key);
}

void Push(Context& c, bool left, bool only_existing) {
  List* list = nullptr;
  if (!c.Get(c.args[1], &list)) return;
  if (list == nullptr) {
    if (only_existing) return c.Integer(std::int64_t{0});
    list = &c.Create<List>(c.args[1]);
  }
  for (const std::string_view item : c.args.subspan(2)) list->Push(left, item);
  c.Integer(list->size());
  c.Touch(c.args[1]);
}

void Pop(Context& c, bool left) {
  if (c.args.size() > 3) return c.ArityError();
  const bool has_count = c.args.size() == 3;
  std::int64_t count = 1;
  if (has_count && (!ParseInteger(c.args[2], &count) || count < 0)) {
    return c.Error(kMustBePositive);
  }
  List* list = nullptr;
  if (!c.Get(c.args[1], &list)) return;
  if (list == nullptr) return has_count ? c.NilArray() : c.Nil();
  if (!has_count) {
    c.String(list->Pop(left));
  } else {
    std::vector<Value>& popped = c.Array();
    if (count == 0) return;
    while (count-- > 0 && !list->items.empty()) popped.push_back(StringValue(list->Pop(left)));
  }
  RemoveIfEmpty(c, c.args[1], *list);
}

void LLen(Context& c) {
  List* list = nullptr;
  if (c.Get(c.args[1], &list)) c.Integer(list == nullptr ? std::size_t{0} : list->size());
}

void LRange(Context& c) {
  std::int64_t start = 0;
  std::int64_t stop = 0;
  if (!c.ParseInt(c.args[2], &start) || !c.ParseInt(c.args[3], &stop)) return;
  List* list = nullptr;
  if (!c.Get(c.args[1], &list)) return;
  std::vector<Value>& found = c.Array();
  if (list == nullptr) return;
  const IndexRange range = ClampRange(start, stop, list->size());
  for (std::size_t i = range.first; i < range.last; ++i) {
    found.push_back(StringValue(list->items[i]));
  }
}

// The item at the index, counted from the end if negative; null if there is none.
std::string* ItemAt(List& list, std::int64_t index) {
  const auto size = static_cast<std::int64_t>(list.size());
  if (index < 0) index += size;
  if (index < 0 || index >= size) return nullptr;
  return &list.items[static_cast<std::size_t>(index)];
}

void LIndex(Context& c) {
  List* list = nullptr;
  if (!c.Get(c.args[1], &list) || list == nullptr) return;
  std::int64_t index = 0;
  if (!c.ParseInt(c.args[2], &index)) return;
  if (const std::string* item = ItemAt(*list, index)) c.String(*item);
}

void LSet(Context& c) {
  List* list = nullptr;
  if (!c.Get(c.args[1], &list)) return;
  if (list == nullptr) return c.Error(kNoSuchKey);
  std::int64_t index = 0;
  if (!c.ParseInt(c.args[2], &index)) return;
  std::string* item = ItemAt(*list, index);
  if (item == nullptr) return c.Error("ERR index out of range");
  item->assign(c.args[3]);
  c.Touch(c.args[1]);
  c.Ok();
}

template <typename Iterator>
std::int64_t RemoveEqual(std::deque<std::string>& items, Iterator first, Iterator last,
                         std::string_view value, std::int64_t limit) {
  std::int64_t removed = 0;
  const auto kept = std::remove_if(first, last, [&](const std::string& item) {
    if (item != value || removed == limit) return false;
    ++removed;
    return true;
  });
  if constexpr (std::is_same_v<Iterator, std::deque<std::string>::iterator>) {
    items.erase(kept, items.end());
  } else {
    items.erase(items.begin(), kept.base());
  }
  return removed;
}

void LRem(Context& c) {
  std::int64_t count = 0;
  if (!c.ParseInt(c.args[2], &count)) return;
  List* list = nullptr;
  if (!c.Get(c.args[1], &list)) return;
  if (list == nullptr) return c.Integer(std::int64_t{0});
  std::deque<std::string>& items = list->items;
  // Of zero and of the smallest number, which has no opposite, all.
  const bool all = count == 0 || count == INT64_MIN;
  const std::int64_t limit = all ? INT64_MAX : std::abs(count);
  const std::int64_t removed =
      count < 0 ? RemoveEqual(items, items.rbegin(), items.rend(), c.args[3], limit)
                : RemoveEqual(items, items.begin(), items.end(), c.args[3], limit);
  if (removed > 0) RemoveIfEmpty(c, c.args[1], *list);
  c.Integer(removed);
}

void LTrim(Context& c) {
  std::int64_t start = 0;
  std::int64_t stop = 0;
  if (!c.ParseInt(c.args[2], &start) || !c.ParseInt(c.args[3], &stop)) return;
  List* list = nullptr;
  if (!c.Get(c.args[1], &list)) return;
  c.Ok();
  if (list == nullptr) return;
  const IndexRange range = ClampRange(start, stop, list->size());
  auto& items = list->items;
  items.erase(items.begin() + static_cast<std::ptrdiff_t>(range.last), items.end());
  items.erase(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(range.first));
  RemoveIfEmpty(c, c.args[1], *list);
}

bool ParseSide(Context& c, std::string_view word, bool* left) {
  *left = EqualsIgnoreCase(word, "left");
  if (*left || EqualsIgnoreCase(word, "right")) return true;
  c.Error(kSyntax);
  return false;
}

// As LMOVE does. REQUIRES: the source is a list with elements, the destination a list or missing.
std::string MoveElement(Engine& engine, int database, std::string_view source, bool from_left,
                        std::string_view destination, bool to_left) {
  Keyspace& keyspace = engine.keyspace;
  List& from = std::get<List>(keyspace.Find(database, source)->data);
  std::string item = from.Pop(from_left);
  Entry* entry = keyspace.Find(database, destination);
  if (entry == nullptr) entry = &keyspace.Add(database, destination, List());
  std::get<List>(entry->data).Push(to_left, item);
  keyspace.Touch(database, destination);
  // Moving within one list never leaves it empty: the element has come back by now.
  if (from.items.empty()) keyspace.Remove(database, source);
  keyspace.Touch(database, source);
  return item;
}

void Move(Context& c, bool from_left, bool to_left) {
  List* source = nullptr;
  if (!c.Get(c.args[1], &source) || source == nullptr) return;
  List* destination = nullptr;
  if (!c.Get(c.args[2], &destination)) return;
  c.String(MoveElement(c.engine, c.database(), c.args[1], from_left, c.args[2], to_left));
}

void LMove(Context& c) {
  bool from_left = false;
  bool to_left = false;
  if (ParseSide(c, c.args[3], &from_left) && ParseSide(c, c.args[4], &to_left)) {
    Move(c, from_left, to_left);
  }
}

void ServePop(Engine& engine, Client& client, const Wait& wait, const std::string& key) {
  Keyspace& keyspace = engine.keyspace;
  List& list = std::get<List>(keyspace.Find(wait.database, key)->data);
  std::string item = list.Pop(wait.from_left);
  if (list.items.empty()) keyspace.Remove(wait.database, key);
  keyspace.Touch(wait.database, key);
  const std::string_view effect[] = {wait.from_left ? "LPOP" : "RPOP", key};
  engine.journal.Add(wait.database, effect);
  engine.Emit(client, ArrayValue({StringValue(key), StringValue(item)}));
}

void BlockingPop(Context& c, bool left) {
  Wait wait;
  if (!ParseTimeout(c, c.args.back(), &wait.deadline_ms)) return;
  const Arguments keys = c.args.subspan(1, c.args.size() - 2);
  for (const std::string_view key : keys) {
    List* list = nullptr;
    if (!c.Get(key, &list)) return;
    if (list == nullptr) continue;
    c.Array().push_back(StringValue(key));
    c.Array().push_back(StringValue(list->Pop(left)));
    RemoveIfEmpty(c, key, *list);
    return c.Propagate({left ? "LPOP" : "RPOP", key});
  }
  if (c.client.must_not_block) return c.NilArray();
  wait.serve = &ServePop;
  wait.timeout_reply = NilArrayValue();
  wait.type = kListIndex;
  wait.from_left = left;
  c.engine.blocking.Block(c, keys, std::move(wait));
}

std::string_view SideWord(bool left) { return left ? "left" : "right"; }

void ServeMove(Engine& engine, Client& client, const Wait& wait, const std::string& key) {
  const Entry* target = engine.keyspace.Find(wait.database, wait.destination);
  if (target != nullptr && !std::holds_alternative<List>(target->data)) {
    return engine.Emit(client, ErrorValue(kWrongType));
  }
  const std::string item =
      MoveElement(engine, wait.database, key, wait.from_left, wait.destination, wait.to_left);
  const std::string_view effect[] = {"LMOVE", key, wait.destination, SideWord(wait.from_left),
                                     SideWord(wait.to_left)};
  engine.journal.Add(wait.database, effect);
  engine.Emit(client, StringValue(item));
}

void BlockingMove(Context& c, bool from_left, bool to_left, std::string_view timeout) {
  Wait wait;
  if (!ParseTimeout(c, timeout, &wait.deadline_ms)) return;
  List* source = nullptr;
  if (!c.Get(c.args[1], &source)) return;
  if (source != nullptr) {
    Move(c, from_left, to_left);
    if (c.reply.type == Value::Type::kError) return;
    return c.Propagate({"LMOVE", c.args[1], c.args[2], SideWord(from_left), SideWord(to_left)});
  }
  if (c.client.must_not_block) return c.Nil();
  wait.serve = &ServeMove;
  wait.timeout_reply = NilArrayValue();
  wait.type = kListIndex;
  wait.from_left = from_left;
  wait.to_left = to_left;
  wait.destination = c.args[2];
  c.engine.blocking.Block(c, c.args.subspan(1, 1), std::move(wait));
}

void BLMove(Context& c) {
  bool from_left = false;
  bool to_left = false;
  if (ParseSide(c, c.args[3], &from_left) && ParseSide(c, c.args[4], &to_left)) {
    BlockingMove(c, from_left, to_left, c.args[5]);
  }
}

constexpr HandlerRow kRows[] = {
    {"lpush", [](Context& c) { Push(c, true, false); }},
    {"rpush", [](Context& c) { Push(c, false, false); }},
    {"lpushx", [](Context& c) { Push(c, true, true); }},
    {"rpushx", [](Context& c) { Push(c, false, true); }},
    {"lpop", [](Context& c) { Pop(c, true); }},
    {"rpop", [](Context& c) { Pop(c, false); }},
    {"llen", &LLen},
    {"lrange", &LRange},
    {"lindex", &LIndex},
    {"lset", &LSet},
    {"lrem", &LRem},
    {"ltrim", &LTrim},
    {"lmove", &LMove},
    {"rpoplpush", [](Context& c) { Move(c, false, true); }},
    {"blpop", [](Context& c) { BlockingPop(c, true); }},
    {"brpop", [](Context& c) { BlockingPop(c, false); }},
    {"blmove", &BLMove},
    {"brpoplpush", [](Context& c) { BlockingMove(c, false, true, c.args[3]); }},
};

}  // namespace

std::span<const HandlerRow> ListCommands() { return kRows; }

}  // namespace interlock::sim::redis
