// SPDX-License-Identifier: MIT
//
// Lua 5.1 as Redis' scripts see it: its globals, all read-only, and no way for an address, a clock
// or the garbage collector to affect a script's behaviour.
//
// Hazard: Lua's errors are longjmps. No function here, nor any that Lua calls, may hold an object
// with a destructor while it calls a Lua function that can raise.
#pragma once

#include <cstddef>
#include <cstdint>
#include <lua5.1/lua.hpp>
#include <span>
#include <string>
#include <string_view>

#include "sim/redis/scripting/lua_memory.h"
#include "sim/redis/scripting/scripting.h"

namespace interlock::sim::redis {

class Engine;
class ScriptCalls;
struct Dialect;

/// State of the sandboxed functions.
struct Sandbox {
  Engine* engine = nullptr;
  LuaUse use = LuaUse::kScripts;
  std::uint64_t instructions = 0;  ///< Of the running script, in count-hook steps.
  bool killed = false;             ///< By SCRIPT KILL.
  bool collects = false;           ///< Garbage, between scripts.
  std::uint64_t objects = 0;  ///< Number of objects that tostring has named in the running script.
  bool hashes_as_valkey = false;  ///< See string_hash.h. Does not change while its state lives.
  bool tainted = false;           ///< The next Reset needs a fresh Lua state.
  int globals = LUA_NOREF;        ///< The real table of globals, hidden by the read-only one.
  int error_handler = LUA_NOREF;  ///< AnnotateError as a Lua function.
  lua_State* lua = nullptr;       ///< Set once it is open.
  LuaMemory memory;
  std::size_t live_bytes = 0;  ///< Bytes left in it by the last collection.
  std::string scratch;         ///< Output of a library function; its memory survives an error.
  std::size_t most_bytes = 0;  ///< Limit for one script, in addition to those.
};

/// Opens the libraries in an empty state and hides what Redis hides. The table on top of the stack
/// becomes the read-only global `redis`. The sandbox must outlive the state.
void OpenSandbox(lua_State* lua, Sandbox* sandbox);
Sandbox& SandboxOf(lua_State* lua);
/// Collects garbage between scripts, and within one only if it needs much memory. A script leaves
/// nothing to the next: no hook, no object numbers, no significant garbage.
void BeginScript(lua_State* lua);
/// REQUIRES: the stack is empty.
void EndScript(lua_State* lua);
/// For lua_newstate with the sandbox.
void* AllocateForLua(void* sandbox, void* block, std::size_t old_size, std::size_t new_size);

/// Replaces the table on top of the stack by its read-only counterpart.
void Protect(lua_State* lua);
/// Replaces a read-only table at `index` by the real one; false: it is not read-only.
bool MapToReal(lua_State* lua, int index);
int RaiseReadOnly(lua_State* lua);
/// Pushes the number that represents the object's address in this script.
void NumberObject(lua_State* lua, int index);
std::span<const luaL_Reg> BaseFunctions();
std::span<const luaL_Reg> MathFunctions();
/// Replaces library functions in which Debian's Lua lacks Redis' fixes.
void RepairLibraries(lua_State* lua);
/// Pushes the table `redis`; its functions call by way of `calls`, which outlives the state.
void PushRedisTable(lua_State* lua, const Dialect& dialect, ScriptCalls* calls);
/// Adds to the table on top what `redis` also has while a library is being loaded.
void SetLogAndVersion(lua_State* lua, const Dialect& dialect);
/// Push the tables cmsgpack and struct.
void PushMessagePack(lua_State* lua);
void PushStruct(lua_State* lua);
/// Replaces the field of the table on top by this function, with the original in upvalue 1.
/// CallOriginal runs the original in the same frame, so that its error texts stay the same.
void ReplaceField(lua_State* lua, const char* name, lua_CFunction function);
int CallOriginal(lua_State* lua);
/// The text of a value on the stack, which is a string; a number is converted to one.
std::string_view TextOnStack(lua_State* lua, int index);

/// Ends the script for good, even inside protected calls, and makes the server unmodelled().
int Abort(lua_State* lua, std::string_view what);
/// The same, if memory outside Lua's own exceeds what a script may have.
void CheckMemory(lua_State* lua, std::size_t bytes);
/// Like luaL_loadbuffer, but bytecode is read as (wrong) text, and `before` is prepended.
int LoadText(lua_State* lua, std::string_view text, const char* chunk,
             std::string_view before = " ");
/// Calls the function of this name in the registry with the argument. It may leave one value on the
/// stack, which is empty else. False: it has raised, and the error is there instead.
bool InProtectedCall(lua_State* lua, int function, void* argument);
/// The error handler of scripts: turns every error into a table with err, source and line.
int AnnotateError(lua_State* lua);

}  // namespace interlock::sim::redis
