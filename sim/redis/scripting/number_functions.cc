// SPDX-License-Identifier: MIT
//
// Faster tonumber and string.format, which in Lua go through strtod and printf. Integers, by far
// the most common, take a shortcut to the same result; everything else, errors included, is left to
// the original in upvalue 1, called in the same frame, so that its texts stay the same.
#include <array>
#include <charconv>
#include <string_view>

#include "sim/redis/scripting/sandbox.h"
#include "sim/redis/text.h"

namespace interlock::sim::redis {

namespace {

// Fits into 64 bits, which are rounded to a double like strtod does.
constexpr std::size_t kMostDigits = 18;

int ToNumber(lua_State* lua) {
  if (lua_gettop(lua) != 1 || lua_type(lua, 1) != LUA_TSTRING) return CallOriginal(lua);
  const std::string_view text = TextOnStack(lua, 1);
  if (text.empty() || text.size() > kMostDigits) return CallOriginal(lua);
  std::int64_t number = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return CallOriginal(lua);
    number = number * 10 + (c - '0');
  }
  lua_pushnumber(lua, static_cast<lua_Number>(number));
  return 1;
}

int Format(lua_State* lua) {
  if (lua_gettop(lua) != 2 || lua_type(lua, 1) != LUA_TSTRING || lua_type(lua, 2) != LUA_TNUMBER) {
    return CallOriginal(lua);
  }
  const std::string_view form = TextOnStack(lua, 1);
  const double number = lua_tonumber(lua, 2);
  if ((form != "%.0f" && form != "%d") || !IsPlainWhole(number)) return CallOriginal(lua);
  std::array<char, 24> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(),
                                 static_cast<std::int64_t>(number));
  lua_pushlstring(lua, digits.data(), static_cast<std::size_t>(end.ptr - digits.data()));
  return 1;
}

}  // namespace

void OpenNumberFunctions(lua_State* lua) {
  lua_pushvalue(lua, LUA_GLOBALSINDEX);
  ReplaceField(lua, "tonumber", &ToNumber);
  lua_getfield(lua, -1, LUA_STRLIBNAME);
  ReplaceField(lua, "format", &Format);
  lua_pop(lua, 2);
}

}  // namespace interlock::sim::redis
