// SPDX-License-Identifier: MIT
#include "sim/redis/scripting/known_texts.h"

#include <cstring>

#include "sim/redis/command_table.h"

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
                                   "ARGV"};
static_assert(std::size(kFields) == static_cast<std::size_t>(Field::kLast));

// Shorter ones are hashed as quickly as they are compared; longer ones are rare.
constexpr std::size_t kLeast = 8;
constexpr std::size_t kMost = 256;

std::uint64_t WordAt(const char* bytes) {
  std::uint64_t word = 0;
  std::memcpy(&word, bytes, sizeof(word));
  return word;
}

// Of the length, the ends and the middle: where keys and tokens differ.
std::size_t PlaceOf(std::string_view text, std::size_t places) {
  const char* end = text.data() + text.size() - sizeof(std::uint64_t);
  std::uint64_t mixed = WordAt(text.data()) + text.size();
  mixed = (mixed * 0x9E3779B97F4A7C15U) ^ WordAt(text.data() + (text.size() - kLeast) / 2);
  mixed = (mixed * 0x9E3779B97F4A7C15U) ^ WordAt(end);
  return static_cast<std::size_t>((mixed * 0x9E3779B97F4A7C15U) >> 32) % places;
}

}  // namespace

void KnownTexts::Open(lua_State* lua) {
  int place = 0;
  for (const char* field : kFields) {
    lua_pushstring(lua, field);
    lua_rawseti(lua, LUA_REGISTRYINDEX, ++place);
  }
  // No holes: references of luaL_ref come after these.
  while (++place < kEnd) {
    lua_pushboolean(lua, 0);
    lua_rawseti(lua, LUA_REGISTRYINDEX, place);
  }
}

void KnownTexts::Push(lua_State* lua, std::string_view text) {
  if (text.size() < kLeast || text.size() > kMost) {
    return lua_pushlstring(lua, text.data(), text.size());
  }
  const std::size_t place = PlaceOf(text, kTexts);
  const int key = kFirstText + static_cast<int>(place);
  if (texts_[place] == text) return lua_rawgeti(lua, LUA_REGISTRYINDEX, key);
  lua_pushlstring(lua, text.data(), text.size());
  lua_pushvalue(lua, -1);
  lua_rawseti(lua, LUA_REGISTRYINDEX, key);
  texts_[place] = {lua_tostring(lua, -1), text.size()};
}

const Command* KnownTexts::FindCommand(lua_State* lua, int index, std::string_view text) {
  const std::size_t place = (reinterpret_cast<std::uintptr_t>(text.data()) >> 4) % kCommands;
  KnownCommand& known = commands_[place];
  if (known.name == text.data()) return known.command;
  bool container = false;
  const Command* command = redis::FindCommand(text, {}, false, &container);
  if (command == nullptr || container) return nullptr;
  lua_pushvalue(lua, index);
  lua_rawseti(lua, LUA_REGISTRYINDEX, kFirstCommand + static_cast<int>(place));
  known = {text.data(), command};
  return command;
}

}  // namespace interlock::sim::redis
