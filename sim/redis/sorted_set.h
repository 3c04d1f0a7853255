// SPDX-License-Identifier: MIT
//
// Sorted sets: members by score, then by bytes. Copies are deep.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/redis/dictionary.h"
#include "sim/redis/encoding_limits.h"

namespace interlock::sim::redis {

/// The members in order, in chunks: a change moves at most one chunk; finding a rank walks the
/// chunks' sizes.
class ScoreOrder {
 public:
  struct Item {
    double score = 0;
    std::string member;
  };

  class Iterator {
   public:
    const Item& operator*() const { return (*chunks_)[chunk_][at_]; }
    const Item* operator->() const { return &**this; }
    Iterator& operator++() {
      if (++at_ == (*chunks_)[chunk_].size()) {
        ++chunk_;
        at_ = 0;
      }
      return *this;
    }
    Iterator& operator--() {
      if (at_ == 0) at_ = (*chunks_)[--chunk_].size();
      --at_;
      return *this;
    }
    bool operator==(const Iterator&) const = default;

   private:
    friend class ScoreOrder;
    Iterator(const std::vector<std::vector<Item>>* chunks, std::size_t chunk, std::size_t at)
        : chunks_(chunks), chunk_(chunk), at_(at) {}
    const std::vector<std::vector<Item>>* chunks_;
    std::size_t chunk_;
    std::size_t at_;
  };

  std::size_t size() const { return size_; }
  Iterator begin() const { return {&chunks_, 0, 0}; }
  Iterator end() const { return {&chunks_, chunks_.size(), 0}; }
  /// The item of this rank; end() if there are fewer.
  Iterator At(std::size_t rank) const;
  /// Number of leading items that satisfy a condition which no item after the first failure meets.
  template <typename Condition>
  std::size_t CountWhile(Condition condition) const;
  std::size_t CountBefore(double score, std::string_view member) const;

  void Insert(double score, std::string_view member);
  /// REQUIRES: it is there.
  void Erase(double score, std::string_view member);

 private:
  static bool Before(const Item& item, double score, std::string_view member) {
    return item.score != score ? item.score < score : item.member < member;
  }
  std::size_t ChunkOf(double score, std::string_view member) const;

  std::vector<std::vector<Item>> chunks_;  // None is empty.
  std::size_t size_ = 0;
};

template <typename Condition>
std::size_t ScoreOrder::CountWhile(Condition condition) const {
  std::size_t count = 0;
  for (const std::vector<Item>& chunk : chunks_) {
    if (condition(chunk.back())) {
      count += chunk.size();
      continue;
    }
    for (const Item& item : chunk) {
      if (!condition(item)) break;
      ++count;
    }
    break;
  }
  return count;
}

class SortedSet {
 public:
  using Item = ScoreOrder::Item;
  std::size_t size() const { return order_.size(); }
  const ScoreOrder& items() const { return order_; }
  /// In no order that Redis promises, but one that changes little when members change: for random
  /// choice by index, and for scans.
  const std::vector<Dictionary<double>::Item>& unordered() const { return scores_.items(); }
  std::optional<double> Score(std::string_view member) const;
  /// Like ZADD: a member that is too long, or too many members, ends the compact encoding.
  void Put(std::string_view member, double score, const EncodingLimits& limits = {});
  bool Remove(std::string_view member);
  void RemoveRange(std::size_t first, std::size_t last);  ///< [first, last)
  std::optional<std::size_t> Rank(std::string_view member) const;

  /// Whether Redis would use a listpack; otherwise a skiplist.
  bool compact() const { return compact_; }
  void EndCompact() { compact_ = false; }

 private:
  Dictionary<double> scores_;
  ScoreOrder order_;
  bool compact_ = true;
};

}  // namespace interlock::sim::redis
