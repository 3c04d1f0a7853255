// SPDX-License-Identifier: MIT
//
// A double-ended queue of texts, without an allocation while empty: most lists of a simulated
// server have an item or two. Copies are deep. Thread safety: plain data.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace interlock::sim::redis {

class TextQueue {
 public:
  using iterator = std::string*;
  using const_iterator = const std::string*;

  bool empty() const { return first_ == texts_.size(); }
  std::size_t size() const { return texts_.size() - first_; }
  iterator begin() { return texts_.data() + first_; }
  iterator end() { return texts_.data() + texts_.size(); }
  const_iterator begin() const { return texts_.data() + first_; }
  const_iterator end() const { return texts_.data() + texts_.size(); }
  auto rbegin() { return std::reverse_iterator(end()); }
  auto rend() { return std::reverse_iterator(begin()); }

  // REQUIRES for these: there is such a text.
  std::string& operator[](std::size_t index) { return texts_[first_ + index]; }
  const std::string& operator[](std::size_t index) const { return texts_[first_ + index]; }
  std::string& front() { return texts_[first_]; }
  std::string& back() { return texts_.back(); }
  void pop_front() {
    ++first_;
    if (empty()) return Clear();
    if (first_ > kFew && first_ > texts_.size() / 2) CloseGap();
  }
  void pop_back() {
    texts_.pop_back();
    if (empty()) Clear();
  }

  void push_front(std::string_view text) {
    if (first_ == 0) OpenGap();
    texts_[--first_].assign(text);
  }
  /// Returns the new text.
  std::string& push_back(std::string_view text) { return texts_.emplace_back(text); }
  /// Inserts before `at`.
  void insert(const_iterator at, std::string_view text) {
    texts_.emplace(texts_.begin() + (at - texts_.data()), text);
  }
  void erase(const_iterator from, const_iterator to) {
    texts_.erase(texts_.begin() + (from - texts_.data()), texts_.begin() + (to - texts_.data()));
    if (empty()) Clear();
  }

 private:
  static constexpr std::size_t kFew = 4;

  void Clear() {
    texts_.clear();
    first_ = 0;
  }
  void CloseGap() {
    texts_.erase(texts_.begin(), texts_.begin() + static_cast<std::ptrdiff_t>(first_));
    first_ = 0;
  }
  void OpenGap() {
    const std::size_t gap = std::max(kFew, texts_.size());
    std::vector<std::string> moved(gap + texts_.size());
    std::move(texts_.begin(), texts_.end(), moved.begin() + static_cast<std::ptrdiff_t>(gap));
    texts_ = std::move(moved);
    first_ = gap;
  }

  std::vector<std::string> texts_;  // The first `first_` are unused.
  std::size_t first_ = 0;
};

}  // namespace interlock::sim::redis
