// SPDX-License-Identifier: MIT
//
// Which scripts use the globals in the plain way: they name KEYS, ARGV and the libraries only to
// take something out of them at once (KEYS[1], #ARGV, redis.call), and assign no global.
//
// Such a script can neither change these tables nor keep them, so it may see the tables themselves
// instead of their read-only counterparts, and the next script may have the same KEYS and ARGV with
// other texts in them. Read from the compiled code, because a text does not show it.
#pragma once

#include <lua5.1/lua.hpp>

namespace interlock::sim::redis {

/// Of the Lua function on top of the stack, with all functions in it. False, too, if its code is
/// not in the form that is known here.
bool IsPlainScript(lua_State* lua);

}  // namespace interlock::sim::redis
