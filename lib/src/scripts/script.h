// SPDX-License-Identifier: MIT
//
// A Lua script with its hash, and a call of one: what the locks of every kind send to the server.
//
// Thread safety: plain data.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <interlock/time.h>

#include "src/scripts/words.h"
#include "src/sha1.h"

namespace interlock::internal {

using Milliseconds = std::chrono::milliseconds;

struct Script {
  std::string_view name;  ///< for messages
  std::string_view source;
  std::array<char, 40> sha1;

  std::string_view sha() const { return {sha1.data(), sha1.size()}; }
};

constexpr Script MakeScript(std::string_view name, std::string_view source) {
  return Script{name, source, Sha1Hex(source)};
}

/// Several pieces of Lua in one text, for scripts that begin alike.
template <std::size_t kSize>
struct JoinedText {
  std::array<char, kSize> text = {};
  constexpr std::string_view view() const { return {text.data(), text.size()}; }
};

template <std::size_t... kSizes>
constexpr auto Joined(const char (&... pieces)[kSizes]) {
  JoinedText<(... + (kSizes - 1))> all;
  char* end = all.text.data();
  ((end = std::copy_n(pieces, kSizes - 1, end)), ...);
  return all;
}

struct ScriptCall {
  const Script* script;
  Words keys;
  Words arguments;
};

/// A number as an argument of a script: in decimal.
inline Number Argument(std::int64_t value) { return Number(value); }

/// In whole milliseconds, rounded towards zero.
inline Number Argument(Duration value) {
  return Argument(std::chrono::duration_cast<Milliseconds>(value).count());
}

}  // namespace interlock::internal
