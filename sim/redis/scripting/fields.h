// SPDX-License-Identifier: MIT
//
// Texts that replies are made of, already in a Lua state: found by index instead of by their bytes.
// Invisible to a script: equal strings are one object in Lua anyway. Thread safety: none.
#pragma once

#include <lua5.1/lua.hpp>

namespace interlock::sim::redis {

/// By registry index.
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
  kOkText,
  kLast = kOkText,
};

/// REQUIRES: the state is fresh, so that these registry indices are free. May raise (memory only).
void OpenFields(lua_State* lua);
/// May raise (memory only), like all push functions.
inline void PushField(lua_State* lua, Field field) {
  lua_rawgeti(lua, LUA_REGISTRYINDEX, static_cast<int>(field));
}

}  // namespace interlock::sim::redis
