// SPDX-License-Identifier: MIT
//
// Patterns of Lua's string.match made of plain items only, like nearly all in scripts: characters,
// %d, %s, %S and dots, each optionally followed by +, * or ?, captures that are not nested, ^ and
// $. Matches exactly as Lua's own matcher. Thread safety: plain data.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

namespace interlock::sim::redis {

class PlainPattern {
 public:
  explicit PlainPattern(std::string_view pattern);

  /// False: it contains something that is left to Lua.
  bool plain() const { return plain_; }
  /// Whether it matches anywhere in the text from this byte on. REQUIRES: plain(), from <= the
  /// text's size.
  bool Find(std::string_view text, std::size_t from = 0);
  /// Where the match begins and ends.
  std::size_t begin() const { return begin_; }
  std::size_t end() const { return end_; }
  bool anchored() const { return anchored_; }
  /// The captures, or the whole match if there are none.
  std::span<const std::string_view> found() const { return {captures_.data(), count_}; }

 private:
  static constexpr std::size_t kMostItems = 24;
  static constexpr std::size_t kMostCaptures = 8;

  enum class Kind : char { kCharacter, kDigit, kSpace, kNoSpace, kAny, kOpen, kClose, kEnd };
  struct Item {
    Kind kind = Kind::kCharacter;
    char character = 0;
    char repeats = 0;  // '+', '*', '?'; 0: exactly once
  };

  bool Compile(std::string_view pattern);
  bool Add(Kind kind, char character = 0);
  /// The end of the run of characters from `at` on that the item matches.
  static const char* EndOf(const Item& item, const char* at, const char* end);
  /// Matches the items from this one on; `captures` are open before it. Sets `at` to the end of the
  /// match.
  bool Match(std::size_t item, std::size_t captures, const char*& at, const char* end);

  std::array<Item, kMostItems> items_;
  std::size_t size_ = 0;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  bool anchored_ = false;
  bool plain_ = false;
  std::array<std::string_view, kMostCaptures> captures_;
  std::size_t count_ = 0;
};

}  // namespace interlock::sim::redis
