// SPDX-License-Identifier: MIT
#include "sim/redis/scripting/library_loader.h"

#include <algorithm>

#include "sim/redis/engine.h"
#include "sim/redis/scripting/values.h"
#include "sim/redis/text.h"

namespace interlock::sim::redis {

namespace {

constexpr const char* kLibraryChunk = "@user_function";
constexpr const char* kTwice = "Function already exists in the library";
constexpr const char* kRedisNameError =
    "Library names can only contain letters, numbers, or underscores(_) and must be at least one "
    "character long";
constexpr const char* kValkeyNameError =
    "Function names can only contain letters, numbers, or underscores(_) and must be at least one "
    "character long";

int OnMissingField(lua_State* lua) {
  if (lua_isstring(lua, 2) == 0) {
    return luaL_error(lua, "Second argument to luaProtectedTableError must be a string or number");
  }
  return luaL_error(lua, "Script attempted to access nonexistent global variable '%s'",
                    lua_tostring(lua, 2));
}

// Makes the table on top of the stack fail for what it has not, and read-only.
void Close(lua_State* lua) {
  lua_newtable(lua);
  lua_pushcfunction(lua, &OnMissingField);
  lua_setfield(lua, -2, "__index");
  lua_setmetatable(lua, -2);
}

}  // namespace

bool IsLibraryName(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
}

void LibraryLoader::Open() {
  lua_State* const lua = sandbox_.lua;
  const Dialect& dialect = sandbox_.engine->dialect();
  lua_pushlightuserdata(lua, this);
  lua_pushcclosure(lua, &Run, 1);
  run_ = luaL_ref(lua, LUA_REGISTRYINDEX);
  lua_newtable(lua);
  lua_newtable(lua);
  SetLogAndVersion(lua, dialect);
  if (dialect.IsIn(kValkeyFrom90)) ReplaceField(lua, "log", &LogWhileLoading);
  lua_pushlightuserdata(lua, this);
  lua_pushcclosure(lua, &Register, 1);
  lua_setfield(lua, -2, "register_function");
  Close(lua);
  Protect(lua);
  if (dialect.valkey) {
    lua_pushvalue(lua, -1);
    lua_setfield(lua, -3, "server");
  }
  lua_setfield(lua, -2, "redis");
  Close(lua);
  globals_ = luaL_ref(lua, LUA_REGISTRYINDEX);
}

// That server fails an assertion there.
int LibraryLoader::LogWhileLoading(lua_State* lua) {
  if (SandboxOf(lua).engine->script_turn.running()) return CallOriginal(lua);
  return Abort(lua, "redis.log in a library that is being loaded, which ends that server");
}

// What the read-only table of globals shows.
void LibraryLoader::SetGlobals(lua_State* lua, int table) {
  lua_getmetatable(lua, LUA_GLOBALSINDEX);
  lua_rawgeti(lua, LUA_REGISTRYINDEX, table);
  lua_setfield(lua, -2, "__index");
  lua_pop(lua, 1);
}

std::string LibraryLoader::Load(std::string_view code, std::vector<Function>* functions) {
  lua_State* const lua = sandbox_.lua;
  code_ = code;
  functions_ = functions;
  error_.clear();
  BeginScript(lua);
  const bool finished = InProtectedCall(lua, run_, nullptr);
  functions_ = nullptr;
  if (!finished) error_ = "ERR Error registering functions: not enough memory";
  lua_settop(lua, 0);
  EndScript(lua);
  for (const Function& function : *functions) {
    if (!error_.empty()) break;
    // In Redis register_function has checked it.
    if (const char* wrong = Check(function.name())) error_ = std::string("ERR ") + wrong;
    const auto same = [&](const Function& other) { return other.name() == function.name(); };
    if (error_.empty() && std::count_if(functions->begin(), functions->end(), same) > 1) {
      error_ = std::string("ERR ") + kTwice;
    }
  }
  return OneLine(error_);
}

void LibraryLoader::Forget(const Function& function) {
  luaL_unref(sandbox_.lua, LUA_REGISTRYINDEX, function.script.function);
}

int LibraryLoader::Run(lua_State* lua) {
  LibraryLoader& self = *static_cast<LibraryLoader*>(lua_touserdata(lua, lua_upvalueindex(1)));
  lua_settop(lua, 0);
  lua_rawgeti(lua, LUA_REGISTRYINDEX, self.sandbox_.error_handler);
  if (LoadText(lua, self.code_, kLibraryChunk) != 0) {
    self.error_.append("ERR Error compiling function: ").append(TextOnStack(lua, -1));
    return 0;
  }
  self.SetGlobals(lua, self.globals_);
  const int status = lua_pcall(lua, 0, 0, 1);
  self.SetGlobals(lua, self.sandbox_.globals);
  if (status == 0) return 0;
  if (lua_istable(lua, -1)) lua_getfield(lua, -1, "err");
  self.error_.append("ERR Error registering functions: ").append(TextOnStack(lua, -1));
  return 0;
}

// "... redis.register_function ...", of Valkey "... server.register_function ..."
int LibraryLoader::Fail(lua_State* lua, const char* before, const char* after) {
  const char* library = sandbox_.engine->dialect().valkey ? "server" : "redis";
  return ReturnError(lua, lua_pushfstring(lua, "%s%s.register_function%s", before, library, after));
}

const char* LibraryLoader::Check(std::string_view name) const {
  if (IsLibraryName(name)) return nullptr;
  return sandbox_.engine->dialect().valkey ? kValkeyNameError : kRedisNameError;
}

void LibraryLoader::ReadPositional(lua_State* lua) {
  if (lua_isstring(lua, 1) == 0) Fail(lua, "first argument to ", " must be a string");
  request_.name.assign(TextOnStack(lua, 1));
  if (!lua_isfunction(lua, 2)) Fail(lua, "second argument to ", " must be a function");
}

// The table of flags is on top of the stack.
void LibraryLoader::ReadFlags(lua_State* lua) {
  for (int i = 1;; ++i) {
    lua_rawgeti(lua, -1, i);
    if (lua_isnil(lua, -1)) return lua_pop(lua, 1);
    const std::string_view given =
        lua_isstring(lua, -1) != 0 ? UntilNul(TextOnStack(lua, -1)) : std::string_view();
    bool known = false;
    for (const ScriptFlag& flag : ScriptFlags()) {
      if (!EqualsIgnoreCase(given, flag.name)) continue;
      request_.flags.*flag.member = true;
      known = true;
    }
    if (!known) ReturnError(lua, "unknown flag given");
    lua_pop(lua, 1);
  }
}

// Its value is on top of the stack.
void LibraryLoader::ReadField(lua_State* lua, std::string_view key) {
  const bool text = lua_isstring(lua, -1) != 0;
  if (EqualsIgnoreCase(key, "function_name")) {
    if (!text) Fail(lua, "function_name argument given to ", " must be a string");
    request_.name.assign(TextOnStack(lua, -1));
    request_.named = true;
  } else if (EqualsIgnoreCase(key, "description")) {
    if (!text) Fail(lua, "description argument given to ", " must be a string");
    request_.description.emplace(TextOnStack(lua, -1));
  } else if (EqualsIgnoreCase(key, "callback")) {
    if (!lua_isfunction(lua, -1)) Fail(lua, "callback argument given to ", " must be a function");
    lua_pushvalue(lua, -1);
    lua_replace(lua, 2);
    request_.callable = true;
  } else if (EqualsIgnoreCase(key, "flags")) {
    if (!lua_istable(lua, -1)) {
      Fail(lua, "flags argument to ", " must be a table representing function flags");
    }
    ReadFlags(lua);
  } else {
    Fail(lua, "unknown argument given to ", "");
  }
}

void LibraryLoader::ReadNamed(lua_State* lua) {
  if (!lua_istable(lua, 1)) {
    Fail(lua, "calling ",
         " with a single argument is only applicable to Lua table (representing named arguments).");
  }
  lua_settop(lua, 2);  // The function, once it is known.
  lua_pushnil(lua);
  while (lua_next(lua, 1) != 0) {
    if (lua_isstring(lua, -2) == 0) {
      Fail(lua, "named argument key given to ", " is not a string");
    }
    lua_pushvalue(lua, -2);  // A copy: converting the key itself would confuse lua_next.
    const std::string_view key = UntilNul(TextOnStack(lua, -1));
    lua_insert(lua, -2);
    ReadField(lua, key);
    lua_pop(lua, 2);
  }
  if (!request_.named) Fail(lua, "", " must get a function name argument");
  if (!request_.callable) Fail(lua, "", " must get a callback argument");
}

int LibraryLoader::Register(lua_State* lua) {
  LibraryLoader& self = *static_cast<LibraryLoader*>(lua_touserdata(lua, lua_upvalueindex(1)));
  if (self.functions_ == nullptr) {
    return self.Fail(lua, "", " can only be called on FUNCTION LOAD command");
  }
  self.request_ = Request();
  const int count = lua_gettop(lua);
  if (count < 1 || count > 2) return self.Fail(lua, "wrong number of arguments to ", "");
  count == 1 ? self.ReadNamed(lua) : self.ReadPositional(lua);
  return self.RegisterRequest(lua);
}

int LibraryLoader::RegisterRequest(lua_State* lua) {
  if (!sandbox_.engine->dialect().valkey) {
    if (const char* wrong = Check(request_.name)) return ReturnError(lua, wrong);
    for (const Function& function : *functions_) {
      if (function.name() == request_.name) return ReturnError(lua, kTwice);
    }
  }
  lua_pushvalue(lua, 2);
  const int callback = luaL_ref(lua, LUA_REGISTRYINDEX);
  Function& function = functions_->emplace_back();
  function.script.function = callback;
  function.script.is_function = true;
  function.script.sha = request_.name;
  function.script.header = request_.flags;
  function.script.header.present = true;
  function.description = request_.description;
  return 0;
}

}  // namespace interlock::sim::redis
