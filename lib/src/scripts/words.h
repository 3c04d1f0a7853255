// SPDX-License-Identifier: MIT
//
// A few words in one piece of memory: the keys or the arguments of a script, of which every command
// of every lock has some. They are as long as names and tokens are, so most fit into the object.
//
// Thread safety: plain data.
#pragma once

#include <algorithm>
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
    for (const std::string_view word : words) Add(word);
  }
  /// REQUIRES: fewer than kMost so far.
  void Add(std::string_view word) {
    if (count_ == kMost) std::abort();
    const std::size_t end = size_of_text() + word.size();
    if (long_text_.empty() && end <= kShort) {
      std::copy(word.begin(), word.end(), short_text_.begin() + size_of_text());
    } else {
      if (long_text_.empty()) long_text_.assign(short_text_.data(), size_of_text());
      long_text_.append(word);
    }
    ends_[count_++] = static_cast<std::uint32_t>(end);
  }

  std::size_t size() const { return count_; }
  /// REQUIRES: index < size(). Valid until the words are changed, moved or gone.
  std::string_view operator[](std::size_t index) const {
    const std::size_t begin = index == 0 ? 0 : ends_[index - 1];
    const char* const text = long_text_.empty() ? short_text_.data() : long_text_.data();
    return {text + begin, ends_[index] - begin};
  }

 private:
  static constexpr std::size_t kShort = 256;

  std::size_t size_of_text() const { return count_ == 0 ? 0 : ends_[count_ - 1]; }

  std::array<char, kShort> short_text_{};
  std::string long_text_;  ///< all of it, once it is longer than that
  std::array<std::uint32_t, kMost> ends_{};
  std::size_t count_ = 0;
};

}  // namespace interlock::internal
