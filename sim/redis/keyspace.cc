// SPDX-License-Identifier: MIT
#include "sim/redis/keyspace.h"

#include <algorithm>

#include "sim/redis/memory.h"
#include "sim/redis/overwrite.h"

namespace interlock::sim::redis {

void Keyspace::Reset() {
  for (Database& database : databases_) {
    while (!database.empty()) Discard(database, database.begin());
  }
  watched_.Clear();
  ready_keys_.clear();
  track_ready_keys_ = false;
  footprint_ = nullptr;
  lookups_ = {};
  used_memory_ = 0;
  expiry_mode_ = ExpiryMode::kDelete;
  frozen_ms_.reset();
  now_ms_ = 0;
  mutations_ = 0;
  changes_ = 0;
  ++key_set_version_;
}

Database::iterator Keyspace::Locate(Database& keys, std::string_view key) {
  if (const auto* known = recent_.Find(keys, key)) return *known;
  const auto at = keys.find(key);
  if (at != keys.end()) recent_.Note(keys, at);
  return at;
}

Entry* Keyspace::Find(int database, std::string_view key) {
  NoteRead(database, key);
  Database& keys = databases_[Index(database)];
  const auto at = Locate(keys, key);
  ++lookups_.misses;
  if (at == keys.end()) return nullptr;
  if (IsExpired(at->second) && expiry_mode_ != ExpiryMode::kIgnore) {
    if (expiry_mode_ == ExpiryMode::kDelete) DeleteExpiredKey(database, at);
    return nullptr;
  }
  --lookups_.misses;
  ++lookups_.hits;
  return &at->second;
}

Entry* Keyspace::FindToWrite(int database, std::string_view key) {
  NoteRead(database, key);
  Database& keys = databases_[Index(database)];
  const auto at = Locate(keys, key);
  if (at == keys.end()) return nullptr;
  if (IsExpired(at->second) && expiry_mode_ != ExpiryMode::kIgnore) {
    DeleteExpiredKey(database, at);
    return nullptr;
  }
  return &at->second;
}

const Entry* Keyspace::Peek(int database, std::string_view key) const {
  NoteRead(database, key);
  const Database& keys = databases_[Index(database)];
  const auto* known = recent_.Find(keys, key);
  const Database::const_iterator at = known != nullptr ? *known : keys.find(key);
  return at == keys.end() || IsExpired(at->second) ? nullptr : &at->second;
}

Entry& Keyspace::Add(int database, std::string_view key, Data data, std::int64_t expires_at_ms) {
  return Insert(database, key, Entry{std::move(data), expires_at_ms});
}

Entry& Keyspace::PutText(int database, std::string_view key, std::string_view text,
                         std::int64_t expires_at_ms, bool keep_ttl) {
  NoteRead(database, key);
  NoteWrite(database, key);
  Database& keys = databases_[Index(database)];
  const auto* const known = recent_.Find(keys, key);
  auto at = known != nullptr ? *known : keys.lower_bound(key);
  bool found = known != nullptr || (at != keys.end() && at->first == key);
  if (found && known == nullptr) recent_.Note(keys, at);
  if (found && IsExpired(at->second) && expiry_mode_ != ExpiryMode::kIgnore) {
    DeleteExpiredKey(database, at++);
    found = false;
  }
  if (!found) at = PlaceBefore(keys, at, key);
  Entry& entry = at->second;
  if (auto* old = std::get_if<std::string>(&entry.data)) {
    Overwrite(old, text);
  } else {
    entry.data = std::string(text);
  }
  entry.form = StringForm::kShortest;
  if (!found || !keep_ttl) entry.expires_at_ms = expires_at_ms;
  if (!found) return Placed(database, at, true);
  entry.accessed_ms = now_ms_;
  return entry;
}

Entry& Keyspace::Insert(int database, std::string_view key, Entry entry) {
  NoteWrite(database, key);
  Database& keys = databases_[Index(database)];
  auto at = keys.lower_bound(key);
  const bool added = at == keys.end() || at->first != key;
  if (added) at = PlaceBefore(keys, at, key);
  entry.size = at->second.size;
  at->second = std::move(entry);
  return Placed(database, at, added);
}

Database::iterator Keyspace::PlaceBefore(Database& keys, Database::iterator next,
                                         std::string_view key) {
  if (spare_.empty()) {
    const auto made = keys.emplace_hint(next, key, Entry());
    recent_.Note(keys, made);
    return made;
  }
  Database::node_type node = std::move(spare_.back());
  spare_.pop_back();
  Overwrite(&node.key(), key);
  node.mapped().size = 0;
  const auto at = keys.insert(next, std::move(node));
  recent_.Note(keys, at);
  return at;
}

Entry& Keyspace::Placed(int database, Database::iterator at, bool added) {
  Entry& entry = at->second;
  if (track_memory_) used_memory_ -= entry.size;
  entry.size = 0;
  entry.accessed_ms = now_ms_;
  if (added) ++key_set_version_;
  if (added && track_ready_keys_) MarkReady(database, at->first, entry);
  if (added && listener_ != nullptr) listener_->OnAdded(database, at->first);
  return entry;
}

void Keyspace::Discard(Database& keys, Database::iterator at) {
  constexpr std::size_t kMostSpare = 64;
  constexpr std::size_t kMostBytes = 1024;  // What is large goes back to the heap.
  recent_.Forget(at->first);
  if (spare_.size() == kMostSpare || at->first.capacity() > kMostBytes) {
    keys.erase(at);
    return;
  }
  Database::node_type node = keys.extract(at);
  const auto* text = std::get_if<std::string>(&node.mapped().data);
  if (text == nullptr || text->capacity() > kMostBytes) node.mapped().data = std::string();
  spare_.push_back(std::move(node));
}

bool Keyspace::Remove(int database, std::string_view key) {
  NoteRead(database, key);
  Database& keys = databases_[Index(database)];
  const auto at = Locate(keys, key);
  if (at == keys.end()) return false;
  NoteWrite(database, key);
  if (track_memory_) used_memory_ -= at->second.size;
  Discard(keys, at);
  ++key_set_version_;
  return true;
}

void Keyspace::DeleteExpiredKey(int database, Database::iterator at) {
  const std::string key = at->first;
  NoteWrite(database, key);
  if (track_memory_) used_memory_ -= at->second.size;
  Discard(databases_[Index(database)], at);
  ++mutations_;
  ++key_set_version_;
  watched_.Touch(database, key, databases_[Index(database)]);
  if (listener_ != nullptr) listener_->OnExpired(database, key);
}

void Keyspace::TouchQuietly(int database, std::string_view key, std::size_t changes) {
  NoteWrite(database, key);
  ++mutations_;
  changes_ += changes;
  if (track_memory_) Account(database, key);
  watched_.Touch(database, key, databases_[Index(database)]);
}

void Keyspace::Account(int database, std::string_view key) {
  Database& keys = databases_[Index(database)];
  const auto at = keys.find(key);
  if (at == keys.end()) return;
  used_memory_ -= at->second.size;
  at->second.size = EstimateSize(at->first, at->second);
  used_memory_ += at->second.size;
}

void Keyspace::TrackMemory(bool track) {
  if (track == track_memory_) return;
  track_memory_ = track;
  used_memory_ = 0;
  for (Database& database : databases_) {
    for (auto& [key, entry] : database) {
      entry.size = EstimateSize(key, entry);
      used_memory_ += entry.size;
    }
  }
}

std::size_t Keyspace::used_memory() const {
  if (track_memory_) return used_memory_;
  std::size_t used = 0;
  for (const Database& database : databases_) {
    for (const auto& [key, entry] : database) used += EstimateSize(key, entry);
  }
  return used;
}

void Keyspace::Clear(int database) {
  TouchAll();
  Database& keys = databases_[Index(database)];
  watched_.TouchAll(database, keys);
  mutations_ += keys.size();
  changes_ += keys.size();
  if (track_memory_) {
    for (const auto& [key, entry] : keys) used_memory_ -= entry.size;
  }
  recent_.ForgetAll();
  keys.clear();
  ++key_set_version_;
}

void Keyspace::Replace(Databases databases) {
  if (listener_ != nullptr) listener_->OnReplaced();
  for (int database = 0; database < kDatabases; ++database) Clear(database);
  databases_ = std::move(databases);
  ++mutations_;
}

void Keyspace::ForgetExpired() {
  TouchAll();
  recent_.ForgetAll();
  for (Database& keys : databases_) {
    std::erase_if(keys, [&](const auto& item) { return IsExpired(item.second); });
  }
}

void Keyspace::DeleteExpired(int database) {
  Database& keys = databases_[Index(database)];
  for (auto at = keys.begin(); at != keys.end();) {
    const auto next = std::next(at);
    if (IsExpired(at->second)) DeleteExpiredKey(database, at);
    at = next;
  }
}

void Keyspace::Swap(int first, int second) {
  ++mutations_;
  ++changes_;
  ++key_set_version_;
  if (first == second) return;
  TouchAll();
  Database& one = databases_[Index(first)];
  Database& other = databases_[Index(second)];
  watched_.TouchSwapped(first, one, other, expiry_clock_ms());
  watched_.TouchSwapped(second, other, one, expiry_clock_ms());
  recent_.ForgetAll();
  std::swap(one, other);
}

std::uint64_t Keyspace::ScanFrom(int database, std::uint64_t cursor, std::uint64_t count,
                                 std::vector<std::string>* page) {
  if (!scan_order_.IsOf(database, key_set_version_)) {
    scan_order_.Take(database, key_set_version_, keys(database));
  }
  return scan_order_.PageFrom(cursor, count, page);
}

void Keyspace::MarkReady(int database, std::string_view key, const Entry& entry) {
  const bool awaited =
      std::holds_alternative<List>(entry.data) || std::holds_alternative<SortedSet>(entry.data);
  if (awaited) ready_keys_.emplace_back(database, key);
}

void Keyspace::TakeReadyKeys(ReadyKeys* taken) {
  taken->clear();
  std::swap(*taken, ready_keys_);
}

}  // namespace interlock::sim::redis
