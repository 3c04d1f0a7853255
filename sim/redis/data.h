// SPDX-License-Identifier: MIT
//
// The types of values. Their orders are those that Redis shows where it shows a fixed one (small
// hashes: insertion; integer sets: numeric; sorted sets: score, then bytes), and byte or insertion
// order where the order of Redis is arbitrary.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace interlock::sim::redis {

struct List {
  std::deque<std::string> items;
  std::size_t size() const { return items.size(); }
  std::string Pop(bool left);
  void Push(bool left, std::string_view item);
};

class Hash {
 public:
  Hash() = default;
  Hash(Hash&&) = default;  // Never copied: the index points into the items.
  Hash& operator=(Hash&&) = default;
  using Item = std::pair<std::string, std::string>;
  std::size_t size() const { return items_.size(); }
  const std::list<Item>& items() const { return items_; }
  std::string* Find(std::string_view field);
  /// True if the field is new.
  bool Set(std::string_view field, std::string_view value);
  bool Remove(std::string_view field);

 private:
  using Items = std::list<Item>;
  Items::iterator Locate(std::string_view field);
  Items items_;
  std::map<std::string_view, Items::iterator> index_;  // Empty while the hash is small.
};

class Set {
 public:
  std::size_t size() const { return members_.size(); }
  bool Contains(std::string_view member) const { return members_.find(member) != members_.end(); }
  bool Add(std::string_view member);
  bool Remove(std::string_view member);
  std::vector<std::string_view> Members() const;

 private:
  std::set<std::string, std::less<>> members_;
  bool integers_ = true;  // Redis forgets it at the first other member, and for good.
};

class SortedSet {
 public:
  SortedSet() = default;
  SortedSet(SortedSet&&) = default;  // Never copied: the items point into the scores.
  SortedSet& operator=(SortedSet&&) = default;
  struct Item {
    double score;
    std::string_view member;  // Into the keys of scores_.
  };
  std::size_t size() const { return items_.size(); }
  const std::vector<Item>& items() const { return items_; }  ///< By score, then by member.
  std::optional<double> Score(std::string_view member) const;
  void Put(std::string_view member, double score);
  bool Remove(std::string_view member);
  void RemoveRange(std::size_t first, std::size_t last);  ///< [first, last)
  std::optional<std::size_t> Rank(std::string_view member) const;

 private:
  std::vector<Item>::iterator Locate(double score, std::string_view member);
  std::map<std::string, double, std::less<>> scores_;
  std::vector<Item> items_;
};

using Data = std::variant<std::string, List, Hash, Set, SortedSet>;
inline constexpr std::size_t kListIndex = 1;
inline constexpr std::size_t kSortedSetIndex = 4;

std::string_view TypeName(const Data& data);

}  // namespace interlock::sim::redis
