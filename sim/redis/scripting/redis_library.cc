// SPDX-License-Identifier: MIT
//
// The table `redis`.
#include "sim/redis/engine.h"
#include "sim/redis/scripting/sandbox.h"
#include "sim/redis/scripting/script_calls.h"
#include "sim/redis/scripting/values.h"
#include "sim/redis/text.h"

namespace interlock::sim::redis {

namespace {

ScriptCalls& CallsOf(lua_State* lua) {
  return *static_cast<ScriptCalls*>(lua_touserdata(lua, lua_upvalueindex(1)));
}

const ScriptTexts& TextsOf(lua_State* lua) { return *SandboxOf(lua).engine->dialect().script; }

int CallRaising(lua_State* lua) { return CallsOf(lua).Call(lua, true); }
int CallCatching(lua_State* lua) { return CallsOf(lua).Call(lua, false); }

int ErrorReply(lua_State* lua) {
  if (lua_gettop(lua) != 1 || lua_type(lua, 1) != LUA_TSTRING) {
    return ReturnError(lua, "wrong number or type of arguments", false);
  }
  const char* text = lua_tostring(lua, 1);
  if (*text == '-') {
    PushError(lua, text);
  } else {
    lua_pushfstring(lua, "-%s", text);
    PushError(lua, lua_tostring(lua, -1));
  }
  return 1;
}

int StatusReply(lua_State* lua) {
  if (lua_gettop(lua) != 1 || lua_type(lua, 1) != LUA_TSTRING) {
    return ReturnError(lua, "wrong number or type of arguments", false);
  }
  lua_newtable(lua);
  lua_pushvalue(lua, 1);
  lua_setfield(lua, -2, "ok");
  return 1;
}

int Sha1(lua_State* lua) {
  if (lua_gettop(lua) != 1) return ReturnError(lua, "wrong number of arguments");
  std::size_t length = 0;
  const char* text = lua_tolstring(lua, 1, &length);
  std::string& sha = SandboxOf(lua).scratch;  // Which outlives an error.
  sha = Sha1Hex({text, text == nullptr ? 0 : length});
  lua_pushstring(lua, sha.c_str());
  return 1;
}

int Log(lua_State* lua) {
  if (lua_gettop(lua) < 2) return ReturnError(lua, TextsOf(lua).log_arity);
  if (lua_isnumber(lua, 1) == 0) {
    return ReturnError(lua, "First argument must be a number (log level).");
  }
  const double level = lua_tonumber(lua, 1);
  if (!(level > -1 && level < 4)) return ReturnError(lua, TextsOf(lua).wrong_level);
  return 0;
}

int SetResp(lua_State* lua) {
  if (lua_gettop(lua) != 1) return ReturnError(lua, TextsOf(lua).setresp_arity);
  const double version = lua_tonumber(lua, 1);
  if (version != 2 && version != 3) return ReturnError(lua, "RESP version must be 2 or 3.");
  CallsOf(lua).SetProtocol(static_cast<int>(version));
  return 0;
}

int SetRepl(lua_State* lua) {
  if (lua_gettop(lua) != 1) return ReturnError(lua, TextsOf(lua).set_repl_arity);
  const double flags = lua_tonumber(lua, 1);
  if (!(flags > -1 && flags < 4)) {
    return ReturnError(
        lua, "Invalid replication flags. Use REPL_AOF, REPL_REPLICA, REPL_ALL or REPL_NONE.");
  }
  constexpr int kNone = 0;
  constexpr int kAll = 3;
  const int chosen = static_cast<int>(flags);
  Journal& journal = SandboxOf(lua).engine->journal;
  if (chosen != kNone && chosen != kAll && journal.active()) {
    return Abort(lua, "redis.set_repl(redis.REPL_AOF or redis.REPL_REPLICA)");
  }
  journal.SetMuted(chosen == kNone);
  return 0;
}

int ReplicateCommands(lua_State* lua) {
  lua_pushboolean(lua, 1);
  return 1;
}

// No debugger is ever attached.
int TellDebugger(lua_State* /*lua*/) { return 0; }

int Breakpoint(lua_State* lua) {
  lua_pushboolean(lua, 0);
  return 1;
}

// The one user may run every command.
int CheckCommand(lua_State* lua) {
  const int count = lua_gettop(lua);
  if (count == 0) {
    return ReturnError(lua, TextsOf(lua).no_arguments);
  }
  if (!CallsOf(lua).CollectArguments(lua, count)) {
    return ReturnError(lua, TextsOf(lua).wrong_arguments);
  }
  if (CallsOf(lua).CommandNamed() == nullptr) {
    return ReturnError(lua, TextsOf(lua).unknown_acl_command);
  }
  lua_pushboolean(lua, 1);
  return 1;
}

// "7.0.15" as 0x00070015.
int VersionNumber(std::string_view version) {
  int number = 0;
  int part = 0;
  for (const char c : version) {
    if (c != '.') {
      part = part * 10 + (c - '0');
      continue;
    }
    number = (number + part) << 8;
    part = 0;
  }
  return number + part;
}

void SetFunctions(lua_State* lua, std::span<const luaL_Reg> functions, ScriptCalls* calls) {
  for (const luaL_Reg& function : functions) {
    lua_pushlightuserdata(lua, calls);
    lua_pushcclosure(lua, function.func, 1);
    lua_setfield(lua, -2, function.name);
  }
}

struct Constant {
  const char* name;
  int value;
};

void SetConstants(lua_State* lua, std::span<const Constant> constants) {
  for (const Constant& constant : constants) {
    lua_pushinteger(lua, constant.value);
    lua_setfield(lua, -2, constant.name);
  }
}

}  // namespace

void SetLogAndVersion(lua_State* lua, const Dialect& dialect) {
  const Constant constants[] = {{"LOG_DEBUG", 0},
                                {"LOG_VERBOSE", 1},
                                {"LOG_NOTICE", 2},
                                {"LOG_WARNING", 3},
                                {"REDIS_VERSION_NUM", VersionNumber(dialect.version)}};
  SetConstants(lua, constants);
  lua_pushcfunction(lua, &Log);
  lua_setfield(lua, -2, "log");
  lua_pushlstring(lua, dialect.version.data(), dialect.version.size());
  lua_setfield(lua, -2, "REDIS_VERSION");
  if (!dialect.valkey) return;
  lua_pushliteral(lua, "valkey");
  lua_setfield(lua, -2, "SERVER_NAME");
  lua_pushlstring(lua, dialect.valkey_version.data(), dialect.valkey_version.size());
  lua_setfield(lua, -2, "VALKEY_VERSION");
  lua_pushinteger(lua, VersionNumber(dialect.valkey_version));
  lua_setfield(lua, -2, "VALKEY_VERSION_NUM");
}

void PushRedisTable(lua_State* lua, const Dialect& dialect, ScriptCalls* calls) {
  constexpr luaL_Reg kLibrary[] = {
      {"call", &CallRaising},       {"pcall", &CallCatching},
      {"error_reply", &ErrorReply}, {"status_reply", &StatusReply},
      {"sha1hex", &Sha1},           {"setresp", &SetResp},
      {"set_repl", &SetRepl},       {"acl_check_cmd", &CheckCommand},
  };
  constexpr luaL_Reg kOfScripts[] = {
      {"replicate_commands", &ReplicateCommands},
      {"breakpoint", &Breakpoint},
      {"debug", &TellDebugger},
  };
  constexpr Constant kReplication[] = {
      {"REPL_NONE", 0}, {"REPL_AOF", 1}, {"REPL_SLAVE", 2}, {"REPL_REPLICA", 2}, {"REPL_ALL", 3}};
  lua_newtable(lua);
  SetFunctions(lua, kLibrary, calls);
  if (SandboxOf(lua).use == LuaUse::kScripts) SetFunctions(lua, kOfScripts, calls);
  SetConstants(lua, kReplication);
  SetLogAndVersion(lua, dialect);
}

}  // namespace interlock::sim::redis
