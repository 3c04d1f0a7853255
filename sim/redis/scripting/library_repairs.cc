// SPDX-License-Identifier: MIT
//
// Functions of Lua's libraries that Redis has fixed, or that would read past a hostile script's
// arguments, where Debian's are unfixed. All check first, and pass harmless arguments to the
// original.
#include <algorithm>
#include <cstdint>
#include <limits>

#include "sim/redis/scripting/sandbox.h"

namespace interlock::sim::redis {

namespace {

// Converts to int like Lua: beyond 64 bits the smallest value, otherwise the low bits.
std::int32_t ToInt(lua_State* lua, int index) {
  return static_cast<int>(lua_tointeger(lua, index));
}

bool IsNumberOrNone(lua_State* lua, int index) {
  return lua_isnoneornil(lua, index) || lua_isnumber(lua, index) != 0;
}

// The number of results overflows in the original, and then nothing stops it.
int Unpack(lua_State* lua) {
  if (!lua_istable(lua, 1) || !IsNumberOrNone(lua, 2) || !IsNumberOrNone(lua, 3)) {
    return CallOriginal(lua);
  }
  const std::int64_t first = lua_isnoneornil(lua, 2) ? 1 : ToInt(lua, 2);
  const std::int64_t last =
      lua_isnoneornil(lua, 3) ? static_cast<std::int32_t>(lua_objlen(lua, 1)) : ToInt(lua, 3);
  if (last - first < LUAI_MAXCSTACK) return CallOriginal(lua);
  return luaL_error(lua, "too many results to unpack");
}

// The smallest int has no negation; like all below -8 it means 8 upper-case digits.
int ToHex(lua_State* lua) {
  constexpr double kTwoTo52And51 = 6755399441055744.0;  // Added to it, a number shows its low bits.
  if (lua_isnumber(lua, 2) != 0) {
    const double shifted = lua_tonumber(lua, 2) + kTwoTo52And51;
    std::int64_t bits = 0;
    static_assert(sizeof(bits) == sizeof(shifted));
    __builtin_memcpy(&bits, &shifted, sizeof(bits));
    if (static_cast<std::int32_t>(bits) == std::numeric_limits<std::int32_t>::min()) {
      lua_pushinteger(lua, -8);
      lua_replace(lua, 2);
    }
  }
  return CallOriginal(lua);
}

// This many rounds of a C loop, in which no script can be interrupted, take noticeable time.
constexpr std::int64_t kManyRounds = 50'000'000;

// The original would not notice a read-only table; its checks come first. It also moves every
// element after the new one, even indices far before the first.
int Insert(lua_State* lua) {
  const int count = lua_gettop(lua);
  const bool complete = count == 2 || (count == 3 && lua_isnumber(lua, 2) != 0);
  if (complete && MapToReal(lua, 1)) return RaiseReadOnly(lua);
  if (count == 3 && complete && lua_istable(lua, 1) && -std::int64_t{ToInt(lua, 2)} > kManyRounds) {
    return Abort(lua, "table.insert() that would take minutes");
  }
  return CallOriginal(lua);
}

// The original would loop to repeat an empty string.
int Repeat(lua_State* lua) {
  if (lua_isstring(lua, 1) == 0 || lua_isnumber(lua, 2) == 0 || lua_objlen(lua, 1) != 0) {
    return CallOriginal(lua);
  }
  lua_pushliteral(lua, "");
  return 1;
}

// The original would see a read-only table as empty.
int ForEach(lua_State* lua) {
  if (lua_gettop(lua) > 0) MapToReal(lua, 1);
  return CallOriginal(lua);
}

// Each repeated item in a pattern nests another call of the matcher, on the machine's stack.
int MatchPattern(lua_State* lua) {
  constexpr std::size_t kMostRepeats = 10000;
  const std::string_view pattern =
      lua_isstring(lua, 2) != 0 ? TextOnStack(lua, 2) : std::string_view();
  if (pattern.size() > kMostRepeats) {
    std::size_t depth = 0;
    for (const char c : pattern) {
      depth += c == '?' || c == '*' || c == '+' || c == '-' ? 1 : 0;
    }
    if (depth > kMostRepeats) return luaL_error(lua, "pattern too complex");
  }
  return CallOriginal(lua);
}

// Adds up the size of cjson's output for the value on top, which is outside Lua's memory: a small
// table that contains itself many times over would fill any. False: cjson will not get further.
bool AddEncodedSize(lua_State* lua, int depth, std::size_t* bytes) {
  constexpr int kDeepest = 1000;
  constexpr std::size_t kOfOne = 8;
  constexpr double kNoIndex = std::numeric_limits<int>::max() + 1.0;
  *bytes += kOfOne + (lua_type(lua, -1) == LUA_TSTRING ? lua_objlen(lua, -1) : 0);
  if (!lua_istable(lua, -1)) return true;
  CheckMemory(lua, *bytes);
  if (depth > kDeepest || lua_checkstack(lua, 3) == 0) return false;
  double last = 0;
  lua_pushnil(lua);
  while (lua_next(lua, -2) != 0) {
    const bool number = lua_type(lua, -2) == LUA_TNUMBER;
    last = std::max(last, number ? lua_tonumber(lua, -2) : kNoIndex);
    if (!AddEncodedSize(lua, depth + 1, bytes)) return false;
    lua_pop(lua, 1);
  }
  // A script that changed cjson's settings may have gaps encoded, each as "null,".
  if (SandboxOf(lua).tainted && last < kNoIndex) {
    *bytes += static_cast<std::size_t>(last) * std::string_view("null,").size();
    CheckMemory(lua, *bytes);
  }
  return true;
}

// cjson's own settings are in upvalue 1, and the original in upvalue 2.
int EncodeJson(lua_State* lua) {
  if (lua_gettop(lua) == 1 && lua_istable(lua, 1)) {
    std::size_t bytes = 0;
    AddEncodedSize(lua, 1, &bytes);
    lua_settop(lua, 1);
  }
  return lua_tocfunction(lua, lua_upvalueindex(2))(lua);
}

}  // namespace

void RepairLibraries(lua_State* lua) {
  struct Repair {
    const char* library;  // Null: a global.
    const char* name;
    lua_CFunction function;
  };
  constexpr Repair kRepairs[] = {
      {nullptr, "unpack", &Unpack},
      {"bit", "tohex", &ToHex},
      {LUA_TABLIBNAME, "insert", &Insert},
      {LUA_TABLIBNAME, "foreach", &ForEach},
      {LUA_STRLIBNAME, "rep", &Repeat},
      {LUA_STRLIBNAME, "find", &MatchPattern},
      {LUA_STRLIBNAME, "match", &MatchPattern},
      {LUA_STRLIBNAME, "gmatch", &MatchPattern},
      {LUA_STRLIBNAME, "gfind", &MatchPattern},
      {LUA_STRLIBNAME, "gsub", &MatchPattern},
  };
  for (const Repair& repair : kRepairs) {
    if (repair.library == nullptr) {
      lua_pushvalue(lua, LUA_GLOBALSINDEX);
    } else {
      lua_getglobal(lua, repair.library);
    }
    ReplaceField(lua, repair.name, repair.function);
    lua_pop(lua, 1);
  }
  lua_getglobal(lua, "cjson");
  lua_getfield(lua, -1, "encode");
  lua_getupvalue(lua, -1, 1);
  lua_insert(lua, -2);
  lua_pushcclosure(lua, &EncodeJson, 2);
  lua_setfield(lua, -2, "encode");
  lua_pop(lua, 1);
}

}  // namespace interlock::sim::redis
