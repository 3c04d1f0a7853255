// SPDX-License-Identifier: MIT
#include "sim/redis/scripting/known_texts.h"

#include <iterator>

#include "sim/redis/command_table.h"
#include "sim/redis/scripting/quick_hash.h"

namespace interlock::sim::redis {

namespace {

constexpr const char* kFields[] = {"err",
                                   "ok",
                                   "double",
                                   "map",
                                   "set",
                                   "big_number",
                                   "verbatim_string",
                                   "format",
                                   "string",
                                   "source",
                                   "line",
                                   "ignore_error_stats_update",
                                   "KEYS",
                                   "ARGV",
                                   "OK"};
static_assert(std::size(kFields) == static_cast<std::size_t>(Field::kLast));

// Shorter ones are hashed as fast as compared; longer ones are rare.
constexpr std::size_t kLeast = 8;
constexpr std::size_t kMost = 256;

}  // namespace

void KnownTexts::Open(lua_State* lua) {
  int place = 0;
  for (const char* field : kFields) {
    lua_pushstring(lua, field);
    lua_rawseti(lua, LUA_REGISTRYINDEX, ++place);
  }
  // No holes: references made by luaL_ref come after these.
  while (++place < kEnd) {
    lua_pushboolean(lua, 0);
    lua_rawseti(lua, LUA_REGISTRYINDEX, place);
  }
}

void KnownTexts::Push(lua_State* lua, std::string_view text) {
  if (text.size() < kLeast || text.size() > kMost) {
    return lua_pushlstring(lua, text.data(), text.size());
  }
  const std::size_t place = QuickHash(text) % kTexts;
  const int key = kFirstText + static_cast<int>(place);
  if (texts_[place] == text) return lua_rawgeti(lua, LUA_REGISTRYINDEX, key);
  lua_pushlstring(lua, text.data(), text.size());
  lua_pushvalue(lua, -1);
  lua_rawseti(lua, LUA_REGISTRYINDEX, key);
  texts_[place] = {lua_tostring(lua, -1), text.size()};
}

const Command* KnownTexts::FindCommand(const Dialect& dialect, lua_State* lua, int index,
                                       std::string_view text) {
  const std::size_t place = (reinterpret_cast<std::uintptr_t>(text.data()) >> 4) % kCommands;
  KnownCommand& known = commands_[place];
  if (known.name == text.data() && known.dialect == dialect.id) return known.command;
  bool container = false;
  const Command* command = redis::FindCommand(dialect, text, {}, false, &container);
  if (command == nullptr || container) return nullptr;
  lua_pushvalue(lua, index);
  lua_rawseti(lua, LUA_REGISTRYINDEX, kFirstCommand + static_cast<int>(place));
  known = {text.data(), dialect.id, command};
  return command;
}

}  // namespace interlock::sim::redis
