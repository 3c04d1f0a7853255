// SPDX-License-Identifier: MIT
#include "sim/redis/scripting/script_inputs.h"

namespace interlock::sim::redis {

namespace {

Field NameOf(ScriptInputs::Which which) {
  return which == ScriptInputs::kKeys ? Field::kKeys : Field::kArgv;
}

}  // namespace

void ScriptInputs::PushNew(lua_State* lua, Texts texts, KnownTexts* known) {
  lua_createtable(lua, static_cast<int>(texts.size()), 0);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    known->Push(lua, texts[i]);
    lua_rawseti(lua, -2, static_cast<int>(i + 1));
  }
}

void ScriptInputs::SetNew(lua_State* lua, Which which, Texts texts, KnownTexts* known) {
  PushField(lua, NameOf(which));
  PushNew(lua, texts, known);
  lua_rawset(lua, -3);
}

void ScriptInputs::PushTable(lua_State* lua, std::size_t count, Kept* kept) {
  if (kept->table == LUA_NOREF) {
    lua_createtable(lua, static_cast<int>(count), 0);
    kept->table = luaL_ref(lua, LUA_REGISTRYINDEX);
    kept->texts.resize(count);
  }
  lua_rawgeti(lua, LUA_REGISTRYINDEX, kept->table);
}

void ScriptInputs::Push(lua_State* lua, Which which, Texts texts, KnownTexts* known) {
  const std::size_t count = texts.size();
  if (count > kMostKept) return PushNew(lua, texts, known);
  Kept& kept = kept_[which][count];
  PushTable(lua, count, &kept);
  for (std::size_t i = 0; i < count; ++i) {
    // An empty text may never have been set.
    if (kept.texts[i] == texts[i] && !texts[i].empty()) continue;
    known->Push(lua, texts[i]);
    kept.texts[i] = {lua_tostring(lua, -1), texts[i].size()};
    lua_rawseti(lua, -2, static_cast<int>(i + 1));
  }
}

}  // namespace interlock::sim::redis
