// SPDX-License-Identifier: MIT
//
// Replies to Lua values and back, as Redis converts them.
#pragma once

#include <array>
#include <cstddef>
#include <lua5.1/lua.hpp>
#include <string>
#include <string_view>

#include "sim/redis/scripting/fields.h"
#include "sim/redis/server.h"

namespace interlock::sim::redis {

/// As seen by a script that speaks this RESP version. May raise (memory only).
void PushValue(lua_State* lua, const Value& value, int protocol);
/// A table with err: "CODE text"; a text without a code ("text", or "-text") gets ERR prepended.
void PushError(lua_State* lua, std::string_view text);
/// The same, raised or as a function's result.
int ReturnError(lua_State* lua, const char* text, bool raise = true);

/// A number as an argument of redis.call: %.17g, followed by a NUL. Both return the length.
using NumberText = std::array<char, 32>;
/// In fewer steps. REQUIRES: IsPlainWhole(number).
std::size_t FormatWhole(double number, NumberText* text);
std::size_t FormatArgument(const Dialect& dialect, double number, NumberText* text);

/// Converts the value on top, which stays there, to its RESP3 form. If not null, returns what is
/// not modelled in it, and the stack is unspecified.
inline constexpr int kMaxDepth = 60;
const char* TakeReply(lua_State* lua, int protocol, Value* reply, int depth = 0);

/// Pops the error on top, as left by the error handler, as the error reply for the script of this
/// name. Returns false if the server would crash, because the raised table has no err.
bool PopScriptError(lua_State* lua, const std::string& sha, const ScriptTexts& texts, Value* reply);

}  // namespace interlock::sim::redis
