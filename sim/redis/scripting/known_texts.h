// SPDX-License-Identifier: MIT
//
// Strings already in a Lua state. To look up a string by its bytes, Lua hashes them; those that
// scripts use repeatedly (keys, owner tokens, command names, fields of replies) are kept in the
// registry instead, and found by index.
//
// Invisible to a script: equal strings are one object in Lua anyway. Thread safety: none.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <lua5.1/lua.hpp>
#include <string_view>

#include "sim/redis/dialect.h"

namespace interlock::sim::redis {

struct Command;

/// Constant texts by registry index: fields of replies, names of globals.
enum class Field : int {
  kErr = 1,
  kOk,
  kDouble,
  kMap,
  kSet,
  kBigNumber,
  kVerbatim,
  kFormat,
  kString,
  kSource,
  kLine,
  kIgnored,  ///< ignore_error_stats_update
  kKeys,
  kArgv,
  kOkText,
  kLast = kOkText,
};

/// May raise (memory only), like all push functions.
inline void PushField(lua_State* lua, Field field) {
  lua_rawgeti(lua, LUA_REGISTRYINDEX, static_cast<int>(field));
}

class KnownTexts {
 public:
  /// REQUIRES: the state is fresh, so that these registry indices are free.
  static void Open(lua_State* lua);

  void Push(lua_State* lua, std::string_view text);
  /// The command whose name is the string at stack index `index`, `text`; null: there is none, or
  /// its subcommand decides.
  const Command* FindCommand(const Dialect& dialect, lua_State* lua, int index,
                             std::string_view text);

 private:
  static constexpr std::size_t kTexts = 128;
  static constexpr std::size_t kCommands = 64;
  static constexpr int kFirstText = static_cast<int>(Field::kLast) + 1;
  static constexpr int kFirstCommand = kFirstText + static_cast<int>(kTexts);
  static constexpr int kEnd = kFirstCommand + static_cast<int>(kCommands);

  /// The bytes are Lua's own, and stay in place while the registry holds the string.
  struct KnownCommand {
    const char* name = nullptr;
    DialectId dialect = DialectId::kRedis70;
    const Command* command = nullptr;
  };

  std::array<std::string_view, kTexts> texts_{};
  std::array<KnownCommand, kCommands> commands_{};
};

}  // namespace interlock::sim::redis
