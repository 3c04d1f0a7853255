// SPDX-License-Identifier: MIT
//
// The sixteen databases: keys with values and expiries, and who watches them.
//
// A key is expired if now > its expiry (not at it). Find and the writers delete an expired key when
// they meet it; the const functions pretend that it is gone.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/redis/data.h"

namespace interlock::sim::redis {

inline constexpr std::int64_t kNoExpiry = -1;

struct Entry {
  Data data;
  std::int64_t expires_at_ms = kNoExpiry;
};

/// One WATCHed key of one client. `dirty` is set when the key is touched.
struct Watch {
  std::uint64_t client = 0;
  int database = 0;
  std::string key;
  bool expired = false;  // It was already expired when WATCH was called: its deletion is no change.
  bool dirty = false;
};

class Keyspace {
 public:
  static constexpr int kDatabases = 16;
  using Database = std::map<std::string, Entry, std::less<>>;

  void Reset();
  void SetNowMs(std::int64_t now_ms) { now_ms_ = now_ms; }
  std::int64_t now_ms() const { return now_ms_; }
  std::uint64_t mutations() const { return mutations_; }

  Entry* Find(int database, std::string_view key);
  const Entry* Peek(int database, std::string_view key) const;
  const Database& keys(int database) const { return databases_[Index(database)]; }
  bool IsExpired(const Entry& entry) const {
    return entry.expires_at_ms >= 0 && now_ms_ > entry.expires_at_ms;
  }

  /// REQUIRES: the key is absent. A new list is remembered in TakeNewLists().
  Entry& Add(int database, std::string_view key, Data data, std::int64_t expires_at_ms = kNoExpiry);
  /// True if there was a key; says nothing to watchers, which is Touch's work.
  bool Remove(int database, std::string_view key);
  /// Every change of a value or a TTL ends here.
  void Touch(int database, std::string_view key);
  /// Removes all keys of the database, touching those that are watched.
  void Clear(int database);
  void DeleteExpired(int database);

  void AddWatch(std::uint64_t client, int database, std::string_view key);
  void RemoveWatches(std::uint64_t client);
  /// Was a key that this client watches touched, or has it expired since?
  bool WatchFailed(std::uint64_t client) const;

  /// Lists created since the last call, in order, while `track_new_lists`: what waiters wait for.
  std::vector<std::pair<int, std::string>> TakeNewLists();
  bool HasNewLists() const { return !new_lists_.empty(); }
  void TrackNewLists(bool track) { track_new_lists_ = track; }

 private:
  static std::size_t Index(int database) { return static_cast<std::size_t>(database); }
  void Delete(int database, Database::iterator at);

  std::array<Database, kDatabases> databases_;
  std::vector<Watch> watches_;
  std::vector<std::pair<int, std::string>> new_lists_;
  bool track_new_lists_ = false;
  std::int64_t now_ms_ = 0;
  std::uint64_t mutations_ = 0;
};

}  // namespace interlock::sim::redis
