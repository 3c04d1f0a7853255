// SPDX-License-Identifier: MIT
//
// Redis builds Lua so that the hash of a string covers all of its characters; Debian's Lua skips
// most of those of a long one, and a script that makes many long strings which differ in a few
// places then takes quadratic time, and goes through its tables in another order than in Redis.
//
// The linker redirects Lua's own calls of luaS_newlstr (its option --wrap, set by this library) to
// a version that hashes as Redis does. It reads Lua's structures, whose layout no header of Lua
// shows; so it does nothing until it has found in a state of this very Lua that they are as it
// takes them to be. Thread safety: as Lua's, one state at a time.
#pragma once

#include <lua5.1/lua.hpp>

namespace interlock::sim::redis {

/// From now on, for all states. REQUIRES: no string of the state is longer than 31 characters; it
/// runs in a protected call.
void HashWholeStrings(lua_State* lua);

}  // namespace interlock::sim::redis
