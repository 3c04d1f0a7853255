// SPDX-License-Identifier: MIT
//
// Strings that a Lua state has already. To look one up by its bytes, Lua hashes them; what scripts
// use again and again (keys, owner tokens, names of commands, fields of replies) is kept in the
// registry instead, and found there by a place.
//
// A script cannot tell: equal strings are one object in Lua anyway. Thread safety: none.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <lua5.1/lua.hpp>
#include <string_view>

namespace interlock::sim::redis {

struct Command;

/// Texts that never change: fields of replies, names of globals; by their place in the registry.
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

/// May raise (memory only), as all that pushes.
inline void PushField(lua_State* lua, Field field) {
  lua_rawgeti(lua, LUA_REGISTRYINDEX, static_cast<int>(field));
}

class KnownTexts {
 public:
  /// REQUIRES: the state is fresh, so that these places in the registry are free.
  static void Open(lua_State* lua);

  void Push(lua_State* lua, std::string_view text);
  /// The command whose name is the string at `index` of the stack, `text`; null: there is none, or
  /// its subcommand decides.
  const Command* FindCommand(lua_State* lua, int index, std::string_view text);

 private:
  static constexpr std::size_t kTexts = 128;
  static constexpr std::size_t kCommands = 64;
  static constexpr int kFirstText = static_cast<int>(Field::kLast) + 1;
  static constexpr int kFirstCommand = kFirstText + static_cast<int>(kTexts);
  static constexpr int kEnd = kFirstCommand + static_cast<int>(kCommands);

  /// The bytes are Lua's own, and stay where they are while the registry holds the string.
  struct KnownCommand {
    const char* name = nullptr;
    const Command* command = nullptr;
  };

  std::array<std::string_view, kTexts> texts_{};
  std::array<KnownCommand, kCommands> commands_{};
};

}  // namespace interlock::sim::redis
