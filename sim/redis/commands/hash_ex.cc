// SPDX-License-Identifier: MIT
//
// Fields of hashes together with their TTLs: HGETEX, HGETDEL. HSETEX has a file of its own.
#include <string>
#include <utility>

#include "sim/redis/commands/collections.h"
#include "sim/redis/commands/field_list.h"
#include "sim/redis/commands/field_options.h"
#include "sim/redis/commands/hash_fields.h"
#include "sim/redis/commands/hsetex.h"
#include "sim/redis/engine.h"
#include "sim/redis/text.h"

namespace interlock::sim::redis {

namespace {

struct GetExRequest {
  bool persist = false;
  bool has_expiry = false;
  std::int64_t expires_at_ms = kNoExpiry;
  Arguments fields;
  std::size_t fields_at = 2;  // The argument FIELDS.
  Hash* hash = nullptr;       // Null: the key is missing.
};

// Redis: the type, one option, the fields.
bool ParseGetExForRedis(Context& c, GetExRequest* request) {
  if (!c.Get(c.args[1], &request->hash)) return false;
  if (const TtlUnit* const unit = FindTtlUnit(c.args[2])) {
    request->has_expiry = true;
    request->fields_at = 4;
    if (!ReadFieldExpiry(c, c.args[3], *unit, &request->expires_at_ms)) return false;
  } else if (EqualsIgnoreCase(c.args[2], "persist")) {
    request->persist = true;
    request->fields_at = 3;
  }
  if (c.args.size() < request->fields_at + 2) {
    c.ArityError();
    return false;
  }
  return ParseFieldsAt(c, request->fields_at, kNoFieldCount, &request->fields);
}

// Valkey: the options, as GETEX takes them, the fields, the type, the time.
bool ParseGetExForValkey(Context& c, GetExRequest* request) {
  FieldOptions options;
  if (!FindFields(c, 1, &request->fields_at) ||
      !ParseFieldOptions(c, 2, request->fields_at, true, &options) ||
      !ParseFieldsAfter(c, request->fields_at, 1, kFieldMismatch, &request->fields) ||
      !c.GetToRead(c.args[1], &request->hash)) {
    return false;
  }
  request->persist = options.persist;
  request->has_expiry = options.unit != nullptr;
  return !request->has_expiry ||
         ReadFieldExpiry(c, c.args[options.expiry_at], *options.unit, &request->expires_at_ms);
}

// The effect names all fields to Redis, with the client's own word for FIELDS; to Valkey those
// that have changed.
void PropagateGetEx(Context& c, const GetExRequest& request,
                    const std::vector<std::string_view>& changed) {
  const bool valkey = c.dialect().valkey;
  const Arguments fields = valkey ? Arguments(changed) : request.fields;
  const std::string time = std::to_string(request.expires_at_ms);
  const std::string count = std::to_string(fields.size());
  std::vector<std::string_view> effect = {"HPERSIST", c.args[1]};
  if (request.has_expiry) effect = {"HPEXPIREAT", c.args[1], time};
  effect.push_back(valkey ? "FIELDS" : c.args[request.fields_at]);
  effect.push_back(count);
  effect.insert(effect.end(), fields.begin(), fields.end());
  c.Propagate(effect);
}

// Changes the TTL of a field that was found; true: it has changed, or is deleted.
bool ChangeTtl(Context& c, const GetExRequest& request, bool deletes, std::string_view field) {
  Hash& hash = *request.hash;
  if (deletes) return hash.Remove(field);
  if (!request.has_expiry && !(request.persist && hash.ExpiryOf(field) != kNoExpiry)) return false;
  hash.SetExpiry(field, request.expires_at_ms, TimedFormOf(c.dialect()));
  return true;
}

void HGetEx(Context& c) {
  GetExRequest request;
  if (!(c.dialect().valkey ? ParseGetExForValkey(c, &request) : ParseGetExForRedis(c, &request))) {
    return;
  }
  const std::string_view key = c.args[1];
  const bool deletes = request.has_expiry && c.DeletesAt(request.expires_at_ms);
  if (request.hash != nullptr && (request.has_expiry || request.persist)) {
    request.hash->PrepareForTtls(TimedFormOf(c.dialect()));
  }
  FieldFinder finder(c, key, request.hash);
  std::vector<std::string_view> changed;
  for (const std::string_view field : request.fields) {
    const std::string* value = finder.Find(field);
    c.Array().push_back(value == nullptr ? NilValue() : StringValue(*value));
    if (value != nullptr && ChangeTtl(c, request, deletes, field)) changed.push_back(field);
  }
  if (changed.empty()) {
    finder.Settle();
    return;
  }
  finder.Settle(AfterLook::kKeepEmpty);
  if (deletes) return DeleteFieldsAsOver(c, *request.hash, changed);
  c.Touch(key, changed.size());
  c.Notify(kNotifyHash, request.has_expiry ? "hexpire" : "hpersist", key);
  PropagateGetEx(c, request, changed);
}

void HGetDel(Context& c) {
  const std::string_view key = c.args[1];
  Arguments fields;
  Hash* hash = nullptr;
  if (!ParseHashFields(c, kFieldMismatch, &fields, &hash)) return;
  FieldFinder finder(c, key, hash);
  std::size_t removed = 0;
  for (const std::string_view field : fields) {
    const std::string* value = finder.Find(field);
    c.Array().push_back(value == nullptr ? NilValue() : StringValue(*value));
    if (value != nullptr) removed += hash->Remove(field) ? 1 : 0;
  }
  if (removed == 0) {
    finder.Settle();
    return;
  }
  finder.Settle(AfterLook::kKeepEmpty);
  c.Touch(key, removed);
  c.Notify(kNotifyHash, "hdel", key);
  if (!c.dialect().valkey) {
    std::vector<std::string_view> effect = {"HDEL", key};
    effect.insert(effect.end(), fields.begin(), fields.end());
    c.Propagate(effect);
  }
  RemoveIfEmpty(c, key, *hash);
}

constexpr HandlerRow kHashExCommands[] = {
    {"hgetex", &HGetEx},
    {"hgetdel", &HGetDel},
    {"hsetex", &HSetEx},
};

}  // namespace

std::span<const HandlerRow> HashExCommands() { return kHashExCommands; }

}  // namespace interlock::sim::redis
