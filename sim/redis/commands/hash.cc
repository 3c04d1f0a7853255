// SPDX-License-Identifier: MIT
#include <cmath>

#include "sim/redis/commands/collections.h"
#include "sim/redis/commands/hash_fields.h"
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
  std::vector<std::string_view> ended;
  for (std::size_t i = 2; i < c.args.size(); i += 2) {
    const bool is_new = hash->timed()
                            ? SetField(c, hash, c.args[i], c.args[i + 1], kNoExpiry, &ended)
                            : hash->Set(c.args[i], c.args[i + 1], c.engine.encoding_limits);
    created += is_new ? 1 : 0;
  }
  TellOfEnded(c, c.args[1], ended);
  c.Touch(c.args[1], c.args.size() / 2 - 1);
  c.Notify(kNotifyHash, "hset", c.args[1]);
  if (status_reply) return c.Ok();
  c.Integer(created);
}

struct Change {
  std::string_view event;
  std::int64_t expires_at_ms = kNoExpiry;
  bool as_value = false;  // Propagated as the value that results.
};

// To the field that the command names; the hash is made if there is none. Valkey propagates the
// value that results wherever a field of the hash has a TTL.
void Put(Context& c, Hash* hash, std::string_view value, const Change& change) {
  const std::string_view key = c.args[1];
  const std::string_view field = c.args[2];
  if (hash == nullptr) hash = &c.Create<Hash>(key);
  const bool timed = hash->timed();
  if (timed) {
    std::vector<std::string_view> ended;
    SetField(c, hash, field, value, change.expires_at_ms, &ended);
    TellOfEnded(c, key, ended);
  } else {
    hash->Set(field, value, c.engine.encoding_limits);
  }
  c.Touch(key);
  c.Notify(kNotifyHash, change.event, key);
  if (change.as_value || (timed && c.dialect().valkey)) {
    PropagateField(c, field, value, change.expires_at_ms);
  }
}

void HSetNx(Context& c) {
  Hash* hash = nullptr;
  if (!c.Get(c.args[1], &hash)) return;
  FieldFinder finder(c, c.args[1], hash);
  if (finder.Find(c.args[2]) != nullptr) return c.Integer(std::int64_t{0});
  Put(c, finder.Settle(), c.args[3], {.event = "hset"});
  c.Integer(std::int64_t{1});
}

void HGet(Context& c) {
  Hash* hash = nullptr;
  if (!c.Get(c.args[1], &hash)) return;
  FieldFinder finder(c, c.args[1], hash);
  if (const std::string* value = finder.Find(c.args[2])) c.String(*value);
  finder.Settle();
}

void HMGet(Context& c) {
  Hash* hash = nullptr;
  if (!c.Get(c.args[1], &hash)) return;
  FieldFinder finder(c, c.args[1], hash);
  for (const std::string_view field : c.args.subspan(2)) {
    const std::string* value = finder.Find(field);
    c.Array().push_back(value == nullptr ? NilValue() : StringValue(*value));
  }
  finder.Settle(AfterLook::kHMGet);
}

void HDel(Context& c) {
  Hash* hash = nullptr;
  if (!c.Get(c.args[1], &hash)) return;
  std::int64_t removed = 0;
  if (hash != nullptr) {
    for (const std::string_view field : c.args.subspan(2)) {
      if (IsHidden(c, *hash, field) && c.dialect().valkey) continue;
      removed += hash->Remove(field) ? 1 : 0;
    }
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
  FieldFinder finder(c, c.args[1], hash);
  const std::string* value = finder.Find(c.args[2]);
  c.Integer(value == nullptr ? std::size_t{0} : value->size());
  finder.Settle();
}

void HExists(Context& c) {
  Hash* hash = nullptr;
  if (!c.Get(c.args[1], &hash)) return;
  FieldFinder finder(c, c.args[1], hash);
  c.Integer(std::int64_t{finder.Find(c.args[2]) != nullptr ? 1 : 0});
  finder.Settle();
}

void ListAll(Context& c, bool fields, bool values) {
  Hash* hash = nullptr;
  if (!c.Get(c.args[1], &hash)) return;
  std::vector<Value>& all = fields && values ? c.Map() : c.Array();
  if (hash == nullptr) return;
  for (const auto& [field, value] : hash->items()) {
    if (IsHidden(c, *hash, field)) continue;
    if (fields) all.push_back(StringValue(field));
    if (values) all.push_back(StringValue(value));
  }
}

void HIncrBy(Context& c) {
  std::int64_t by = 0;
  if (!c.ParseInt(c.args[3], &by)) return;
  Hash* hash = nullptr;
  if (!c.Get(c.args[1], &hash)) return;
  FieldFinder finder(c, c.args[1], hash);
  std::int64_t number = 0;
  std::int64_t expires_at_ms = kNoExpiry;
  if (const std::string* value = finder.Find(c.args[2])) {
    if (!c.ParseInt(*value, &number, "ERR hash value is not an integer")) return;
    expires_at_ms = hash->ExpiryOf(c.args[2]);
  }
  hash = finder.Settle();
  if (__builtin_add_overflow(number, by, &number)) return c.Error(kOverflow);
  Put(c, hash, std::to_string(number), {.event = "hincrby", .expires_at_ms = expires_at_ms});
  c.Integer(number);
}

void HIncrByFloat(Context& c) {
  long double by = 0;
  if (!ParseLongDouble(c.args[3], &by)) return c.Error(kNotFloat);
  if (!std::isfinite(by)) return c.Error("ERR value is NaN or Infinity");
  Hash* hash = nullptr;
  if (!c.Get(c.args[1], &hash)) return;
  FieldFinder finder(c, c.args[1], hash);
  long double number = 0;
  std::int64_t expires_at_ms = kNoExpiry;
  if (const std::string* value = finder.Find(c.args[2])) {
    if (!ParseLongDouble(*value, &number)) return c.Error("ERR hash value is not a float");
    expires_at_ms = hash->ExpiryOf(c.args[2]);
  }
  hash = finder.Settle();
  number += by;
  if (!std::isfinite(number)) return c.Error("ERR increment would produce NaN or Infinity");
  const std::string text = FormatLongDouble(number);
  Put(c, hash, text, {.event = "hincrbyfloat", .expires_at_ms = expires_at_ms, .as_value = true});
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

// What HRANDFIELD chooses from; Redis also takes what it hides but does not delete.
std::vector<const Hash::Item*> Eligible(const Context& c, const Hash& hash) {
  std::vector<const Hash::Item*> fields;
  for (const Hash::Item& item : hash.items()) {
    if (!c.dialect().valkey || !IsHidden(c, hash, item.first)) fields.push_back(&item);
  }
  return fields;
}

void HRandField(Context& c) {
  RandomRequest request;
  if (!ParseRandomRequest(c, "withvalues", &request)) return;
  Hash* hash = nullptr;
  if (!c.Get(c.args[1], &hash)) return;
  // A copy of one whose fields were all over; the real server (Valkey 9.1.2) crashes.
  if (hash != nullptr && hash->size() == 0) {
    return c.Unmodelled("HRANDFIELD of a hash without fields");
  }
  if (request.has_count) c.EmptyArray();
  FieldFinder finder(c, c.args[1], hash);
  finder.FindAll();
  hash = finder.Settle();
  if (hash == nullptr) return;
  std::vector<const Hash::Item*> fields;
  if (hash->timed()) fields = Eligible(c, *hash);
  const std::size_t size = hash->timed() ? fields.size() : hash->size();
  const auto at = [&](std::size_t i) -> const Hash::Item& {
    return hash->timed() ? *fields[i] : hash->items()[i];
  };
  if (!request.has_count) {
    if (size > 0) c.String(at(c.engine.dice.Choose(size)).first);
    return;
  }
  for (const std::size_t i : ChoosePositions(c.engine, size, request.count, hash->compact())) {
    AppendField(c, at(i), request.pairs);
  }
}

void HScan(Context& c) {
  std::uint64_t cursor = 0;
  if (!ParseScanCursor(c, c.args[2], &cursor)) return;
  Hash* hash = nullptr;
  if (!c.Get(c.args[1], &hash)) return;
  if (hash == nullptr) return ReplyScanPage(c, {}, {});
  ScanPage page;
  if (!ParseScanPage(c, ScanOf::kHash, cursor, hash->size(), hash->compact(), &page)) return;
  std::vector<Value> found;
  for (std::size_t at = page.first; at < page.last; ++at) {
    const auto& [field, value] = hash->items()[at];
    if (!GlobMatch(page.pattern, field) || IsHidden(c, *hash, field)) continue;
    found.push_back(StringValue(field));
    if (!page.names_only) found.push_back(StringValue(value));
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
