// SPDX-License-Identifier: MIT
//
// Recognises scripts that depend only on their inputs and their commands' replies, and have no
// effect but through their commands.
//
// They use globals in the plain way: they name KEYS, ARGV and the libraries only to take something
// out of them at once (KEYS[1], #ARGV, redis.call), assign no global, and do not use their
// arguments (...), of which Redis passes none. So they can neither change these tables nor keep
// them. Derived from the compiled code, because the source text does not show it.
#pragma once

#include "sim/redis/scripting/lua_code.h"

namespace interlock::sim::redis {

/// Nested functions included.
bool IsPureScript(const LuaCode& code);

}  // namespace interlock::sim::redis
