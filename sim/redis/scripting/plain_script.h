// SPDX-License-Identifier: MIT
//
// Which scripts use the globals in the plain way: they name KEYS, ARGV and the libraries only to
// take something out of them at once (KEYS[1], #ARGV, redis.call), assign no global, and do not ask
// for their arguments (...), of which Redis gives them none.
//
// Such a script can neither change these tables nor keep them, so it may see the tables themselves
// instead of their read-only counterparts, as arguments instead of globals, and the next script may
// have the same KEYS and ARGV with other texts in them. Read from the compiled code, because a text
// does not show it.
//
// One that assigns no field of any table either leaves what it is given as it was, and has lost it
// at its end: the next script may be given the same tables.
//
// One that looks at nothing but what it is given and the replies to its commands, and leaves
// nothing but what those have done, is called pure.
#pragma once

#include <lua5.1/lua.hpp>

namespace interlock::sim::redis {

struct ScriptCode {
  bool plain = false;
  bool changes_tables = true;  ///< But for those that it makes in one go: {1, 2}.
  bool pure = false;           ///< And plain.
};

/// Reads the code of the Lua function on top of the stack, with all functions in it. Assumes the
/// worst if its code is not in the form that is known here.
ScriptCode ReadScriptCode(lua_State* lua);

}  // namespace interlock::sim::redis
