// SPDX-License-Identifier: MIT
//
// KEYS and ARGV, as the next script will see them. Thread safety: none.
#pragma once

#include <array>
#include <cstddef>
#include <lua5.1/lua.hpp>
#include <span>
#include <string_view>
#include <vector>

#include "sim/redis/scripting/known_texts.h"

namespace interlock::sim::redis {

class ScriptInputs {
 public:
  enum Which : std::size_t { kKeys, kArguments };
  using Texts = std::span<const std::string_view>;

  /// Sets a new table in the table of globals on top of the stack.
  static void SetNew(lua_State* lua, Which which, Texts texts, KnownTexts* known);
  /// Pushes a new table.
  static void PushNew(lua_State* lua, Texts texts, KnownTexts* known);
  /// For a plain script, pushes a table used by earlier scripts, changing only the texts that
  /// differ.
  void Push(lua_State* lua, Which which, Texts texts, KnownTexts* known);

 private:
  static constexpr std::size_t kMostKept = 16;

  /// A table of texts, and its content.
  struct Kept {
    int table = LUA_NOREF;
    std::vector<std::string_view> texts;  // Lua's own, held by the table.
  };

  static void PushTable(lua_State* lua, std::size_t count, Kept* kept);

  std::array<std::array<Kept, kMostKept + 1>, 2> kept_;  // By Which, and by the number of texts.
};

}  // namespace interlock::sim::redis
