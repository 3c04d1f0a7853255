// SPDX-License-Identifier: MIT
//
// Popping from the ends of lists, at once or by blocked clients: LPOP, LMPOP, LMOVE, BLPOP, BLMPOP,
// BLMOVE and their relatives.
#include <algorithm>
#include <string>

#include "sim/redis/engine.h"
#include "sim/redis/list_form.h"
#include "sim/redis/text.h"

namespace interlock::sim::redis {

namespace {

std::string_view PopName(bool left) { return left ? "LPOP" : "RPOP"; }
std::string_view SideName(bool left) { return left ? "left" : "right"; }

// A list in a database, which need not be that of the running command.
struct Place {
  Engine& engine;
  int database;
  std::string_view key;
  bool for_waiter = false;

  void Notify(NotifyClass type, std::string_view event) const {
    engine.events.Publish(type, event, database, key);
  }
  List& list() const { return std::get<List>(engine.keyspace.FindToWrite(database, key)->data); }
};

// The end of every pop.
void Popped(const Place& from, bool left, List& list, std::size_t changes) {
  AfterLoss(list, from.engine.encoding_limits);
  from.Notify(kNotifyList, left ? "lpop" : "rpop");
  if (list.items.empty()) {
    from.engine.keyspace.Remove(from.database, from.key);
    from.Notify(kNotifyGeneric, "del");
  }
  // To Redis 7.0 that is still the change of whoever has pushed the element.
  if (from.for_waiter && !from.engine.dialect().since_72) {
    from.engine.keyspace.TouchQuietly(from.database, from.key, changes);
  } else {
    from.engine.keyspace.Touch(from.database, from.key, changes);
  }
}

std::string PopOne(const Place& from, bool left) {
  List& list = from.list();
  std::string item = list.Pop(left);
  Popped(from, left, list, 1);
  return item;
}

// REQUIRES: count >= 1.
std::vector<Value> PopMany(const Place& from, bool left, std::int64_t count) {
  List& list = from.list();
  std::vector<Value> items;
  while (count-- > 0 && !list.items.empty()) items.push_back(StringValue(list.Pop(left)));
  Popped(from, left, list, items.size());
  return items;
}

// The reply of LMPOP; the effect is LPOP with the actual number.
Value PopManyWithKey(const Place& from, bool left, std::int64_t count) {
  std::vector<Value> items = PopMany(from, left, count);
  const std::string taken = std::to_string(items.size());
  const std::string_view effect[] = {PopName(left), from.key, taken};
  from.engine.journal.Add(from.database, effect);
  return ArrayValue({StringValue(from.key), ArrayValue(std::move(items))});
}

Place Here(Context& c, std::string_view key) { return {c.engine, c.database(), key}; }

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
  if (!has_count) return c.String(PopOne(Here(c, c.args[1]), left));
  if (count == 0) return c.EmptyArray();
  c.Array() = PopMany(Here(c, c.args[1]), left, count);
}

bool ParseSide(Context& c, std::string_view word, bool* left) {
  *left = EqualsIgnoreCase(word, "left");
  if (*left || EqualsIgnoreCase(word, "right")) return true;
  c.Error(kSyntax);
  return false;
}

// Finds the first key with a list; `*key` is null if there is none. If a key of another type comes
// first, replies WRONGTYPE and returns false.
bool FindFirst(Context& c, Arguments keys, std::string_view* key) {
  for (const std::string_view candidate : keys) {
    List* list = nullptr;
    if (!c.Get(candidate, &list)) return false;
    if (list == nullptr) continue;
    *key = candidate;
    return true;
  }
  return true;
}

struct MultiPop {
  Arguments keys;
  bool left = true;
  std::int64_t count = 1;
};

// Parses the arguments of LMPOP from numkeys on.
bool ParseMultiPop(Context& c, std::size_t first, MultiPop* pop) {
  constexpr std::string_view kBadNumber = "ERR numkeys should be greater than 0";
  constexpr std::string_view kBadCount = "ERR count should be greater than 0";
  std::int64_t number = 0;
  if (!c.ParseInt(c.args[first], &number, kBadNumber)) return false;
  if (number < 1) {
    c.Error(kBadNumber);
    return false;
  }
  const auto rest = static_cast<std::int64_t>(c.args.size() - first - 1);
  if (number >= rest) {
    c.Error(kSyntax);
    return false;
  }
  const std::size_t side = first + 1 + static_cast<std::size_t>(number);
  pop->keys = c.args.subspan(first + 1, static_cast<std::size_t>(number));
  if (!ParseSide(c, c.args[side], &pop->left)) return false;
  if (c.args.size() == side + 1) return true;
  if (c.args.size() < side + 3 || !EqualsIgnoreCase(c.args[side + 1], "count")) {
    c.Error(kSyntax);
    return false;
  }
  if (!c.ParseInt(c.args[side + 2], &pop->count, kBadCount)) return false;
  if (pop->count < 1) {
    c.Error(kBadCount);
  } else if (c.args.size() > side + 3) {
    c.Error(kSyntax);
  } else {
    return true;
  }
  return false;
}

// False: there was nothing to pop, or an error is the reply.
bool PopFromFirst(Context& c, const MultiPop& pop) {
  std::string_view key;
  if (!FindFirst(c, pop.keys, &key)) return false;
  if (key.data() == nullptr) {
    c.NilArray();
    return false;
  }
  c.propagation = Context::Propagation::kDone;
  c.reply = PopManyWithKey(Here(c, key), pop.left, pop.count);
  return true;
}

void LMPop(Context& c) {
  MultiPop pop;
  if (ParseMultiPop(c, 1, &pop)) PopFromFirst(c, pop);
}

// Like LMOVE. REQUIRES: the source is a list with elements, the destination a list or missing.
std::string MoveElement(const Place& from, bool from_left, std::string_view destination,
                        bool to_left) {
  Keyspace& keyspace = from.engine.keyspace;
  const Place to{from.engine, from.database, destination};
  List& source = from.list();
  std::string item = source.Pop(from_left);
  Entry* entry = keyspace.FindToWrite(to.database, destination);
  if (entry == nullptr) entry = &keyspace.Add(to.database, destination, List());
  auto& moved_to = std::get<List>(entry->data);
  std::int64_t number = 0;
  // What is a number is moved as one, and counts for no bytes.
  const std::string_view added = ParseInteger(item, &number) ? "" : std::string_view(item);
  BeforeGrowth(moved_to, {&added, 1}, from.engine.encoding_limits);
  moved_to.Push(to_left, item);
  keyspace.Touch(to.database, destination);
  to.Notify(kNotifyList, to_left ? "lpush" : "rpush");
  // Moving within one list never leaves it empty: the element is back by now.
  Popped(from, from_left, source, 0);
  return item;
}

// False: there was nothing to move, or an error is the reply.
bool MoveElement(Context& c, bool from_left, bool to_left) {
  List* source = nullptr;
  if (!c.Get(c.args[1], &source) || source == nullptr) return false;
  List* destination = nullptr;
  if (!c.Get(c.args[2], &destination)) return false;
  c.String(MoveElement(Here(c, c.args[1]), from_left, c.args[2], to_left));
  return true;
}

void LMove(Context& c) {
  bool from_left = false;
  bool to_left = false;
  if (ParseSide(c, c.args[3], &from_left) && ParseSide(c, c.args[4], &to_left)) {
    MoveElement(c, from_left, to_left);
  }
}

void ServePop(Engine& engine, Client& client, const Wait& wait, const std::string& key) {
  const std::string item = PopOne({engine, wait.database, key, true}, wait.from_left);
  const std::string_view effect[] = {PopName(wait.from_left), key};
  engine.journal.Add(wait.database, effect);
  engine.outbox.Emit(client, PairValue(key, item));
}

void ServeMultiPop(Engine& engine, Client& client, const Wait& wait, const std::string& key) {
  engine.outbox.Emit(client,
                     PopManyWithKey({engine, wait.database, key}, wait.from_left, wait.count));
}

void BlockingPop(Context& c, bool left) {
  Wait wait;
  if (!ParseTimeout(c, c.args.back(), &wait.deadline_ms)) return;
  const Arguments keys = c.args.subspan(1, c.args.size() - 2);
  std::string_view key;
  if (!FindFirst(c, keys, &key)) return;
  if (key.data() != nullptr) {
    c.Pair(key, PopOne(Here(c, key), left));
    return c.Propagate({PopName(left), key});
  }
  if (c.client.must_not_block) return c.NilArray();
  wait.serve = &ServePop;
  wait.timeout_reply = NilArrayValue();
  wait.type = kListIndex;
  wait.from_left = left;
  c.engine.blocking.Block(c, keys, std::move(wait));
}

void BLMPop(Context& c) {
  MultiPop pop;
  Wait wait;
  if (!ParseMultiPop(c, 2, &pop) || !ParseTimeout(c, c.args[1], &wait.deadline_ms)) return;
  const bool popped = PopFromFirst(c, pop);
  if (popped || c.reply.type == Value::Type::kError || c.client.must_not_block) return;
  wait.serve = &ServeMultiPop;
  wait.timeout_reply = NilArrayValue();
  wait.type = kListIndex;
  wait.from_left = pop.left;
  wait.count = pop.count;
  c.engine.blocking.Block(c, pop.keys, std::move(wait));
}

void ServeMove(Engine& engine, Client& client, const Wait& wait, const std::string& key) {
  const Entry* target = engine.keyspace.FindToWrite(wait.database, wait.destination);
  if (target != nullptr && !std::holds_alternative<List>(target->data)) {
    ++engine.statistics.Of(*client.last_command).failed;
    return engine.blocking.ReplyError(client, kWrongType);
  }
  const std::string item = MoveElement({engine, wait.database, key, true}, wait.from_left,
                                       wait.destination, wait.to_left);
  if (wait.as_rpoplpush) {
    const std::string_view effect[] = {"RPOPLPUSH", key, wait.destination};
    engine.journal.Add(wait.database, effect);
  } else {
    // Newer servers propagate the words of the command.
    const bool as_sent = engine.dialect().since_72;
    const std::string_view effect[] = {
        "LMOVE", key, wait.destination,
        as_sent ? std::string_view(wait.sides[0]) : SideName(wait.from_left),
        as_sent ? std::string_view(wait.sides[1]) : SideName(wait.to_left)};
    engine.journal.Add(wait.database, effect);
  }
  engine.outbox.Emit(client, StringValue(item));
}

// `wait` has the directions.
void BlockingMove(Context& c, std::string_view timeout, Wait wait) {
  if (!ParseTimeout(c, timeout, &wait.deadline_ms)) return;
  List* source = nullptr;
  if (!c.Get(c.args[1], &source)) return;
  if (source != nullptr) {
    if (!MoveElement(c, wait.from_left, wait.to_left)) return;
    if (wait.as_rpoplpush) return c.Propagate({"RPOPLPUSH", c.args[1], c.args[2]});
    return c.Propagate({"LMOVE", c.args[1], c.args[2], c.args[3], c.args[4]});
  }
  if (c.client.must_not_block) return c.Nil();
  wait.serve = &ServeMove;
  wait.timeout_reply = NilArrayValue();
  wait.type = kListIndex;
  wait.destination = c.args[2];
  c.engine.blocking.Block(c, c.args.subspan(1, 1), std::move(wait));
}

void BLMove(Context& c) {
  Wait wait;
  if (!ParseSide(c, c.args[3], &wait.from_left) || !ParseSide(c, c.args[4], &wait.to_left)) return;
  wait.sides = {std::string(c.args[3]), std::string(c.args[4])};
  BlockingMove(c, c.args[5], std::move(wait));
}

void BRPopLPush(Context& c) {
  Wait wait;
  wait.from_left = false;
  wait.as_rpoplpush = true;
  BlockingMove(c, c.args[3], std::move(wait));
}

constexpr HandlerRow kListPopCommands[] = {
    {"lpop", [](Context& c) { Pop(c, true); }},
    {"rpop", [](Context& c) { Pop(c, false); }},
    {"lmpop", &LMPop},
    {"lmove", &LMove},
    {"rpoplpush", [](Context& c) { MoveElement(c, false, true); }},
    {"blpop", [](Context& c) { BlockingPop(c, true); }},
    {"brpop", [](Context& c) { BlockingPop(c, false); }},
    {"blmpop", &BLMPop},
    {"blmove", &BLMove},
    {"brpoplpush", &BRPopLPush},
};

}  // namespace

std::span<const HandlerRow> ListPopCommands() { return kListPopCommands; }

}  // namespace interlock::sim::redis
