// SPDX-License-Identifier: MIT
//
// Functions of Lua's libraries that Redis replaces, or that would reveal an address.
#include <array>
#include <cmath>
#include <cstdio>
#include <cstring>

#include "sim/redis/engine.h"
#include "sim/redis/scripting/sandbox.h"

namespace interlock::sim::redis {

namespace {

int Next(lua_State* lua) {
  luaL_checktype(lua, 1, LUA_TTABLE);
  lua_settop(lua, 2);
  MapToReal(lua, 1);
  if (lua_next(lua, 1) == 0) {
    lua_pushnil(lua);
    return 1;
  }
  const int type = lua_type(lua, -2);
  // Such keys are ordered by their addresses.
  if (type == LUA_TTABLE || type == LUA_TFUNCTION || type == LUA_TUSERDATA || type == LUA_TTHREAD) {
    return Abort(lua, "pairs() over keys that are tables or functions");
  }
  return 2;
}

int Pairs(lua_State* lua) {
  luaL_checktype(lua, 1, LUA_TTABLE);
  lua_pushcfunction(lua, &Next);
  lua_pushvalue(lua, 1);
  lua_pushnil(lua);
  return 3;
}

int RawGet(lua_State* lua) {
  luaL_checktype(lua, 1, LUA_TTABLE);
  luaL_checkany(lua, 2);
  lua_settop(lua, 2);
  MapToReal(lua, 1);
  lua_rawget(lua, 1);
  return 1;
}

int RawSet(lua_State* lua) {
  luaL_checktype(lua, 1, LUA_TTABLE);
  luaL_checkany(lua, 2);
  luaL_checkany(lua, 3);
  lua_settop(lua, 3);
  if (MapToReal(lua, 1)) return RaiseReadOnly(lua);
  lua_rawset(lua, 1);
  return 1;
}

int GetMetatable(lua_State* lua) {
  luaL_checkany(lua, 1);
  const bool hidden = MapToReal(lua, 1) || lua_type(lua, 1) == LUA_TSTRING;
  if (lua_getmetatable(lua, 1) == 0) {
    lua_pushnil(lua);
  } else if (hidden) {
    Protect(lua);
  } else {
    luaL_getmetafield(lua, 1, "__metatable");
  }
  return 1;
}

int SetMetatable(lua_State* lua) {
  const int type = lua_type(lua, 2);
  luaL_checktype(lua, 1, LUA_TTABLE);
  luaL_argcheck(lua, type == LUA_TNIL || type == LUA_TTABLE, 2, "nil or table expected");
  if (luaL_getmetafield(lua, 1, "__metatable") != 0) {
    return luaL_error(lua, "cannot change a protected metatable");
  }
  lua_settop(lua, 2);
  if (MapToReal(lua, 1)) return RaiseReadOnly(lua);
  if (type == LUA_TTABLE) {
    lua_pushliteral(lua, "__mode");
    lua_rawget(lua, 2);  // the collector does not ask metatables either
    if (!lua_isnil(lua, -1)) return Abort(lua, "weak tables in a script");
    lua_pop(lua, 1);
  }
  lua_setmetatable(lua, 1);
  return 1;
}

int ToString(lua_State* lua) {
  luaL_checkany(lua, 1);
  if (luaL_callmeta(lua, 1, "__tostring") != 0) return 1;
  switch (lua_type(lua, 1)) {
    case LUA_TNUMBER:
      lua_pushstring(lua, lua_tostring(lua, 1));
      return 1;
    case LUA_TSTRING:
      lua_pushvalue(lua, 1);
      return 1;
    case LUA_TBOOLEAN:
      lua_pushstring(lua, lua_toboolean(lua, 1) != 0 ? "true" : "false");
      return 1;
    case LUA_TNIL:
      lua_pushliteral(lua, "nil");
      return 1;
    case LUA_TLIGHTUSERDATA:
      lua_pushliteral(lua, "userdata: (nil)");  // cjson.null is the only one.
      return 1;
    default:
      break;
  }
  // Instead of the address: the number of objects the script has named before.
  lua_settop(lua, 1);
  NumberObject(lua, 1);
  std::array<char, 32> address;
  const auto number = static_cast<unsigned long>(lua_tonumber(lua, 2));
  std::snprintf(address.data(), address.size(), "0x7f%010lx", number * 32);
  lua_pushfstring(lua, "%s: %s", luaL_typename(lua, 1), address.data());
  return 1;
}

int CollectGarbage(lua_State* lua) {
  constexpr const char* kOptions[] = {"collect", "stop",     "restart",    "count",
                                      "step",    "setpause", "setstepmul", nullptr};
  if (luaL_checkoption(lua, 1, "collect", kOptions) != 0) {
    return Abort(lua, "collectgarbage() of a script");
  }
  lua_gc(lua, LUA_GCCOLLECT, 0);
  lua_pushnumber(lua, 0);
  return 1;
}

int GcInfo(lua_State* lua) { return Abort(lua, "gcinfo() of a script"); }

// Redis' pcall: for an error that is a table, passes on only its err.
int ProtectedCall(lua_State* lua) {
  const int count = lua_gettop(lua);
  if (count == 0) {  // It would call the `true` that it is about to return.
    lua_pushboolean(lua, 0);
    lua_pushliteral(lua, "attempt to call a boolean value");
    return 2;
  }
  lua_pushboolean(lua, 1);
  lua_insert(lua, 1);
  if (lua_pcall(lua, count - 1, LUA_MULTRET, 0) == 0) return lua_gettop(lua);
  lua_remove(lua, 1);
  if (lua_istable(lua, -1)) {
    lua_getfield(lua, -1, "err");
    if (lua_isstring(lua, -1)) lua_replace(lua, -2);
  }
  lua_pushboolean(lua, 0);
  lua_insert(lua, 1);
  return lua_gettop(lua);
}

int LoadResult(lua_State* lua, int status) {
  if (status == 0) return 1;
  lua_pushnil(lua);
  lua_insert(lua, -2);
  return 2;
}

int LoadString(lua_State* lua) {
  std::size_t length = 0;
  const char* text = luaL_checklstring(lua, 1, &length);
  const char* chunk = luaL_optstring(lua, 2, text);
  return LoadResult(lua, LoadText(lua, {text, length}, chunk));
}

// The pieces come from a function; a leading blank keeps bytecode from being recognised.
const char* ReadPiece(lua_State* lua, void* begun, std::size_t* size) {
  luaL_checkstack(lua, 2, "too many nested functions");
  if (!*static_cast<bool*>(begun)) {
    *static_cast<bool*>(begun) = true;
    *size = 1;
    return " ";
  }
  lua_pushvalue(lua, 1);
  lua_call(lua, 0, 1);
  if (lua_isnil(lua, -1)) {
    *size = 0;
    return nullptr;
  }
  if (!lua_isstring(lua, -1)) luaL_error(lua, "reader function must return a string");
  lua_replace(lua, 3);
  return lua_tolstring(lua, 3, size);
}

int Load(lua_State* lua) {
  const char* chunk = luaL_optstring(lua, 2, "=(load)");
  luaL_checktype(lua, 1, LUA_TFUNCTION);
  lua_settop(lua, 3);
  bool begun = false;
  return LoadResult(lua, lua_load(lua, &ReadPiece, &begun, chunk));
}

// lrand48, so that a fresh server's random numbers are those of Redis.
int Random(lua_State* lua) {
  std::uint64_t& state = SandboxOf(lua).engine->script_random;
  state = (0x5DEECE66DU * state + 11) & ((std::uint64_t{1} << 48) - 1);
  constexpr std::uint64_t kMax = 0x7fffffff;
  const double ratio = static_cast<double>((state >> 17) % kMax) / static_cast<double>(kMax);
  switch (lua_gettop(lua)) {
    case 0:
      lua_pushnumber(lua, ratio);
      return 1;
    case 1: {
      const int high = luaL_checkint(lua, 1);
      luaL_argcheck(lua, 1 <= high, 1, "interval is empty");
      lua_pushnumber(lua, std::floor(ratio * high) + 1);
      return 1;
    }
    case 2: {
      const int low = luaL_checkint(lua, 1);
      const int high = luaL_checkint(lua, 2);
      luaL_argcheck(lua, low <= high, 2, "interval is empty");
      // An int in Redis: an interval of more than 2^31 - 1 numbers turns into a negative one.
      const auto width = static_cast<std::int32_t>(static_cast<std::uint32_t>(high) -
                                                   static_cast<std::uint32_t>(low) + 1U);
      lua_pushnumber(lua, std::floor(ratio * width) + low);
      return 1;
    }
    default:
      return luaL_error(lua, "wrong number of arguments");
  }
}

int RandomSeed(lua_State* lua) {
  const auto seed = static_cast<std::uint32_t>(luaL_checkint(lua, 1));
  SandboxOf(lua).engine->script_random = std::uint64_t{seed} << 16 | 0x330E;
  return 0;
}

constexpr luaL_Reg kBase[] = {{"next", &Next},
                              {"pairs", &Pairs},
                              {"rawget", &RawGet},
                              {"rawset", &RawSet},
                              {"load", &Load},
                              {"loadstring", &LoadString},
                              {"pcall", &ProtectedCall},
                              {"tostring", &ToString},
                              {"gcinfo", &GcInfo},
                              {"collectgarbage", &CollectGarbage},
                              {"getmetatable", &GetMetatable},
                              {"setmetatable", &SetMetatable},
                              {"__redis__err__handler", &AnnotateError}};
constexpr luaL_Reg kMath[] = {{"random", &Random}, {"randomseed", &RandomSeed}};

}  // namespace

std::span<const luaL_Reg> BaseFunctions() { return kBase; }
std::span<const luaL_Reg> MathFunctions() { return kMath; }

int LoadText(lua_State* lua, std::string_view text, const char* chunk, std::string_view before) {
  struct Reader {
    std::string_view before;
    std::string_view text;
    bool begun;
    static const char* Read(lua_State*, void* self, std::size_t* size) {
      Reader& reader = *static_cast<Reader*>(self);
      if (!reader.begun) {
        reader.begun = true;
        *size = reader.before.size();
        return reader.before.data();
      }
      const char* data = reader.text.data();
      *size = reader.text.size();
      reader.text = {};
      return *size == 0 ? nullptr : data;
    }
  };
  Reader reader{before, text, false};
  return lua_load(lua, &Reader::Read, &reader, chunk);
}

int AnnotateError(lua_State* lua) {
  lua_Debug where;
  bool found = lua_getstack(lua, 1, &where) != 0 && lua_getinfo(lua, "Sl", &where) != 0;
  if (found && std::strcmp(where.what, "C") == 0) {
    // The last one is what has called the script, and is not there in Redis.
    lua_Debug caller;
    found = lua_getstack(lua, 3, &caller) != 0 && lua_getstack(lua, 2, &where) != 0 &&
            lua_getinfo(lua, "Sl", &where) != 0;
  }
  lua_settop(lua, 1);
  if (!lua_istable(lua, 1)) {
    lua_pushliteral(lua, "ERR ");
    lua_pushcfunction(lua, &ToString);
    lua_pushvalue(lua, 1);
    lua_call(lua, 1, 1);
    lua_concat(lua, 2);
    lua_newtable(lua);
    lua_insert(lua, 2);
    lua_setfield(lua, 2, "err");
    lua_replace(lua, 1);
  }
  if (found) {
    lua_pushstring(lua, where.source);
    lua_setfield(lua, 1, "source");
    lua_pushinteger(lua, where.currentline);
    lua_setfield(lua, 1, "line");
  }
  lua_settop(lua, 1);
  return 1;
}

}  // namespace interlock::sim::redis
