// SPDX-License-Identifier: MIT
//
// Recognises scripts that use globals in the plain way: they name KEYS, ARGV and the libraries only
// to take something out of them at once (KEYS[1], #ARGV, redis.call), assign no global, and do not
// use their arguments (...), of which Redis passes none.
//
// Such a script can neither change these tables nor keep them, so it may see the tables themselves
// instead of their read-only counterparts, as arguments instead of globals, and the next script may
// get the same KEYS and ARGV with other texts. Derived from the compiled code, because the source
// text does not show it.
//
// One that also assigns no field of any table leaves its inputs unchanged, and has lost them at its
// end: the next script may get the same tables.
//
// A script is pure if it depends only on its inputs and its commands' replies, and has no effect
// but through its commands.
#pragma once

#include "sim/redis/scripting/lua_code.h"

namespace interlock::sim::redis {

struct ScriptCode {
  bool plain = false;
  bool changes_tables = true;  ///< Except tables made in one go: {1, 2}.
  bool pure = false;           ///< Implies plain.
};

/// Nested functions included.
ScriptCode JudgeScriptCode(const LuaCode& code);

}  // namespace interlock::sim::redis
