// SPDX-License-Identifier: MIT
#include "sim/redis/watched_keys.h"

#include <algorithm>
#include <set>
#include <utility>

namespace interlock::sim::redis {

void WatchedKeys::Add(std::uint64_t client, int database, std::string_view key,
                      const Database& keys, std::int64_t now_ms) {
  for (const Watch& watch : watches_) {
    if (watch.client == client && watch.database == database && watch.key == key) return;
  }
  const auto at = keys.find(key);
  const bool expired = at != keys.end() && at->second.IsExpiredAt(now_ms);
  watches_.push_back({client, database, std::string(key), expired, false});
}

void WatchedKeys::Remove(std::uint64_t client) {
  std::erase_if(watches_, [&](const Watch& watch) { return watch.client == client; });
}

std::size_t WatchedKeys::CountOf(std::uint64_t client) const {
  return static_cast<std::size_t>(
      std::count_if(watches_.begin(), watches_.end(),
                    [&](const Watch& watch) { return watch.client == client; }));
}

bool WatchedKeys::Failed(std::uint64_t client, const Databases& databases,
                         std::int64_t now_ms) const {
  for (const Watch& watch : watches_) {
    if (watch.client != client) continue;
    if (watch.dirty) return true;
    if (watch.expired) continue;
    const Database& keys = databases[static_cast<std::size_t>(watch.database)];
    const auto at = keys.find(watch.key);
    if (at != keys.end() && at->second.IsExpiredAt(now_ms)) return true;
  }
  return false;
}

void WatchedKeys::TouchWatched(int database, std::string_view key, const Database& keys) {
  for (Watch& watch : watches_) {
    if (watch.database != database || watch.key != key) continue;
    if (!watch.expired) {
      watch.dirty = true;
      continue;
    }
    // The first touch of a key that had expired before WATCH is its own deletion, unless the key
    // was written anew.
    if (keys.find(key) == keys.end()) {
      watch.expired = false;
    } else {
      watch.dirty = true;
    }
  }
}

bool WatchedKeys::Touched(std::uint64_t client) const {
  return std::any_of(watches_.begin(), watches_.end(),
                     [&](const Watch& watch) { return watch.client == client && watch.dirty; });
}

WatchedKeys::Counts WatchedKeys::CountAll() const {
  std::set<std::uint64_t> clients;
  std::set<std::pair<int, std::string_view>> keys;
  for (const Watch& watch : watches_) {
    clients.insert(watch.client);
    keys.emplace(watch.database, watch.key);
  }
  return {clients.size(), keys.size()};
}

void WatchedKeys::TouchAll(int database, const Database& keys) {
  for (Watch& watch : watches_) {
    if (watch.database != database || keys.find(watch.key) == keys.end()) continue;
    if (watch.expired) {
      watch.expired = false;
    } else {
      watch.dirty = true;
    }
  }
}

// A watched key stays in its database, and is touched if there is one before or after, unless it
// has expired in both.
void WatchedKeys::TouchSwapped(int database, const Database& before, const Database& after,
                               std::int64_t now_ms) {
  for (Watch& watch : watches_) {
    if (watch.database != database) continue;
    const bool existed = before.find(watch.key) != before.end();
    const auto next = after.find(watch.key);
    const bool exists = next != after.end();
    if (!existed && !exists) continue;
    const bool expired = exists && next->second.IsExpiredAt(now_ms);
    if (watch.expired && !exists) {
      watch.expired = false;
    } else if (expired && (watch.expired || !existed)) {
      watch.expired = true;
    } else {
      watch.dirty = true;
    }
  }
}

}  // namespace interlock::sim::redis
