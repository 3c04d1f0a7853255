// SPDX-License-Identifier: MIT
#include "sim/redis/data.h"

#include <algorithm>
#include <iterator>

#include "sim/redis/text.h"

namespace interlock::sim::redis {

namespace {

constexpr std::size_t kSmallHash = 16;     // Up to here a walk is quicker than an index.
constexpr std::size_t kMaxIntegers = 512;  // set-max-intset-entries

bool Before(const SortedSet::Item& a, const SortedSet::Item& b) {
  return a.score != b.score ? a.score < b.score : a.member < b.member;
}

}  // namespace

std::string List::Pop(bool left) {
  std::string item = std::move(left ? items.front() : items.back());
  if (left) {
    items.pop_front();
  } else {
    items.pop_back();
  }
  return item;
}

void List::Push(bool left, std::string_view item) {
  if (left) {
    items.emplace_front(item);
  } else {
    items.emplace_back(item);
  }
}

Hash::Items::iterator Hash::Locate(std::string_view field) {
  if (!index_.empty()) {
    const auto at = index_.find(field);
    return at == index_.end() ? items_.end() : at->second;
  }
  return std::find_if(items_.begin(), items_.end(),
                      [&](const Item& item) { return item.first == field; });
}

std::string* Hash::Find(std::string_view field) {
  const auto at = Locate(field);
  return at == items_.end() ? nullptr : &at->second;
}

bool Hash::Set(std::string_view field, std::string_view value) {
  if (std::string* old = Find(field)) {
    old->assign(value);
    return false;
  }
  items_.emplace_back(field, value);
  if (!index_.empty()) {
    index_.emplace(items_.back().first, std::prev(items_.end()));
  } else if (items_.size() > kSmallHash) {
    for (auto at = items_.begin(); at != items_.end(); ++at) index_.emplace(at->first, at);
  }
  return true;
}

bool Hash::Remove(std::string_view field) {
  const auto at = Locate(field);
  if (at == items_.end()) return false;
  index_.erase(at->first);
  items_.erase(at);
  return true;
}

bool Set::Add(std::string_view member) {
  const auto at = members_.lower_bound(member);
  if (at != members_.end() && *at == member) return false;
  members_.emplace_hint(at, member);
  std::int64_t number = 0;
  if (integers_ && (!ParseInteger(member, &number) || members_.size() > kMaxIntegers)) {
    integers_ = false;
  }
  return true;
}

bool Set::Remove(std::string_view member) {
  const auto at = members_.find(member);
  if (at == members_.end()) return false;
  members_.erase(at);
  return true;
}

std::vector<std::string_view> Set::Members() const {
  std::vector<std::string_view> members(members_.begin(), members_.end());
  if (integers_) {
    std::sort(members.begin(), members.end(), [](std::string_view a, std::string_view b) {
      std::int64_t left = 0;
      std::int64_t right = 0;
      ParseInteger(a, &left);
      ParseInteger(b, &right);
      return left < right;
    });
  }
  return members;
}

std::optional<double> SortedSet::Score(std::string_view member) const {
  const auto at = scores_.find(member);
  if (at == scores_.end()) return std::nullopt;
  return at->second;
}

std::vector<SortedSet::Item>::iterator SortedSet::Locate(double score, std::string_view member) {
  return std::lower_bound(items_.begin(), items_.end(), Item{score, member}, Before);
}

void SortedSet::Put(std::string_view member, double score) {
  if (score == 0) score = 0;  // Small sorted sets are kept as text, where there is no minus zero.
  auto at = scores_.find(member);
  if (at == scores_.end()) {
    at = scores_.emplace(member, score).first;
  } else {
    items_.erase(Locate(at->second, member));
    at->second = score;
  }
  items_.insert(Locate(score, member), Item{score, at->first});
}

bool SortedSet::Remove(std::string_view member) {
  const auto at = scores_.find(member);
  if (at == scores_.end()) return false;
  items_.erase(Locate(at->second, member));
  scores_.erase(at);
  return true;
}

void SortedSet::RemoveRange(std::size_t first, std::size_t last) {
  const auto begin = items_.begin() + static_cast<std::ptrdiff_t>(first);
  const auto end = items_.begin() + static_cast<std::ptrdiff_t>(last);
  for (auto at = begin; at != end; ++at) scores_.erase(scores_.find(at->member));
  items_.erase(begin, end);
}

std::optional<std::size_t> SortedSet::Rank(std::string_view member) const {
  const auto at = scores_.find(member);
  if (at == scores_.end()) return std::nullopt;
  const auto item =
      std::lower_bound(items_.begin(), items_.end(), Item{at->second, member}, Before);
  return static_cast<std::size_t>(item - items_.begin());
}

std::string_view TypeName(const Data& data) {
  switch (data.index()) {
    case 0:
      return "string";
    case 1:
      return "list";
    case 2:
      return "hash";
    case 3:
      return "set";
    default:
      return "zset";
  }
}

}  // namespace interlock::sim::redis
