// SPDX-License-Identifier: MIT
#include "sim/redis/commands/hash_fields.h"

#include "sim/redis/commands/collections.h"
#include "sim/redis/engine.h"

namespace interlock::sim::redis {

std::vector<std::string> RemoveHidden(const Context& c, Hash* hash) {
  std::vector<std::string> hidden;
  for (const auto& [field, value] : hash->items()) {
    if (IsHidden(c, *hash, field)) hidden.push_back(field);
  }
  for (const std::string& field : hidden) hash->Remove(field);
  return hidden;
}

TimedForm TimedFormOf(const Dialect& dialect) {
  return dialect.valkey ? TimedForm::kHashTable : TimedForm::kOrdered;
}

bool FieldFinder::deletes() const {
  return !c_.dialect().valkey && c_.keyspace().expiry_mode() == ExpiryMode::kDelete;
}

const std::string* FieldFinder::FindTimed(std::string_view field) {
  if (!IsHidden(c_, *hash_, field)) return hash_->Find(field);
  if (deletes()) {
    deleted_.emplace_back(field);
    hash_->Remove(field);
  }
  return nullptr;
}

void FieldFinder::FindAll() {
  if (hash_ == nullptr || !hash_->timed() || !deletes()) return;
  for (std::string& field : RemoveHidden(c_, hash_)) deleted_.push_back(std::move(field));
}

Hash* FieldFinder::SettleDeleted(AfterLook after) {
  for (const std::string& field : deleted_) {
    const std::string_view effect[] = {"HDEL", key_, field};
    c_.engine.journal.Add(c_.database(), effect);
  }
  c_.engine.statistics.CountEndedFields(deleted_.size());
  c_.Touch(key_, 0);
  const bool empty = hash_->size() == 0;
  if (empty && after == AfterLook::kHMGet && deleted_.size() == 1) {
    c_.Remove(key_);
    hash_ = nullptr;
  } else {
    c_.Notify(kNotifyHash, "hexpired", key_);
    if (empty && after != AfterLook::kKeepEmpty) {
      RemoveIfEmpty(c_, key_, *hash_);
      hash_ = nullptr;
    }
  }
  deleted_.clear();
  return hash_;
}

bool HasEnded(const Context& c, const Hash& hash, std::string_view field) {
  const std::int64_t old = hash.ExpiryOf(field);
  return c.dialect().valkey && old != kNoExpiry && old <= c.keyspace().expiry_clock_ms();
}

bool SetField(Context& c, Hash* hash, std::string_view field, std::string_view value,
              std::int64_t expires_at_ms, std::vector<std::string_view>* ended) {
  const bool has_ended = HasEnded(c, *hash, field);
  if (has_ended) ended->push_back(field);
  const std::int64_t old = hash->ExpiryOf(field);
  const bool created = hash->Set(field, value, c.engine.encoding_limits);
  if (old != expires_at_ms) hash->SetExpiry(field, expires_at_ms, TimedFormOf(c.dialect()));
  return created || has_ended;
}

void TellOfEnded(Context& c, std::string_view key, const std::vector<std::string_view>& ended) {
  c.engine.statistics.CountEndedFields(ended.size());
  if (!ended.empty()) c.Notify(kNotifyHash, "hexpired", key);
}

void DeleteFieldsAsOver(Context& c, const Hash& hash, const std::vector<std::string_view>& fields) {
  const std::string_view key = c.args[1];
  c.engine.statistics.CountEndedFields(fields.size());
  c.Touch(key, fields.size());
  if (c.dialect().valkey) {
    c.Notify(kNotifyHash, "hexpired", key);
    std::vector<std::string_view> effect = {"HDEL", key};
    effect.insert(effect.end(), fields.begin(), fields.end());
    c.Propagate(effect);
  } else {
    c.Notify(kNotifyHash, "hdel", key);
    for (const std::string_view field : fields) c.Propagate({"HDEL", key, field});
  }
  RemoveIfEmpty(c, key, hash);
}

void PropagateField(Context& c, std::string_view field, std::string_view value,
                    std::int64_t expires_at_ms) {
  const std::string_view key = c.args[1];
  if (c.dialect().IsIn(kNewerRedis)) {
    c.Propagate({"HSETEX", key, "KEEPTTL", "FIELDS", "1", field, value});
  } else if (expires_at_ms == kNoExpiry) {
    c.Propagate({"HSET", key, field, value});
  } else {
    const std::string time = std::to_string(expires_at_ms);
    c.Propagate({"HSETEX", key, "PXAT", time, "FIELDS", "1", field, value});
  }
}

}  // namespace interlock::sim::redis
