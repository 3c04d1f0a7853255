// SPDX-License-Identifier: MIT
#include "sim/redis/keyspace.h"

#include <algorithm>

namespace interlock::sim::redis {

void Keyspace::Reset() {
  for (Database& database : databases_) database.clear();
  watches_.clear();
  new_lists_.clear();
  track_new_lists_ = false;
  now_ms_ = 0;
  mutations_ = 0;
}

Entry* Keyspace::Find(int database, std::string_view key) {
  Database& keys = databases_[Index(database)];
  const auto at = keys.find(key);
  if (at == keys.end()) return nullptr;
  if (IsExpired(at->second)) {
    Delete(database, at);
    return nullptr;
  }
  return &at->second;
}

const Entry* Keyspace::Peek(int database, std::string_view key) const {
  const Database& keys = databases_[Index(database)];
  const auto at = keys.find(key);
  return at == keys.end() || IsExpired(at->second) ? nullptr : &at->second;
}

Entry& Keyspace::Add(int database, std::string_view key, Data data, std::int64_t expires_at_ms) {
  if (track_new_lists_ && std::holds_alternative<List>(data)) {
    new_lists_.emplace_back(database, key);
  }
  Entry entry{std::move(data), expires_at_ms};
  return databases_[Index(database)].emplace(key, std::move(entry)).first->second;
}

bool Keyspace::Remove(int database, std::string_view key) {
  Database& keys = databases_[Index(database)];
  const auto at = keys.find(key);
  if (at == keys.end()) return false;
  keys.erase(at);
  return true;
}

void Keyspace::Delete(int database, Database::iterator at) {
  const std::string key = at->first;
  databases_[Index(database)].erase(at);
  Touch(database, key);
}

void Keyspace::Touch(int database, std::string_view key) {
  ++mutations_;
  for (Watch& watch : watches_) {
    if (watch.database != database || watch.key != key) continue;
    if (!watch.expired) {
      watch.dirty = true;
      continue;
    }
    // The first touch of a key that had expired before WATCH is its own deletion, unless the key
    // was written anew.
    const Database& keys = databases_[Index(database)];
    if (keys.find(key) == keys.end()) {
      watch.expired = false;
    } else {
      watch.dirty = true;
    }
  }
}

void Keyspace::Clear(int database) {
  Database& keys = databases_[Index(database)];
  for (Watch& watch : watches_) {
    if (watch.database != database || keys.find(watch.key) == keys.end()) continue;
    if (watch.expired) {
      watch.expired = false;
    } else {
      watch.dirty = true;
    }
  }
  mutations_ += keys.size();
  keys.clear();
}

void Keyspace::DeleteExpired(int database) {
  Database& keys = databases_[Index(database)];
  for (auto at = keys.begin(); at != keys.end();) {
    const auto next = std::next(at);
    if (IsExpired(at->second)) Delete(database, at);
    at = next;
  }
}

void Keyspace::AddWatch(std::uint64_t client, int database, std::string_view key) {
  for (const Watch& watch : watches_) {
    if (watch.client == client && watch.database == database && watch.key == key) return;
  }
  const Database& keys = databases_[Index(database)];
  const auto at = keys.find(key);
  const bool expired = at != keys.end() && IsExpired(at->second);
  watches_.push_back({client, database, std::string(key), expired, false});
}

void Keyspace::RemoveWatches(std::uint64_t client) {
  std::erase_if(watches_, [&](const Watch& watch) { return watch.client == client; });
}

bool Keyspace::WatchFailed(std::uint64_t client) const {
  for (const Watch& watch : watches_) {
    if (watch.client != client) continue;
    if (watch.dirty) return true;
    if (watch.expired) continue;
    const Database& keys = databases_[Index(watch.database)];
    const auto at = keys.find(watch.key);
    if (at != keys.end() && IsExpired(at->second)) return true;
  }
  return false;
}

std::vector<std::pair<int, std::string>> Keyspace::TakeNewLists() {
  return std::exchange(new_lists_, {});
}

}  // namespace interlock::sim::redis
