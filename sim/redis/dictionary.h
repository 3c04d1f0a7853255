// SPDX-License-Identifier: MIT
//
// A map from texts to values whose items are in a vector: constant time for look-ups, changes and
// access by index, in an order that is a function of the calls made. Copies are deep.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace interlock::sim::redis {

/// Finds a text's position in a vector by its hash: open addressing with linear probing.
class PositionIndex {
 public:
  static constexpr std::size_t kNone = SIZE_MAX;
  static std::uint32_t HashOf(std::string_view text) {
    return static_cast<std::uint32_t>(std::hash<std::string_view>()(text));
  }

  bool empty() const { return slots_.empty(); }
  /// The position with this hash for which `equal(position)` holds, or kNone.
  template <typename Equal>
  std::size_t Find(std::uint32_t hash, Equal equal) const {
    for (std::size_t at = hash & mask();; at = (at + 1) & mask()) {
      const Slot& slot = slots_[at];
      if (slot.next_position == 0) return kNone;
      if (slot.hash == hash && equal(slot.next_position - 1)) return slot.next_position - 1;
    }
  }
  void Insert(std::uint32_t hash, std::size_t position);
  /// REQUIRES for these three: the position is in the index under this hash.
  void Erase(std::uint32_t hash, std::size_t position);
  void Move(std::uint32_t hash, std::size_t from, std::size_t to);
  /// Decrements every later position.
  void CloseGap(std::size_t position);

 private:
  struct Slot {
    std::uint32_t hash = 0;
    std::uint32_t next_position = 0;  // The position plus one; 0: free.
  };
  std::size_t mask() const { return slots_.size() - 1; }
  std::size_t SlotOf(std::uint32_t hash, std::size_t position) const;
  void Place(Slot slot);
  void Grow();

  std::vector<Slot> slots_;  // A power of two, at most half full.
  std::size_t used_ = 0;
};

template <typename V>
class Dictionary {
 public:
  using Item = std::pair<std::string, V>;

  std::size_t size() const { return items_.size(); }
  const std::vector<Item>& items() const { return items_; }

  const V* Find(std::string_view key) const {
    const std::size_t at = Locate(key);
    return at == PositionIndex::kNone ? nullptr : &items_[at].second;
  }
  V* Find(std::string_view key) { return const_cast<V*>(std::as_const(*this).Find(key)); }

  /// Appends an item. REQUIRES: the key is not there.
  V& Add(std::string_view key, V value) {
    items_.emplace_back(std::string(key), std::move(value));
    if (!index_.empty()) {
      index_.Insert(PositionIndex::HashOf(key), items_.size() - 1);
    } else if (items_.size() > kWalked) {
      Reindex();
    }
    return items_.back().second;
  }

  /// Moves later items up, in linear time; without `keep_order` the last item takes its place.
  bool Remove(std::string_view key, bool keep_order) {
    const std::size_t at = Locate(key);
    if (at == PositionIndex::kNone) return false;
    const std::size_t last = items_.size() - 1;
    if (!index_.empty()) {
      index_.Erase(PositionIndex::HashOf(key), at);
      if (keep_order) {
        index_.CloseGap(at);
      } else if (at != last) {
        index_.Move(PositionIndex::HashOf(items_[last].first), last, at);
      }
    }
    if (keep_order) {
      items_.erase(items_.begin() + static_cast<std::ptrdiff_t>(at));
    } else {
      if (at != last) items_[at] = std::move(items_[last]);
      items_.pop_back();
    }
    return true;
  }

  /// Gives an item another place, in linear time; those between move up or down. REQUIRES: the key
  /// is there.
  void MoveTo(std::string_view key, std::size_t place) {
    const std::size_t at = Locate(key);
    const auto item = [this](std::size_t i) {
      return items_.begin() + static_cast<std::ptrdiff_t>(i);
    };
    if (place < at) {
      std::rotate(item(place), item(at), item(at + 1));
    } else {
      std::rotate(item(at), item(at + 1), item(place + 1));
    }
    if (!index_.empty()) Reindex();
  }

 private:
  static constexpr std::size_t kWalked = 16;  // Up to here linear search is faster.

  void Reindex() {
    index_ = PositionIndex();
    for (std::size_t at = 0; at < items_.size(); ++at) {
      index_.Insert(PositionIndex::HashOf(items_[at].first), at);
    }
  }

  std::size_t Locate(std::string_view key) const {
    if (!index_.empty()) {
      return index_.Find(PositionIndex::HashOf(key),
                         [&](std::size_t at) { return items_[at].first == key; });
    }
    for (std::size_t at = 0; at < items_.size(); ++at) {
      if (items_[at].first == key) return at;
    }
    return PositionIndex::kNone;
  }

  std::vector<Item> items_;
  PositionIndex index_;  // Empty as long as the dictionary was always small.
};

}  // namespace interlock::sim::redis
