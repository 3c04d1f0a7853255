// SPDX-License-Identifier: MIT
#include "sim/redis/engine.h"
#include "sim/redis/text.h"

namespace interlock::sim::redis {

namespace {

// The hash under the key, made if missing; null, with WRONGTYPE as reply, if it is something else.
Hash* FindOrCreate(Context& c) {
  Hash* hash = nullptr;
  if (!c.Get(c.args[1], &hash)) return nullptr;
  return hash != nullptr ? hash : &c.Create<Hash>(c.args[1]);
}

void HSet(Context& c, bool status_reply) {
  if (c.args.size() % 2 == 1) return c.ArityError();
  Hash* hash = FindOrCreate(c);
  if (hash == nullptr) return;
  std::int64_t created = 0;
  for (std::size_t i = 2; i < c.args.size(); i += 2) {
    created += hash->Set(c.args[i], c.args[i + 1]) ? 1 : 0;
  }
  c.Touch(c.args[1]);
  if (status_reply) return c.Ok();
  c.Integer(created);
}

void HSetNx(Context& c) {
  Hash* hash = nullptr;
  if (!c.Get(c.args[1], &hash)) return;
  if (hash != nullptr && hash->Find(c.args[2]) != nullptr) return c.Integer(std::int64_t{0});
  FindOrCreate(c)->Set(c.args[2], c.args[3]);
  c.Touch(c.args[1]);
  c.Integer(std::int64_t{1});
}

const std::string* FindField(Hash* hash, std::string_view field) {
  return hash == nullptr ? nullptr : hash->Find(field);
}

void HGet(Context& c) {
  Hash* hash = nullptr;
  if (!c.Get(c.args[1], &hash)) return;
  if (const std::string* value = FindField(hash, c.args[2])) c.String(*value);
}

void HMGet(Context& c) {
  Hash* hash = nullptr;
  if (!c.Get(c.args[1], &hash)) return;
  for (const std::string_view field : c.args.subspan(2)) {
    const std::string* value = FindField(hash, field);
    c.Array().push_back(value == nullptr ? NilValue() : StringValue(*value));
  }
}

void HDel(Context& c) {
  Hash* hash = nullptr;
  if (!c.Get(c.args[1], &hash)) return;
  std::int64_t removed = 0;
  if (hash != nullptr) {
    for (const std::string_view field : c.args.subspan(2)) removed += hash->Remove(field) ? 1 : 0;
    if (hash->size() == 0) c.Remove(c.args[1]);
    if (removed > 0) c.Touch(c.args[1]);
  }
  c.Integer(removed);
}

void HLen(Context& c) {
  Hash* hash = nullptr;
  if (c.Get(c.args[1], &hash)) c.Integer(hash == nullptr ? std::size_t{0} : hash->size());
}

void HStrLen(Context& c) {
  Hash* hash = nullptr;
  if (!c.Get(c.args[1], &hash)) return;
  const std::string* value = FindField(hash, c.args[2]);
  c.Integer(value == nullptr ? std::size_t{0} : value->size());
}

void HExists(Context& c) {
  Hash* hash = nullptr;
  if (!c.Get(c.args[1], &hash)) return;
  c.Integer(std::int64_t{FindField(hash, c.args[2]) != nullptr ? 1 : 0});
}

void ListAll(Context& c, bool fields, bool values) {
  Hash* hash = nullptr;
  if (!c.Get(c.args[1], &hash)) return;
  std::vector<Value>& all = c.Array();
  if (hash == nullptr) return;
  for (const auto& [field, value] : hash->items()) {
    if (fields) all.push_back(StringValue(field));
    if (values) all.push_back(StringValue(value));
  }
}

void HIncrBy(Context& c) {
  std::int64_t by = 0;
  if (!c.ParseInt(c.args[3], &by)) return;
  Hash* hash = nullptr;
  if (!c.Get(c.args[1], &hash)) return;
  std::int64_t number = 0;
  if (const std::string* value = FindField(hash, c.args[2])) {
    if (!c.ParseInt(*value, &number, "ERR hash value is not an integer")) return;
  }
  if (__builtin_add_overflow(number, by, &number)) return c.Error(kOverflow);
  FindOrCreate(c)->Set(c.args[2], std::to_string(number));
  c.Touch(c.args[1]);
  c.Integer(number);
}

constexpr HandlerRow kRows[] = {
    {"hset", [](Context& c) { HSet(c, false); }},
    {"hmset", [](Context& c) { HSet(c, true); }},
    {"hsetnx", &HSetNx},
    {"hget", &HGet},
    {"hmget", &HMGet},
    {"hdel", &HDel},
    {"hlen", &HLen},
    {"hstrlen", &HStrLen},
    {"hexists", &HExists},
    {"hincrby", &HIncrBy},
    {"hgetall", [](Context& c) { ListAll(c, true, true); }},
    {"hkeys", [](Context& c) { ListAll(c, true, false); }},
    {"hvals", [](Context& c) { ListAll(c, false, true); }},
};

}  // namespace

std::span<const HandlerRow> HashCommands() { return kRows; }

}  // namespace interlock::sim::redis
