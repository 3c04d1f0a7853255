// SPDX-License-Identifier: MIT
//
// The initial fields of Lua 5.1's TString, TValue, stringtable, global_State and lua_State, which
// no Lua header exposes. For string_hash.h, which verifies them in a state of this very Lua first.
// Thread safety: that of Lua, one state at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <lua5.1/lua.hpp>

namespace interlock::sim::redis {

struct LuaString {
  LuaString* next;
  std::uint8_t type;
  std::uint8_t marked;
  std::uint8_t reserved;
  std::uint32_t hash;
  std::size_t length;

  const char* text() const { return reinterpret_cast<const char*>(this + 1); }
};

struct LuaValue {
  union {
    const LuaString* string;
    lua_Number number;
  };
  std::int32_t type;
};

struct LuaGlobal {
  LuaString** chains;
  std::uint32_t strings;
  std::int32_t chain_count;  // A power of two.
  lua_Alloc allocate;
  void* allocate_for;
  std::uint8_t current_white;

  LuaString*& ChainOf(std::uint32_t hash) {
    return chains[hash & (static_cast<std::uint32_t>(chain_count) - 1)];
  }
};

struct LuaState {
  void* next;
  std::uint8_t type;
  std::uint8_t marked;
  std::uint8_t status;
  LuaValue* top;
  LuaValue* base;
  LuaGlobal* global;

  static LuaState& Of(lua_State* lua) { return *reinterpret_cast<LuaState*>(lua); }
};

}  // namespace interlock::sim::redis
