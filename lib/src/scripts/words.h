// SPDX-License-Identifier: MIT
//
// A few words in one piece of memory: the keys or the arguments of a script, of which every command
// of every lock has some.
//
// Thread safety: plain data.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <initializer_list>
#include <string>
#include <string_view>

namespace interlock::internal {

class Words {
 public:
  using List = std::initializer_list<std::string_view>;
  /// More than any script has.
  static constexpr std::size_t kMost = 12;

  /// REQUIRES: kMost of them at most.
  Words(List words) {
    std::size_t size = 0;
    for (const std::string_view word : words) size += word.size();
    text_.reserve(size);
    for (const std::string_view word : words) Add(word);
  }
  /// REQUIRES: fewer than kMost so far.
  void Add(std::string_view word) {
    if (count_ == kMost) std::abort();
    text_.append(word);
    ends_[count_++] = static_cast<std::uint32_t>(text_.size());
  }

  std::size_t size() const { return count_; }
  /// REQUIRES: index < size(). Valid until the words are changed, moved or gone.
  std::string_view operator[](std::size_t index) const {
    const std::size_t begin = index == 0 ? 0 : ends_[index - 1];
    return std::string_view(text_).substr(begin, ends_[index] - begin);
  }

 private:
  std::string text_;
  std::array<std::uint32_t, kMost> ends_{};
  std::size_t count_ = 0;
};

}  // namespace interlock::internal
