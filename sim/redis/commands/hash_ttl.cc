// SPDX-License-Identifier: MIT
//
// TTLs of the fields of hashes: HEXPIRE and its relatives, HTTL, HPERSIST.
#include <algorithm>
#include <limits>
#include <string>

#include "sim/redis/commands/collections.h"
#include "sim/redis/commands/expire_options.h"
#include "sim/redis/commands/field_list.h"
#include "sim/redis/commands/hash_fields.h"
#include "sim/redis/engine.h"
#include "sim/redis/text.h"

namespace interlock::sim::redis {

namespace {

constexpr std::int64_t kNoField = -2;
constexpr std::int64_t kNoTtl = -1;
constexpr std::int64_t kRefused = 0;
constexpr std::int64_t kDone = 1;
constexpr std::int64_t kDeleted = 2;

struct ExpireRequest {
  ExpireOptions options;
  Arguments fields;
  std::size_t fields_at = 0;  // The argument FIELDS.
  std::int64_t when = 0;
  Hash* hash = nullptr;  // Null: the key is missing.
};

// Redis: the type, the time, one condition, the fields.
bool ParseForRedis(Context& c, const TtlUnit& unit, ExpireRequest* request) {
  if (!c.Get(c.args[1], &request->hash)) return false;
  if (!ReadFieldExpiry(c, c.args[2], unit, &request->when)) return false;
  request->fields_at = 3;
  for (const std::string_view word : {"nx", "xx", "gt", "lt"}) {
    if (!EqualsIgnoreCase(c.args[3], word)) continue;
    if (!ParseExpireOptions(c, c.args.subspan(3, 1), &request->options)) return false;
    request->fields_at = 4;
  }
  return ParseFieldsAt(c, request->fields_at, "ERR Parameter `numFields` should be greater than 0",
                       &request->fields);
}

// Valkey: any conditions that go together, the fields, the time, the type.
bool ParseForValkey(Context& c, const TtlUnit& unit, ExpireRequest* request) {
  if (!FindFields(c, 3, &request->fields_at)) return false;
  const Arguments words = c.args.subspan(3, request->fields_at - 3);
  return ParseExpireOptions(c, words, &request->options) &&
         ParseFieldsAfter(c, request->fields_at, 1, kFieldMismatch, &request->fields) &&
         ReadFieldExpiry(c, c.args[2], unit, &request->when) && c.Get(c.args[1], &request->hash);
}

// HPEXPIREAT with the same conditions, for these fields.
void PropagateExpiry(Context& c, const ExpireRequest& request, Arguments fields) {
  const std::string time = std::to_string(request.when);
  const std::string count = std::to_string(fields.size());
  std::vector<std::string_view> effect(
      c.args.begin(), c.args.begin() + static_cast<std::ptrdiff_t>(request.fields_at) + 1);
  if (c.command.name != "hpexpireat") effect[0] = "HPEXPIREAT";
  effect[2] = time;
  effect.push_back(count);
  effect.insert(effect.end(), fields.begin(), fields.end());
  c.Propagate(effect);
}

std::int64_t ExpireField(Context& c, const ExpireRequest& request, std::string_view field) {
  Hash* const hash = request.hash;
  if (hash == nullptr || hash->Find(field) == nullptr) return kNoField;
  // In Redis it lives again.
  if (c.dialect().valkey && IsHidden(c, *hash, field)) return kNoField;
  if (!Permits(request.options, hash->ExpiryOf(field), request.when)) return kRefused;
  if (c.DeletesAt(request.when)) {
    hash->Remove(field);
    return kDeleted;
  }
  hash->SetExpiry(field, request.when, TimedFormOf(c.dialect()));
  return kDone;
}

void HExpire(Context& c, std::string_view unit_name) {
  ExpireRequest request;
  const TtlUnit& unit = *FindTtlUnit(unit_name);
  const bool parsed =
      c.dialect().valkey ? ParseForValkey(c, unit, &request) : ParseForRedis(c, unit, &request);
  if (!parsed) return;
  const std::string_view key = c.args[1];
  if (request.hash != nullptr) request.hash->PrepareForTtls(TimedFormOf(c.dialect()));
  std::vector<std::string_view> changed;
  std::vector<std::string_view> deleted;
  for (const std::string_view field : request.fields) {
    const std::int64_t result = ExpireField(c, request, field);
    if (result == kDone) changed.push_back(field);
    if (result == kDeleted) deleted.push_back(field);
    c.Array().push_back(IntegerValue(result));
  }
  if (!deleted.empty()) return DeleteFieldsAsOver(c, *request.hash, deleted);
  if (changed.empty()) return;
  c.Touch(key, changed.size());
  c.Notify(kNotifyHash, "hexpire", key);
  PropagateExpiry(c, request, c.dialect().valkey ? request.fields : Arguments(changed));
}

// To Redis a field is no longer there in the last millisecond of its TTL, though it can be read.
bool HasNoTtlToShow(const Context& c, const Hash& hash, std::string_view field) {
  if (hash.Find(field) == nullptr || IsHidden(c, hash, field)) return true;
  const std::int64_t expiry = hash.ExpiryOf(field);
  return !c.dialect().valkey && expiry != kNoExpiry && expiry <= c.keyspace().expiry_clock_ms();
}

std::int64_t InSeconds(const Dialect& dialect, std::int64_t ms) {
  const std::int64_t rest = ms % 1000;
  return ms / 1000 + (rest >= (dialect.valkey ? 500 : 1) ? 1 : 0);
}

void HTtl(Context& c, bool seconds, bool absolute) {
  Arguments fields;
  Hash* hash = nullptr;
  if (!ParseHashFields(c, kSyntax, &fields, &hash)) return;
  for (const std::string_view field : fields) {
    std::int64_t shown = kNoField;
    if (hash != nullptr && !HasNoTtlToShow(c, *hash, field)) {
      shown = hash->ExpiryOf(field);
      if (shown == kNoExpiry) {
        shown = kNoTtl;
      } else {
        if (!absolute) shown = std::max<std::int64_t>(shown - c.engine.now_ms(), 0);
        if (seconds) shown = InSeconds(c.dialect(), shown);
      }
    }
    c.Array().push_back(IntegerValue(shown));
  }
}

void HPersist(Context& c) {
  Arguments fields;
  Hash* hash = nullptr;
  if (!ParseHashFields(c, kFieldMismatch, &fields, &hash)) return;
  std::size_t changed = 0;
  for (const std::string_view field : fields) {
    std::int64_t result = kNoField;
    if (hash != nullptr && hash->Find(field) != nullptr && !IsHidden(c, *hash, field)) {
      result = hash->ExpiryOf(field) == kNoExpiry ? kNoTtl : kDone;
    }
    if (result == kDone) {
      hash->SetExpiry(field, kNoExpiry, TimedFormOf(c.dialect()));
      ++changed;
    }
    c.Array().push_back(IntegerValue(result));
  }
  if (changed == 0) return;
  c.Touch(c.args[1], changed);
  c.Notify(kNotifyHash, "hpersist", c.args[1]);
}

constexpr HandlerRow kHashTtlCommands[] = {
    {"hexpire", [](Context& c) { HExpire(c, "ex"); }},
    {"hpexpire", [](Context& c) { HExpire(c, "px"); }},
    {"hexpireat", [](Context& c) { HExpire(c, "exat"); }},
    {"hpexpireat", [](Context& c) { HExpire(c, "pxat"); }},
    {"httl", [](Context& c) { HTtl(c, true, false); }},
    {"hpttl", [](Context& c) { HTtl(c, false, false); }},
    {"hexpiretime", [](Context& c) { HTtl(c, true, true); }},
    {"hpexpiretime", [](Context& c) { HTtl(c, false, true); }},
    {"hpersist", &HPersist},
};

}  // namespace

std::span<const HandlerRow> HashTtlCommands() { return kHashTtlCommands; }

}  // namespace interlock::sim::redis
