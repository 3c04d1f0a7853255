// SPDX-License-Identifier: MIT
#include "sim/redis/scripting/string_hash.h"

#include <atomic>
#include <bit>
#include <cstdint>
#include <cstring>
#include <new>
#include <string_view>

#include "sim/redis/scripting/lua_layout.h"
#include "sim/redis/scripting/sandbox.h"

namespace interlock::sim::redis {

namespace {

std::atomic<bool> lua_layout_is_known = false;

bool LuaLayoutIsKnown() { return lua_layout_is_known.load(std::memory_order_relaxed); }

// Both white marks of the collector: a string is dead if it has the one that is not current.
constexpr std::uint8_t kWhites = 3;
// Lua itself hashes shorter ones in full.
constexpr std::size_t kFirstSampled = 32;

extern "C" {
// Weak: null if Lua is a shared library, whose own calls no linker redirects.
[[gnu::weak]] LuaString* NewLuaString(lua_State* lua, const char* text,
                                      std::size_t length) __asm__("__real_luaS_newlstr");
}

std::uint32_t HashWith(std::uint32_t before, char next) {
  return before ^ ((before << 5) + (before >> 2) + static_cast<std::uint8_t>(next));
}

std::uint32_t HashOf(const char* text, std::size_t length, std::size_t step) {
  auto hash = static_cast<std::uint32_t>(length);
  for (std::size_t left = length; left >= step; left -= step) hash = HashWith(hash, text[left - 1]);
  return hash;
}

// With a step of 1, for the strings that scripts make in large numbers.
std::uint32_t HashOfAll(const char* text, std::size_t length) {
  auto hash = static_cast<std::uint32_t>(length);
  const char* next = text + length;
  for (; next - text >= 4; next -= 4) {
    hash = HashWith(HashWith(HashWith(HashWith(hash, next[-1]), next[-2]), next[-3]), next[-4]);
  }
  while (next != text) hash = HashWith(hash, *--next);
  return hash;
}

// MurmurHash3 of 32 bits, whose seed is the length.
std::uint32_t HashOfValkey(const char* text, std::size_t length) {
  const auto scrambled = [](std::uint32_t block) {
    return std::rotl(block * 0xcc9e2d51U, 15) * 0x1b873593U;
  };
  auto hash = static_cast<std::uint32_t>(length);
  const char* const end = text + length;
  for (; end - text >= 4; text += 4) {
    std::uint32_t block = 0;
    std::memcpy(&block, text, sizeof(block));
    hash = std::rotl(hash ^ scrambled(block), 13) * 5 + 0xe6546b64U;
  }
  std::uint32_t rest = 0;
  std::memcpy(&rest, text, static_cast<std::size_t>(end - text));
  hash ^= scrambled(rest) ^ static_cast<std::uint32_t>(length);
  hash = (hash ^ (hash >> 16)) * 0x85ebca6bU;
  hash = (hash ^ (hash >> 13)) * 0xc2b2ae35U;
  return hash ^ (hash >> 16);
}

// Whether a state of this program does: most have none.
std::atomic<bool> some_hash_as_valkey = false;

// Programs that simulate may have Lua states of their own.
bool HashesAsValkey(const LuaGlobal& global) {
  return global.allocate == &AllocateForLua &&
         static_cast<const Sandbox*>(global.allocate_for)->hashes_as_valkey;
}

bool LayoutIsAsExpected(lua_State* lua) {
  constexpr std::string_view kProbe = "a text that is too long to be hashed in full";
  if (&NewLuaString == nullptr || LUA_VERSION_NUM != 501 || sizeof(void*) != 8) return false;
  lua_pushlstring(lua, kProbe.data(), kProbe.size());
  const LuaState& state = LuaState::Of(lua);
  const LuaValue* const pushed = state.base + lua_gettop(lua) - 1;
  const bool on_top = pushed + 1 == state.top && pushed->type == LUA_TSTRING;
  const auto* probe = reinterpret_cast<const LuaString*>(lua_tostring(lua, -1)) - 1;
  lua_pop(lua, 1);
  const std::size_t step = (kProbe.size() >> 5) + 1;
  if (!on_top || pushed->string != probe || probe->type != LUA_TSTRING ||
      probe->length != kProbe.size() || probe->hash != HashOf(kProbe.data(), kProbe.size(), step)) {
    return false;
  }
  LuaGlobal& global = *LuaState::Of(lua).global;
  if (!std::has_single_bit(static_cast<std::uint32_t>(global.chain_count))) return false;
  const LuaString* at = global.ChainOf(probe->hash);
  while (at != nullptr && at != probe) at = at->next;
  return at == probe && std::memcmp(at->text(), kProbe.data(), kProbe.size()) == 0;
}

// Moves a string that Lua has just made to its full hash's chain.
void Rehash(LuaGlobal& global, LuaString* made, std::uint32_t hash) {
  LuaString** link = &global.ChainOf(made->hash);
  while (*link != made) link = &(*link)->next;
  *link = made->next;
  LuaString*& chain = global.ChainOf(hash);
  made->hash = hash;
  made->next = chain;
  chain = made;
}

}  // namespace

extern "C" {
LuaString* NewHashedLuaString(lua_State* lua, const char* text,
                              std::size_t length) __asm__("__wrap_luaS_newlstr");

LuaString* NewHashedLuaString(lua_State* lua, const char* text, std::size_t length) {
  const bool some_do = some_hash_as_valkey.load(std::memory_order_relaxed);
  if ((length < kFirstSampled && !some_do) || !LuaLayoutIsKnown()) {
    return NewLuaString(lua, text, length);
  }
  LuaGlobal& global = *LuaState::Of(lua).global;
  const bool as_valkey = some_do && HashesAsValkey(global);
  if (length < kFirstSampled && !as_valkey) return NewLuaString(lua, text, length);
  const std::uint32_t hash = as_valkey ? HashOfValkey(text, length) : HashOfAll(text, length);
  for (LuaString* at = global.ChainOf(hash); at != nullptr; at = at->next) {
    if (at->length != length || std::memcmp(at->text(), text, length) != 0) continue;
    const std::uint8_t dead = (global.current_white ^ kWhites) & kWhites;
    if ((at->marked & dead) != 0) at->marked ^= kWhites;  // Revives it.
    return at;
  }
  LuaString* made = NewLuaString(lua, text, length);
  Rehash(global, made, hash);
  return made;
}
}

void HashWholeStrings(lua_State* lua) {
  if (LuaLayoutIsKnown()) return;
  lua_layout_is_known.store(LayoutIsAsExpected(lua), std::memory_order_relaxed);
}

bool CanHashAsValkey() {
  if (!LuaLayoutIsKnown()) {
    Sandbox scratch;
    lua_State* const lua = lua_newstate(&AllocateForLua, &scratch);
    if (lua == nullptr) throw std::bad_alloc();
    const auto learn = [](lua_State* state) {
      HashWholeStrings(state);
      return 0;
    };
    lua_cpcall(lua, learn, nullptr);
    lua_close(lua);
  }
  if (LuaLayoutIsKnown()) some_hash_as_valkey.store(true, std::memory_order_relaxed);
  return LuaLayoutIsKnown();
}

}  // namespace interlock::sim::redis
