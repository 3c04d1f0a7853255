// SPDX-License-Identifier: MIT
//
// Redis builds Lua so that a string's hash covers all its characters. Debian's Lua skips most of
// those of a long string: a script that makes many long strings with few differences then takes
// quadratic time, and iterates over its tables in another order than in Redis.
//
// The linker redirects Lua's own calls of luaS_newlstr (its option --wrap, set by this library) to
// a version that hashes as Redis does. It reads Lua's structures, whose layout no Lua header shows,
// so it does nothing until it has verified the layout in a state of this very Lua. Thread safety:
// that of Lua, one state at a time.
#pragma once

#include <lua5.1/lua.hpp>

namespace interlock::sim::redis {

/// Takes effect for all states. REQUIRES: no string of the state is longer than 31 characters; it
/// runs in a protected call.
void HashWholeStrings(lua_State* lua);

}  // namespace interlock::sim::redis
