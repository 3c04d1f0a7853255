// SPDX-License-Identifier: MIT
#include "sim/redis/scripting/machine.h"

#include <cstdio>
#include <cstdlib>
#include <new>

#include "sim/redis/scripting/fields.h"
#include "sim/redis/scripting/string_hash.h"
#include "sim/redis/scripting/values.h"

namespace interlock::sim::redis {

namespace {

// An error that nothing has caught.
int OnPanic(lua_State* lua) {
  const char* text = lua_tostring(lua, -1);
  std::fprintf(stderr, "Lua raised an error outside of any protected call: %s\n",
               text == nullptr ? "(not a text)" : text);
  std::abort();
}

// As a table.
void PushTexts(lua_State* lua, Arguments texts) {
  lua_createtable(lua, static_cast<int>(texts.size()), 0);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    lua_pushlstring(lua, texts[i].data(), texts[i].size());
    lua_rawseti(lua, -2, static_cast<int>(i + 1));
  }
}

// In the table on top of the stack.
void SetGlobal(lua_State* lua, const char* name, Arguments texts) {
  lua_pushstring(lua, name);
  PushTexts(lua, texts);
  lua_rawset(lua, -3);
}

}  // namespace

LuaMachine::LuaMachine(Engine& engine, LuaUse use) : engine_(engine), dialect_(&engine.dialect()) {
  sandbox_.engine = &engine;
  sandbox_.most_bytes = engine.script_memory;
  sandbox_.use = use;
  sandbox_.hashes_as_valkey = dialect_->valkey && CanHashAsValkey();
  if (use == LuaUse::kFunctions) loader_.emplace(sandbox_);
  lua_ = lua_newstate(&AllocateForLua, &sandbox_);
  if (lua_ == nullptr) throw std::bad_alloc();
  lua_atpanic(lua_, &OnPanic);
  if (lua_cpcall(lua_, &Open, this) == 0) return;
  lua_close(lua_);
  throw std::bad_alloc();
}

int LuaMachine::Open(lua_State* lua) {
  LuaMachine& self = *static_cast<LuaMachine*>(lua_touserdata(lua, 1));
  HashWholeStrings(lua);
  OpenFields(lua);
  PushRedisTable(lua, *self.dialect_, &self.calls_);
  OpenSandbox(lua, &self.sandbox_);
  self.scripts_.Open();
  if (self.loader_) self.loader_->Open();
  lua_pushlightuserdata(lua, &self);
  lua_pushcclosure(lua, &RunScript, 1);
  self.run_script_ = luaL_ref(lua, LUA_REGISTRYINDEX);
  return 0;
}

bool LuaMachine::Reset() {
  if (sandbox_.tainted || scripts_.HoldsMany() || dialect_ != &engine_.dialect()) return false;
  scripts_.Flush();
  return true;
}

void LuaMachine::Run(Context& context, const Script& script, bool read_only, Arguments keys,
                     Arguments arguments) {
  calls_.Begin(script, read_only, context.client);
  context.propagation = Context::Propagation::kDone;  // Its commands have been, each by itself.
  engine_.script_turn.Begin(context.client);
  if (script.is_function) engine_.script_turn.SetFunction(script.sha, context.args);
  const bool quickly = script.quick.runs() && !engine_.runs_all_in_lua;
  if (quickly && quick_run_.Run(script.quick, keys, arguments, &context)) {
    return engine_.script_turn.End();
  }
  RunInLua(context, script, keys, arguments);
}

void LuaMachine::RunInLua(Context& context, const Script& script, Arguments keys,
                          Arguments arguments) {
  BeginScript(lua_);
  Call call{&script, keys, arguments, &context};
  const bool finished = InProtectedCall(lua_, run_script_, &call);
  engine_.script_turn.End();
  engine_.journal.SetMuted(false);
  if (!engine_.unmodelled && !calls_.HasToldAll()) context.Unmodelled(kOtherwise);
  if (!finished && !engine_.unmodelled) {
    context.Error("ERR Error running script " + script.sha + ", not enough memory");
  }
  lua_settop(lua_, 0);
  EndScript(lua_);
}

// With its arguments, and returns their number.
int LuaMachine::PushScript(const Script& script, Arguments keys, Arguments arguments) {
  if (!script.is_function) {
    lua_rawgeti(lua_, LUA_REGISTRYINDEX, sandbox_.globals);
    SetGlobal(lua_, "KEYS", keys);
    SetGlobal(lua_, "ARGV", arguments);
    lua_pop(lua_, 1);
  }
  lua_rawgeti(lua_, LUA_REGISTRYINDEX, script.function);
  if (!script.is_function) return 0;
  PushTexts(lua_, keys);
  PushTexts(lua_, arguments);
  return 2;
}

int LuaMachine::RunScript(lua_State* lua) {
  constexpr int kHandler = 2;
  LuaMachine& self = *static_cast<LuaMachine*>(lua_touserdata(lua, lua_upvalueindex(1)));
  const Call& call = *static_cast<Call*>(lua_touserdata(lua, 1));
  lua_rawgeti(lua, LUA_REGISTRYINDEX, self.sandbox_.error_handler);
  const int inputs = self.PushScript(*call.script, call.keys, call.arguments);
  const int status = lua_pcall(lua, inputs, 1, kHandler);
  if (!self.engine_.unmodelled) self.TakeResult(status, *call.script, *call.context);
  return 0;
}

// Of a script: what it has returned or raised, on top of the stack.
void LuaMachine::TakeResult(int status, const Script& script, Context& context) {
  if (status == 0) {
    const char* unmodelled = TakeReply(lua_, calls_.protocol(), &context.reply);
    if (unmodelled != nullptr) return context.Unmodelled(unmodelled);
  } else if (!PopScriptError(lua_, script.sha, *engine_.dialect().script, &context.reply)) {
    context.Unmodelled("error() with a table that has no err");
  }
}

void LuaMachine::Kill(Context& context, LuaUse by) {
  if (calls_.has_written()) {
    return context.Error(
        "UNKILLABLE Sorry the script already executed write commands against the dataset. You can "
        "either wait the script termination or kill the server in a hard way using the SHUTDOWN "
        "NOSAVE command.");
  }
  if (by != sandbox_.use) return context.Error(engine_.script_turn.busy_text());
  sandbox_.killed = true;
  context.Ok();
}

}  // namespace interlock::sim::redis
