// SPDX-License-Identifier: MIT
//
// Where the keys are that were looked up last. The scripts of a lock, and its observers, come back
// to the same few again and again, and these differ at their ends only, so that each comparison on
// the way through a map has to read them nearly to the end.
//
// Before a key is taken out of a map, this has to be told. Thread safety: none.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "sim/redis/scripting/quick_hash.h"

namespace interlock::sim::redis {

/// `Map`: one of texts, whose iterators stay valid as long as their elements are there.
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
  /// In whichever map it is.
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
