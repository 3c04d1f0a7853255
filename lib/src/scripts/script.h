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
#include <span>
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

/// A command that does what a script does, where the server has it: "@0" among its words stands for
/// the call's key, "@1" and "@2" for its arguments. It answers +OK or :1 if it did something, nil
/// or :0 if not, and an error before it has changed anything.
struct NativeCommand {
  std::array<std::string_view, 7> words;  ///< those that it does not need are empty
};

struct ScriptCall {
  const Script* script;  ///< null: there are native commands alone
  Words keys;
  Words arguments;
  /// Tried first, in this order, on a server that is not known to lack them.
  std::span<const NativeCommand> native = {};
};

/// A number as an argument of a script: in decimal.
inline Number Argument(std::int64_t value) { return Number(value); }

/// In whole milliseconds, rounded towards zero.
inline Number Argument(Duration value) {
  return Argument(std::chrono::duration_cast<Milliseconds>(value).count());
}

}  // namespace interlock::internal
