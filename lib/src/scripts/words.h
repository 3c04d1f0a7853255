// SPDX-License-Identifier: MIT
//
// A few words in one piece of memory: the keys or the arguments of a script, of which every command
// of every lock has a few. They are as long as names and tokens are, so most fit into the object.
//
// Thread safety: plain data.
#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <initializer_list>
#include <string>
#include <string_view>

namespace interlock::internal {

/// In decimal.
class Number {
 public:
  template <std::integral Integer>
  explicit Number(Integer value) {
    char* const begin = digits_.data();
    size_ =
        static_cast<std::size_t>(std::to_chars(begin, begin + digits_.size(), value).ptr - begin);
  }

  std::string_view view() const { return {digits_.data(), size_}; }

 private:
  std::array<char, 20> digits_{};
  std::size_t size_ = 0;
};

/// One word in up to three parts, such as a key of a resource and its ending. It refers to them and
/// copies nothing.
class ScriptWord {
 public:
  // NOLINTBEGIN(google-explicit-constructor): what words are made of stands in lists
  ScriptWord(std::string_view all) : parts_{all} {}
  ScriptWord(const std::string& all) : parts_{all} {}
  ScriptWord(const char* all) : parts_{all} {}
  ScriptWord(const Number& number) : parts_{number.view()} {}
  // NOLINTEND(google-explicit-constructor)
  ScriptWord(std::string_view first, std::string_view second, std::string_view third = {})
      : parts_{first, second, third} {}

  std::size_t size() const { return parts_[0].size() + parts_[1].size() + parts_[2].size(); }
  const std::array<std::string_view, 3>& parts() const { return parts_; }
  std::string text() const {
    std::string text;
    text.reserve(size());
    for (const std::string_view part : parts_) text.append(part);
    return text;
  }

 private:
  std::array<std::string_view, 3> parts_;
};

class Words {
 public:
  using List = std::initializer_list<ScriptWord>;
  /// More than any script has.
  static constexpr std::size_t kMost = 12;

  /// REQUIRES: kMost of them at most.
  Words(List words) {
    for (const ScriptWord& word : words) Add(word);
  }
  /// REQUIRES: fewer than kMost so far.
  void Add(const ScriptWord& word) {
    if (count_ == kMost) std::abort();
    const std::size_t end = size_of_text() + word.size();
    if (end <= kShort) {
      char* to = short_text_.data() + size_of_text();
      for (const std::string_view part : word.parts()) {
        if (!part.empty()) to = std::copy(part.begin(), part.end(), to);
      }
    } else {
      if (long_text_.empty()) long_text_.assign(short_text_.data(), size_of_text());
      for (const std::string_view part : word.parts()) long_text_.append(part);
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

  // Not initialised: what is beyond size_of_text() and count_ nobody reads.
  std::array<char, kShort> short_text_;
  std::string long_text_;  ///< all of it, once it is longer than that
  std::array<std::uint32_t, kMost> ends_;
  std::size_t count_ = 0;
};

}  // namespace interlock::internal
