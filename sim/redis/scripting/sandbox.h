// SPDX-License-Identifier: MIT
//
// Lua 5.1 as Redis' scripts see it: which globals there are, which of them may be changed (none),
// and nothing by which an address, a clock or the garbage collector could reach a script's
// behaviour.
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

namespace interlock::sim::redis {

class Engine;

/// What the sandboxed functions know of their surroundings.
struct Sandbox {
  Engine* engine = nullptr;
  std::uint64_t random = 0;        ///< State of math.random.
  std::uint64_t instructions = 0;  ///< Of the running script, in steps of the count hook.
  bool killed = false;             ///< By SCRIPT KILL.
  std::uint64_t objects = 0;       ///< That tostring has named in the running script.
  bool tainted = false;            ///< The next Reset needs a fresh Lua state.
  int globals = LUA_NOREF;         ///< The real table of globals, which the read-only one hides.
  int error_handler = LUA_NOREF;   ///< AnnotateError, as a function of Lua.
  int direct = LUA_NOREF;          ///< For plain scripts: globals with the real libraries,
  int redis = LUA_NOREF;           ///< and `redis`, the table itself.
  lua_State* lua = nullptr;        ///< Once it is open.
  LuaMemory memory;
  std::size_t live_bytes = 0;  ///< What the last collection has left of it.
  std::string scratch;         ///< What a library function builds; its memory outlives an error.
  std::size_t most_bytes = 0;  ///< Of one script, beside those.
};

inline constexpr std::uint64_t kInitialRandom = 0x1234ABCD330E;

/// Opens the libraries in an empty state and hides what Redis hides. The table on top of the stack
/// becomes the read-only global `redis`. The sandbox must outlive the state.
void OpenSandbox(lua_State* lua, Sandbox* sandbox);
Sandbox& SandboxOf(lua_State* lua);
/// Garbage is collected between scripts, and within one only if it needs much memory. Nothing of
/// one script is left to the next: no hook, no numbers of objects, no garbage worth mentioning.
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
/// Pushes the number that stands for the object's address in this script.
void NumberObject(lua_State* lua, int index);
std::span<const luaL_Reg> BaseFunctions();
std::span<const luaL_Reg> MathFunctions();
/// Puts quicker versions of functions that scripts call with plain numbers into the globals.
void OpenNumberFunctions(lua_State* lua);
/// Puts ours in place of what Debian's libraries lack of Redis' repairs.
void RepairLibraries(lua_State* lua);
/// The tables cmsgpack and struct, on top of the stack.
void PushMessagePack(lua_State* lua);
void PushStruct(lua_State* lua);
/// Replaces the field of the table on top by this function, with the original in upvalue 1. Its
/// CallOriginal runs that in the same frame, so that its error texts stay the same.
void ReplaceField(lua_State* lua, const char* name, lua_CFunction function);
int CallOriginal(lua_State* lua);
/// The text of a value on the stack, which is a string; a number becomes one.
std::string_view TextOnStack(lua_State* lua, int index);

/// What the error of a killed script says.
inline constexpr const char* kKilledText = "Script killed by user with SCRIPT KILL...";

/// Ends the script for good, protected calls in it or not, and the server is unmodelled().
int Abort(lua_State* lua, std::string_view what);
/// The same, if something outside of Lua's own memory grows beyond what a script may have.
void CheckMemory(lua_State* lua, std::size_t bytes);
/// As luaL_loadbuffer, but bytecode is read as (wrong) text, and `before` stands in front of it.
int LoadText(lua_State* lua, std::string_view text, const char* chunk,
             std::string_view before = " ");
/// The error handler of scripts: turns every error into a table with err, source and line.
int AnnotateError(lua_State* lua);

}  // namespace interlock::sim::redis
