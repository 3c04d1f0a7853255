// SPDX-License-Identifier: MIT
#include "sim/redis/scripting/sandbox.h"

#include "sim/redis/engine.h"
#include "sim/redis/scripting/fields.h"
#include "sim/redis/scripting/values.h"

extern "C" {
int luaopen_bit(lua_State* lua);
int luaopen_cjson(lua_State* lua);
}

namespace interlock::sim::redis {

namespace {

constexpr int kHookStep = 100000;
constexpr std::uint64_t kMaxInstructions = 10'000'000;
// Garbage that may wait for the end of a script, and remain from earlier ones: the less it is, the
// longer the memory that scripts take stays in the processor's caches.
constexpr std::size_t kMuchGarbage = std::size_t{4} << 20;
constexpr std::size_t kSomeGarbage = std::size_t{64} << 10;
constexpr const char* kReadOnlyTable = "Attempt to modify a readonly table";

// Registry keys: the tables that map read-only tables to the real ones (and back), and objects to
// the numbers shown by tostring. Negative, because luaL_ref counts up.
enum RegistryKey : int { kRealKey = -2, kProxyKey = -3, kObjectsKey = -4 };

void NewRegistryTable(lua_State* lua, RegistryKey key) {
  lua_newtable(lua);
  lua_rawseti(lua, LUA_REGISTRYINDEX, key);
}

// Replaces the value at `index` by its counterpart in the table; returns whether there was one.
bool Map(lua_State* lua, RegistryKey table, int index) {
  lua_rawgeti(lua, LUA_REGISTRYINDEX, table);
  lua_pushvalue(lua, index);
  lua_rawget(lua, -2);
  const bool found = !lua_isnil(lua, -1);
  if (found) lua_replace(lua, index);
  lua_settop(lua, found ? -2 : -3);
  return found;
}

// Redis' own check is in the interpreter, so its text has the position of the assignment.
int OnNewIndex(lua_State* lua) { return luaL_error(lua, kReadOnlyTable); }

int OnMissingGlobal(lua_State* lua) {
  if (!lua_isstring(lua, 2)) {
    return luaL_error(lua, "Second argument to luaProtectedTableError must be a string or number");
  }
  return luaL_error(lua, "Script attempted to access nonexistent global variable '%s'",
                    lua_tostring(lua, 2));
}

// A cjson function that changes its settings, which later scripts would see. Called in the same
// frame, with its own first upvalue, so that its error texts stay the same.
int CallTainting(lua_State* lua) {
  SandboxOf(lua).tainted = true;
  return lua_tocfunction(lua, lua_upvalueindex(2))(lua);
}

void OnCount(lua_State* lua, lua_Debug*);

// Lets code that catches a script's final error run only one instruction.
void HookEach(lua_State* lua) { lua_sethook(lua, &OnCount, LUA_MASKCOUNT, 1); }

const char* KilledText(const Sandbox& sandbox) {
  if (!sandbox.engine->dialect().valkey) return "Script killed by user with SCRIPT KILL...";
  return sandbox.use == LuaUse::kFunctions ? "Script killed by user with FUNCTION KILL."
                                           : "Script killed by user with SCRIPT KILL.";
}

void OnCount(lua_State* lua, lua_Debug*) {
  Sandbox& sandbox = SandboxOf(lua);
  if (sandbox.engine->unmodelled) Abort(lua, *sandbox.engine->unmodelled);
  sandbox.instructions += kHookStep;
  // A library that is being loaded holds up everybody.
  ScriptTurn& turn = sandbox.engine->script_turn;
  const bool alone = !sandbox.killed && !(turn.running() && turn.OnLongScript());
  if (alone && sandbox.instructions >= kMaxInstructions) {
    Abort(lua, turn.running() ? "script over the time limit (BUSY)" : "FUNCTION LOAD for so long");
  }
  if (!sandbox.killed) return;
  HookEach(lua);
  PushError(lua, KilledText(sandbox));
  lua_error(lua);
}

void SetFunction(lua_State* lua, const char* name, lua_CFunction function) {
  lua_pushcfunction(lua, function);
  lua_setfield(lua, -2, name);
}

// os.clock tells the processor time, which no simulated server takes.
int OsClock(lua_State* lua) { return Abort(lua, "os.clock"); }

// All of `os` that there is.
void PushClock(lua_State* lua) {
  lua_newtable(lua);
  SetFunction(lua, "clock", &OsClock);
  lua_setglobal(lua, "os");
}

void OpenLibraries(lua_State* lua) {
  struct Library {
    const char* name;
    lua_CFunction open;
  };
  constexpr Library kLibraries[] = {{"", &luaopen_base},
                                    {LUA_TABLIBNAME, &luaopen_table},
                                    {LUA_STRLIBNAME, &luaopen_string},
                                    {LUA_MATHLIBNAME, &luaopen_math},
                                    {"bit", &luaopen_bit}};
  for (const Library& library : kLibraries) {
    lua_pushcfunction(lua, library.open);
    lua_pushstring(lua, library.name);
    lua_call(lua, 1, 0);
  }
  lua_pushcfunction(lua, &luaopen_cjson);
  lua_call(lua, 0, 1);
  for (const char* name :
       {"encode_sparse_array", "encode_max_depth", "decode_max_depth", "encode_number_precision",
        "encode_keep_buffer", "encode_invalid_numbers", "decode_invalid_numbers"}) {
    lua_getfield(lua, -1, name);
    lua_getupvalue(lua, -1, 1);
    lua_insert(lua, -2);
    lua_pushcclosure(lua, &CallTainting, 2);
    lua_setfield(lua, -2, name);
  }
  lua_setglobal(lua, "cjson");
  if (SandboxOf(lua).engine->dialect().since_72) PushClock(lua);
  PushMessagePack(lua);
  lua_setglobal(lua, "cmsgpack");
  PushStruct(lua);
  lua_setglobal(lua, "struct");
}

void ReplaceFunctions(lua_State* lua) {
  for (const char* name : {"dofile", "loadfile", "print", "getfenv", "setfenv", "newproxy"}) {
    lua_pushnil(lua);
    lua_setglobal(lua, name);
  }
  lua_pushvalue(lua, LUA_GLOBALSINDEX);
  for (const luaL_Reg& function : BaseFunctions()) SetFunction(lua, function.name, function.func);
  if (SandboxOf(lua).use == LuaUse::kFunctions) {
    lua_pushnil(lua);
    lua_setfield(lua, -2, "__redis__err__handler");
  } else if (SandboxOf(lua).engine->dialect().valkey) {
    lua_getfield(lua, -1, "__redis__err__handler");
    lua_setfield(lua, -2, "__server__err__handler");
  }
  lua_getfield(lua, -1, LUA_MATHLIBNAME);
  for (const luaL_Reg& function : MathFunctions()) SetFunction(lua, function.name, function.func);
  lua_pop(lua, 1);
  lua_pop(lua, 1);
  RepairLibraries(lua);
}

// Replaces the libraries and, last, the globals by their read-only counterparts.
void ProtectGlobals(lua_State* lua, Sandbox* sandbox) {
  for (const char* name :
       {"string", "math", "table", "coroutine", "cjson", "bit", "cmsgpack", "struct", "redis"}) {
    lua_getglobal(lua, name);
    Protect(lua);
    lua_setglobal(lua, name);
  }
  if (sandbox->engine->dialect().valkey) {
    lua_getglobal(lua, "redis");
    lua_setglobal(lua, "server");
  }
  if (sandbox->engine->dialect().since_72) {
    lua_getglobal(lua, "os");
    Protect(lua);
    lua_setglobal(lua, "os");
  }
  lua_pushliteral(lua, "");
  lua_getmetatable(lua, -1);
  lua_getglobal(lua, "string");
  lua_setfield(lua, -2, "__index");
  lua_pop(lua, 2);
  lua_pushvalue(lua, LUA_GLOBALSINDEX);
  lua_pushvalue(lua, -1);
  sandbox->globals = luaL_ref(lua, LUA_REGISTRYINDEX);
  lua_newtable(lua);
  SetFunction(lua, "__index", &OnMissingGlobal);
  lua_setmetatable(lua, -2);
  Protect(lua);
  lua_pushvalue(lua, -1);
  lua_setglobal(lua, "_G");
  lua_replace(lua, LUA_GLOBALSINDEX);
}

// Lua is about to use this many bytes. False: it must not.
bool NoteMuchGarbage(Sandbox& sandbox, std::size_t bytes) {
  if (bytes > sandbox.live_bytes + sandbox.most_bytes) {
    sandbox.engine->SetUnmodelled("script over the memory limit");
    return false;
  }
  // This only sets the collector's threshold: it runs when Lua reaches a safe point.
  const std::size_t much = sandbox.live_bytes + kMuchGarbage;
  const bool begins = sandbox.memory.bytes() <= much && bytes > much;
  if (begins && sandbox.lua != nullptr) lua_gc(sandbox.lua, LUA_GCRESTART, 0);
  return true;
}

// Between scripts, so not in a protected call: the collector may make a smaller table of strings
// before it frees the larger one, whatever a script may have.
void Collect(lua_State* lua, Sandbox& sandbox) {
  sandbox.collects = true;
  lua_gc(lua, LUA_GCCOLLECT, 0);
  sandbox.collects = false;
  sandbox.live_bytes = sandbox.memory.bytes();
}

}  // namespace

int CallOriginal(lua_State* lua) { return lua_tocfunction(lua, lua_upvalueindex(1))(lua); }

void ReplaceField(lua_State* lua, const char* name, lua_CFunction function) {
  lua_getfield(lua, -1, name);
  lua_pushcclosure(lua, function, 1);
  lua_setfield(lua, -2, name);
}

std::string_view TextOnStack(lua_State* lua, int index) {
  std::size_t length = 0;
  const char* text = lua_tolstring(lua, index, &length);
  return {text, length};
}

int RaiseReadOnly(lua_State* lua) {
  lua_pushstring(lua, kReadOnlyTable);
  return lua_error(lua);
}

void Protect(lua_State* lua) {
  const int real = lua_gettop(lua);
  if (Map(lua, kProxyKey, real)) return;
  lua_newtable(lua);
  // Code that inspects the table itself, like cjson.encode, finds a function as in the real one.
  lua_pushliteral(lua, "\0");
  lua_pushcfunction(lua, &OnNewIndex);
  lua_rawset(lua, -3);
  lua_newtable(lua);
  lua_pushvalue(lua, real);
  lua_setfield(lua, -2, "__index");
  lua_pushcfunction(lua, &OnNewIndex);
  lua_setfield(lua, -2, "__newindex");
  lua_setmetatable(lua, -2);
  lua_rawgeti(lua, LUA_REGISTRYINDEX, kRealKey);
  lua_pushvalue(lua, -2);
  lua_pushvalue(lua, real);
  lua_rawset(lua, -3);
  lua_rawgeti(lua, LUA_REGISTRYINDEX, kProxyKey);
  lua_pushvalue(lua, real);
  lua_pushvalue(lua, -4);
  lua_rawset(lua, -3);
  lua_pop(lua, 2);
  lua_replace(lua, real);
}

bool MapToReal(lua_State* lua, int index) { return Map(lua, kRealKey, index); }

void NumberObject(lua_State* lua, int index) {
  Sandbox& sandbox = SandboxOf(lua);
  lua_pushvalue(lua, index);
  const int copy = lua_gettop(lua);
  if (Map(lua, kObjectsKey, copy)) return;
  lua_rawgeti(lua, LUA_REGISTRYINDEX, kObjectsKey);
  lua_insert(lua, copy);
  lua_pushnumber(lua, static_cast<lua_Number>(++sandbox.objects));
  lua_rawset(lua, copy);
  lua_settop(lua, copy - 1);
  lua_pushnumber(lua, static_cast<lua_Number>(sandbox.objects));
}

void OpenSandbox(lua_State* lua, Sandbox* sandbox) {
  NewRegistryTable(lua, kRealKey);
  NewRegistryTable(lua, kProxyKey);
  NewRegistryTable(lua, kObjectsKey);
  lua_setglobal(lua, "redis");
  OpenLibraries(lua);
  ReplaceFunctions(lua);
  ProtectGlobals(lua, sandbox);
  lua_pushcfunction(lua, &AnnotateError);
  sandbox->error_handler = luaL_ref(lua, LUA_REGISTRYINDEX);
  sandbox->lua = lua;
}

Sandbox& SandboxOf(lua_State* lua) {
  void* sandbox = nullptr;
  (void)lua_getallocf(lua, &sandbox);
  return *static_cast<Sandbox*>(sandbox);
}

void BeginScript(lua_State* lua) {
  Sandbox& sandbox = SandboxOf(lua);
  if (sandbox.memory.bytes() > sandbox.live_bytes + kSomeGarbage) Collect(lua, sandbox);
  lua_gc(lua, LUA_GCSTOP, 0);
  sandbox.instructions = 0;
  sandbox.killed = false;
  // Anew for each script, as in Redis: Lua would go on counting where the one before has ended.
  lua_sethook(lua, &OnCount, LUA_MASKCOUNT, kHookStep);
  if (sandbox.objects == 0) return;
  sandbox.objects = 0;
  NewRegistryTable(lua, kObjectsKey);
}

void EndScript(lua_State* lua) {
  Sandbox& sandbox = SandboxOf(lua);
  if (sandbox.memory.bytes() > sandbox.live_bytes + kMuchGarbage) Collect(lua, sandbox);
}

void* AllocateForLua(void* of, void* block, std::size_t old_size, std::size_t new_size) {
  Sandbox& sandbox = *static_cast<Sandbox*>(of);
  if (new_size == 0) {
    sandbox.memory.Free(block, old_size);
    return nullptr;
  }
  const std::size_t after = sandbox.memory.bytes() + new_size - old_size;
  const bool much = !sandbox.collects && after > sandbox.live_bytes + kMuchGarbage;
  if (much && new_size > old_size && !NoteMuchGarbage(sandbox, after)) return nullptr;
  return sandbox.memory.Resize(block, old_size, new_size);
}

void CheckMemory(lua_State* lua, std::size_t bytes) {
  if (bytes > SandboxOf(lua).most_bytes) Abort(lua, "script over the memory limit");
}

int Abort(lua_State* lua, std::string_view what) {
  Sandbox& sandbox = SandboxOf(lua);
  sandbox.engine->SetUnmodelled(what);
  sandbox.tainted = true;
  HookEach(lua);
  return luaL_error(lua, "the script has been ended");
}

bool InProtectedCall(lua_State* lua, int function, void* argument) {
  lua_settop(lua, 0);
  lua_rawgeti(lua, LUA_REGISTRYINDEX, function);
  lua_pushlightuserdata(lua, argument);
  return lua_pcall(lua, 1, 1, 0) == 0;
}

}  // namespace interlock::sim::redis
