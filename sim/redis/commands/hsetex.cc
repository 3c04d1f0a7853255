// SPDX-License-Identifier: MIT
#include "sim/redis/commands/hsetex.h"

#include <string>

#include "sim/redis/commands/collections.h"
#include "sim/redis/commands/field_list.h"
#include "sim/redis/commands/field_options.h"
#include "sim/redis/commands/hash_fields.h"
#include "sim/redis/engine.h"
#include "sim/redis/text.h"

namespace interlock::sim::redis {

namespace {

struct Request {
  FieldOptions options;
  Arguments pairs;
  std::int64_t expires_at_ms = kNoExpiry;
  Hash* hash = nullptr;  // Null: the key is missing.
};

bool ParseForRedis(Context& c, Request* request) {
  return ParseHSetEx(c, &request->options, &request->pairs, &request->expires_at_ms) &&
         c.Get(c.args[1], &request->hash);
}

// Whether the key is one to be set comes before the time is read.
bool ParseForValkey(Context& c, Request* request) {
  FieldOptions& options = request->options;
  std::size_t fields_at = 0;
  if (!FindFields(c, 1, &fields_at) || !ParseFieldOptions(c, 2, fields_at, false, &options) ||
      !ParseFieldsAfter(c, fields_at, 2, kFieldMismatch, &request->pairs) ||
      !c.Get(c.args[1], &request->hash)) {
    return false;
  }
  if (request->hash == nullptr ? options.xx : options.nx) {
    c.Integer(std::int64_t{0});
    return false;
  }
  return options.unit == nullptr ||
         ReadFieldExpiry(c, c.args[options.expiry_at], *options.unit, &request->expires_at_ms);
}

// FNX and FXX: none or all of the fields are there. A hash that the look leaves empty is kept if
// it is about to be filled.
bool MeetsCondition(Context& c, Request* request) {
  const FieldOptions& options = request->options;
  FieldFinder finder(c, c.args[1], request->hash);
  bool met = true;
  for (std::size_t i = 0; met && (options.fnx || options.fxx) && i < request->pairs.size();
       i += 2) {
    met = (finder.Find(request->pairs[i]) != nullptr) == options.fxx;
  }
  request->hash = finder.Settle(met ? AfterLook::kKeepEmpty : AfterLook::kUsual);
  return met;
}

// With a time that has passed: the fields are set and deleted again. Redis propagates a deletion
// of each of them, Valkey only of those that were there, and without any it has changed nothing.
void SetAsOver(Context& c, Request* request) {
  const std::string_view key = c.args[1];
  Hash& hash = *request->hash;
  std::vector<std::string_view> deleted;
  for (std::size_t i = 0; i < request->pairs.size(); i += 2) {
    const std::string_view field = request->pairs[i];
    if (!c.dialect().valkey) hash.Set(field, request->pairs[i + 1], c.engine.encoding_limits);
    if (hash.Remove(field) || !c.dialect().valkey) deleted.push_back(field);
  }
  // Valkey counts those, too, that were not there.
  c.engine.statistics.CountEndedFields(request->pairs.size() / 2 - deleted.size());
  c.Notify(kNotifyHash, "hset", key);
  if (!c.dialect().valkey) return DeleteFieldsAsOver(c, hash, deleted);
  c.Notify(kNotifyHash, "hexpire", key);
  if (!deleted.empty()) return DeleteFieldsAsOver(c, hash, deleted);
  c.Notify(kNotifyHash, "hexpired", key);
  RemoveIfEmpty(c, key, hash);
}

// The time is absolute; what is propagated to Valkey is no longer under conditions.
void PropagateHSetEx(Context& c, const Request& request) {
  const std::size_t time_at = request.options.expiry_at;
  const std::string time = std::to_string(request.expires_at_ms);
  std::vector<std::string_view> effect;
  const auto options_end = static_cast<std::size_t>(request.pairs.data() - c.args.data()) - 2;
  for (std::size_t i = 0; i < c.args.size(); ++i) {
    const std::string_view word = c.args[i];
    if (time_at != 0 && i + 1 == time_at && !EqualsIgnoreCase(word, "pxat")) {
      effect.push_back("PXAT");
    } else if (time_at != 0 && i == time_at) {
      effect.push_back(time);
    } else if (c.dialect().valkey && i >= 2 && i < options_end && IsCondition(word)) {
      continue;
    } else {
      effect.push_back(word);
    }
  }
  c.Propagate(effect);
}

void SetFields(Context& c, const Request& request) {
  const std::string_view key = c.args[1];
  const FieldOptions& options = request.options;
  Hash* const hash = request.hash;
  const bool valkey = c.dialect().valkey;
  std::vector<std::string_view> ended;
  for (std::size_t i = 0; i < request.pairs.size(); i += 2) {
    const std::string_view field = request.pairs[i];
    std::int64_t expires_at_ms = request.expires_at_ms;
    if (options.keep_ttl && !HasEnded(c, *hash, field)) expires_at_ms = hash->ExpiryOf(field);
    SetField(c, hash, field, request.pairs[i + 1], expires_at_ms, &ended);
    // In Redis a renewed time moves the field, even if it is the same as before.
    if (options.unit != nullptr) hash->SetExpiry(field, expires_at_ms, TimedFormOf(c.dialect()));
  }
  TellOfEnded(c, key, ended);
  c.Touch(key, request.pairs.size() / 2);
  c.Notify(kNotifyHash, "hset", key);
  if (options.unit != nullptr) c.Notify(kNotifyHash, "hexpire", key);
  if (valkey && options.keep_ttl && !ended.empty()) {
    std::vector<std::string_view> effect = {"HDEL", key};
    effect.insert(effect.end(), ended.begin(), ended.end());
    c.Propagate(effect);
  }
  PropagateHSetEx(c, request);
}

}  // namespace

void HSetEx(Context& c) {
  Request request;
  if (!(c.dialect().valkey ? ParseForValkey(c, &request) : ParseForRedis(c, &request))) return;
  if (!MeetsCondition(c, &request)) return c.Integer(std::int64_t{0});
  c.Integer(std::int64_t{1});
  if (request.hash == nullptr) request.hash = &c.Create<Hash>(c.args[1]);
  const bool timed = request.options.unit != nullptr;
  if (timed) request.hash->PrepareForTtls(TimedFormOf(c.dialect()));
  if (timed && c.DeletesAt(request.expires_at_ms)) return SetAsOver(c, &request);
  SetFields(c, request);
}

}  // namespace interlock::sim::redis
