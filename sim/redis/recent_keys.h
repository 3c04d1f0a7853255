// SPDX-License-Identifier: MIT
//
// A cache of recent key look-ups. A lock's scripts, and its observers, use the same few keys again
// and again, and these differ only at their ends, so that each comparison in a map look-up reads
// nearly the whole key.
//
// Must be told before a key is removed from a map. Thread safety: none.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "sim/redis/scripting/quick_hash.h"

namespace interlock::sim::redis {

/// `Map`: keyed by texts, with iterators that stay valid as long as their elements exist.
template <typename Map>
class RecentKeys {
 public:
  using Iterator = typename Map::iterator;

  /// Null: not known.
  const Iterator* Find(const Map& map, std::string_view key) const {
    const Known& known = known_[PlaceOf(key)];
    return known.map == &map && known.at->first == key ? &known.at : nullptr;
  }
  void Note(const Map& map, Iterator at) { known_[PlaceOf(at->first)] = {&map, at}; }
  /// In any map.
  void Forget(std::string_view key) { known_[PlaceOf(key)].map = nullptr; }
  void ForgetAll() { known_ = {}; }

 private:
  static constexpr std::size_t kMost = 32;

  struct Known {
    const Map* map = nullptr;
    Iterator at;
  };

  static std::size_t PlaceOf(std::string_view key) { return QuickHash(key) % kMost; }

  std::array<Known, kMost> known_{};
};

}  // namespace interlock::sim::redis
