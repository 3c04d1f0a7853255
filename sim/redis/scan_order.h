// SPDX-License-Identifier: MIT
//
// The order in which SCAN meets the keys of a database: by a hash of the key, so that a key that
// stays is met whatever happens to others between the pages. Kept until the set of keys changes.
//
// Thread safety: none.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "sim/redis/database.h"

namespace interlock::sim::redis {

class ScanOrder {
 public:
  /// Whether it is the order of this database, whose set of keys has this version.
  bool IsOf(int database, std::uint64_t version) const {
    return database_ == database && version_ == version;
  }
  void Take(int database, std::uint64_t version, const Database& keys);
  /// Appends to the page the keys from the cursor on (0: from the beginning), at least `count` if
  /// there are that many. Returns the cursor of the next page, 0 after the last. REQUIRES: the keys
  /// that it was taken from are still there.
  std::uint64_t PageFrom(std::uint64_t cursor, std::uint64_t count,
                         std::vector<std::string>* page) const;

 private:
  std::vector<std::pair<std::uint64_t, const std::string*>> keys_;  // By their cursors.
  int database_ = -1;
  std::uint64_t version_ = 0;
};

}  // namespace interlock::sim::redis
