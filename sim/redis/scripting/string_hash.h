// SPDX-License-Identifier: MIT
//
// Redis builds Lua so that a string's hash covers all its characters. Debian's Lua skips most of
// those of a long string: a script that makes many long strings with few differences then takes
// quadratic time, and iterates over its tables in another order than in Redis. Valkey has another
// hash altogether, and so another order of each table with texts as keys: what pairs, next,
// cjson.encode and cmsgpack.pack show of it.
//
// The linker redirects Lua's own calls of luaS_newlstr (its option --wrap, set by this library) to
// a version that hashes as the server does. It reads Lua's structures, whose layout no Lua header
// shows, so it does nothing until it has verified the layout in a state of this very Lua. Thread
// safety: that of Lua, one state at a time.
#pragma once

#include <lua5.1/lua.hpp>

namespace interlock::sim::redis {

/// Takes effect for all states. REQUIRES: no string of the state is longer than 31 characters; it
/// runs in a protected call.
void HashWholeStrings(lua_State* lua);
/// Makes sure of the layout in a state of its own, so that a state may hash as Valkey from its
/// first string on (see Sandbox). False: this Lua's strings cannot be hashed here.
bool CanHashAsValkey();

}  // namespace interlock::sim::redis
