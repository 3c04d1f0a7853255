// SPDX-License-Identifier: MIT
#include "sim/redis/scripting/script_inputs.h"

namespace interlock::sim::redis {

namespace {

Field NameOf(ScriptInputs::Which which) {
  return which == ScriptInputs::kKeys ? Field::kKeys : Field::kArgv;
}

}  // namespace

void ScriptInputs::SetNew(lua_State* lua, Which which, Texts texts, KnownTexts* known) {
  PushField(lua, NameOf(which));
  lua_createtable(lua, static_cast<int>(texts.size()), 0);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    known->Push(lua, texts[i]);
    lua_rawseti(lua, -2, static_cast<int>(i + 1));
  }
  lua_rawset(lua, -3);
}

// Pushes the table, too.
ScriptInputs::Kept& ScriptInputs::Find(lua_State* lua, Input* input, std::size_t count) {
  Kept& kept = input->kept[count];
  if (kept.table == LUA_NOREF) {
    lua_createtable(lua, static_cast<int>(count), 0);
    kept.table = luaL_ref(lua, LUA_REGISTRYINDEX);
    kept.texts.resize(count);
  }
  lua_rawgeti(lua, LUA_REGISTRYINDEX, kept.table);
  return kept;
}

void ScriptInputs::SetAgain(lua_State* lua, Which which, Texts texts, KnownTexts* known) {
  Input& input = inputs_[which];
  const std::size_t count = texts.size();
  if (count > kMostKept) {
    input.count = count;
    return SetNew(lua, which, texts, known);
  }
  Kept& kept = Find(lua, &input, count);
  for (std::size_t i = 0; i < count; ++i) {
    // A text that is empty may not be there yet.
    if (kept.texts[i] == texts[i] && !texts[i].empty()) continue;
    known->Push(lua, texts[i]);
    kept.texts[i] = {lua_tostring(lua, -1), texts[i].size()};
    lua_rawseti(lua, -2, static_cast<int>(i + 1));
  }
  if (input.count != count) {
    input.count = count;
    PushField(lua, NameOf(which));
    lua_pushvalue(lua, -2);
    lua_rawset(lua, -4);
  }
  lua_pop(lua, 1);
}

}  // namespace interlock::sim::redis
