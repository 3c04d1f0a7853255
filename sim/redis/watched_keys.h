// SPDX-License-Identifier: MIT
//
// The keys that clients WATCH, and which of them have been touched since. A key that had expired
// already when it was watched may be deleted: that is no change.
//
// Thread safety: none.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/redis/database.h"

namespace interlock::sim::redis {

class WatchedKeys {
 public:
  void Clear() { watches_.clear(); }
  /// WATCH. `keys`: of that database.
  void Add(std::uint64_t client, int database, std::string_view key, const Database& keys,
           std::int64_t now_ms);
  /// UNWATCH, or the end of a transaction or of the client.
  void Remove(std::uint64_t client);
  /// How many keys the client watches.
  std::size_t CountOf(std::uint64_t client) const;
  struct Counts {
    std::size_t clients = 0;
    std::size_t keys = 0;
  };
  /// How many clients watch how many keys.
  Counts CountAll() const;
  /// Was a key that this client watches touched?
  bool Touched(std::uint64_t client) const;
  /// Was a key that this client watches touched, or has it expired since?
  bool Failed(std::uint64_t client, const Databases& databases, std::int64_t now_ms) const;

  /// The key has been changed, made or deleted; `keys` are those of its database now.
  void Touch(int database, std::string_view key, const Database& keys) {
    if (!watches_.empty()) TouchWatched(database, key, keys);
  }
  /// All of these, the keys of the database, are about to be deleted.
  void TouchAll(int database, const Database& keys);
  /// The database has these keys before SWAPDB, and those after it.
  void TouchSwapped(int database, const Database& before, const Database& after,
                    std::int64_t now_ms);

 private:
  /// One key of one client.
  struct Watch {
    std::uint64_t client = 0;
    int database = 0;
    std::string key;
    bool expired = false;  // It already was when WATCH was called.
    bool dirty = false;    // Touched since.
  };

  void TouchWatched(int database, std::string_view key, const Database& keys);

  std::vector<Watch> watches_;
};

}  // namespace interlock::sim::redis
