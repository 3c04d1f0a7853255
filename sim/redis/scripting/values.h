// SPDX-License-Identifier: MIT
//
// Replies to Lua values and back, as Redis converts them.
#pragma once

#include <array>
#include <cstddef>
#include <lua5.1/lua.hpp>
#include <string>
#include <string_view>

#include "sim/redis/scripting/known_texts.h"
#include "sim/redis/server.h"

namespace interlock::sim::redis {

/// As a script that speaks this RESP version sees it. May raise (memory only).
void PushValue(lua_State* lua, const Value& value, int protocol, KnownTexts* known);
/// A table with err: "CODE text"; without a code ("text", or "-text") ERR is put in front.
void PushError(lua_State* lua, std::string_view text);

/// A number as an argument of redis.call: %.17g, followed by a NUL. Returns the length.
using NumberText = std::array<char, 32>;
std::size_t FormatArgument(double number, NumberText* text);

/// Reads the value on top, which stays there, into its RESP3 form. Not null: what of it is not
/// modelled, and then the stack is as it may be.
inline constexpr int kMaxDepth = 60;
const char* TakeReply(lua_State* lua, int protocol, Value* reply, int depth = 0);

/// Pops the error on top, as the error handler left it: the error reply for the script of this
/// name. False: Redis would crash, because the raised table has no err.
bool PopScriptError(lua_State* lua, const std::string& sha, Value* reply);

}  // namespace interlock::sim::redis
