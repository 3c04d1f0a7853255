// SPDX-License-Identifier: MIT
#include <cmath>

#include "sim/redis/commands/collections.h"
#include "sim/redis/commands/scan_options.h"
#include "sim/redis/text.h"

namespace interlock::sim::redis {

namespace {

// The hash at the key, made if missing; null, with WRONGTYPE as reply, for another type.
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
    created += hash->Set(c.args[i], c.args[i + 1], c.engine.encoding_limits) ? 1 : 0;
  }
  c.Touch(c.args[1], c.args.size() / 2 - 1);
  c.Notify(kNotifyHash, "hset", c.args[1]);
  if (status_reply) return c.Ok();
  c.Integer(created);
}

void Put(Context& c, Hash* hash, std::string_view field, std::string_view value,
         std::string_view event) {
  if (hash == nullptr) hash = &c.Create<Hash>(c.args[1]);
  hash->Set(field, value, c.engine.encoding_limits);
  c.Touch(c.args[1]);
  c.Notify(kNotifyHash, event, c.args[1]);
}

void HSetNx(Context& c) {
  Hash* hash = nullptr;
  if (!c.Get(c.args[1], &hash)) return;
  if (hash != nullptr && hash->Find(c.args[2]) != nullptr) return c.Integer(std::int64_t{0});
  Put(c, hash, c.args[2], c.args[3], "hset");
  c.Integer(std::int64_t{1});
}

const std::string* FindField(const Hash* hash, std::string_view field) {
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
    if (removed > 0) {
      c.Touch(c.args[1], static_cast<std::size_t>(removed));
      c.Notify(kNotifyHash, "hdel", c.args[1]);
      RemoveIfEmpty(c, c.args[1], *hash);
    }
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
  std::vector<Value>& all = fields && values ? c.Map() : c.Array();
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
  Put(c, hash, c.args[2], std::to_string(number), "hincrby");
  c.Integer(number);
}

void HIncrByFloat(Context& c) {
  long double by = 0;
  if (!ParseLongDouble(c.args[3], &by)) return c.Error(kNotFloat);
  if (!std::isfinite(by)) return c.Error("ERR value is NaN or Infinity");
  Hash* hash = nullptr;
  if (!c.Get(c.args[1], &hash)) return;
  long double number = 0;
  if (const std::string* value = FindField(hash, c.args[2])) {
    if (!ParseLongDouble(*value, &number)) return c.Error("ERR hash value is not a float");
  }
  number += by;
  if (!std::isfinite(number)) return c.Error("ERR increment would produce NaN or Infinity");
  const std::string text = FormatLongDouble(number);
  Put(c, hash, c.args[2], text, "hincrbyfloat");
  c.Propagate({"HSET", c.args[1], c.args[2], text});
  c.String(text);
}

void AppendField(Context& c, const Hash::Item& item, bool with_value) {
  std::vector<Value>& all = c.Array();
  if (with_value && c.resp3()) {
    all.push_back(ArrayValue({StringValue(item.first), StringValue(item.second)}));
    return;
  }
  all.push_back(StringValue(item.first));
  if (with_value) all.push_back(StringValue(item.second));
}

void HRandField(Context& c) {
  RandomRequest request;
  if (!ParseRandomRequest(c, "withvalues", &request)) return;
  Hash* hash = nullptr;
  if (!c.Get(c.args[1], &hash)) return;
  if (request.has_count) c.EmptyArray();
  if (hash == nullptr) return;
  if (!request.has_count) {
    return c.String(hash->items()[c.engine.Choose(hash->size())].first);
  }
  const auto chosen = ChoosePositions(c.engine, hash->size(), request.count, hash->compact());
  for (const std::size_t at : chosen) AppendField(c, hash->items()[at], request.pairs);
}

void HScan(Context& c) {
  std::uint64_t cursor = 0;
  if (!ParseScanCursor(c, c.args[2], &cursor)) return;
  Hash* hash = nullptr;
  if (!c.Get(c.args[1], &hash)) return;
  if (hash == nullptr) return ReplyScanPage(c, {}, {});
  ScanPage page;
  if (!ParseScanPage(c, cursor, hash->size(), hash->compact(), &page)) return;
  std::vector<Value> found;
  for (std::size_t at = page.first; at < page.last; ++at) {
    const auto& [field, value] = hash->items()[at];
    if (!GlobMatch(page.pattern, field)) continue;
    found.push_back(StringValue(field));
    found.push_back(StringValue(value));
  }
  ReplyScanPage(c, page, std::move(found));
}

constexpr HandlerRow kHashCommands[] = {
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
    {"hincrbyfloat", &HIncrByFloat},
    {"hrandfield", &HRandField},
    {"hscan", &HScan},
    {"hgetall", [](Context& c) { ListAll(c, true, true); }},
    {"hkeys", [](Context& c) { ListAll(c, true, false); }},
    {"hvals", [](Context& c) { ListAll(c, false, true); }},
};

}  // namespace

std::span<const HandlerRow> HashCommands() { return kHashCommands; }

}  // namespace interlock::sim::redis
