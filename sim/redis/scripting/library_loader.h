// SPDX-License-Identifier: MIT
//
// Runs the code of a library of functions once, and takes down which functions it registers. While
// it runs it sees no globals but `redis` (in Valkey `server`, too), with register_function, log and
// the version; its functions, called later, see those of scripts. Source: FUNCTION LOAD.
//
// Hazard: Lua's errors are longjmps; see sandbox.h. Thread safety: none.
#pragma once

#include <lua5.1/lua.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/redis/scripting/library.h"
#include "sim/redis/scripting/sandbox.h"

namespace interlock::sim::redis {

class LibraryLoader {
 public:
  /// The sandbox outlives this.
  explicit LibraryLoader(Sandbox& sandbox) : sandbox_(sandbox) {}
  /// REQUIRES: called once the sandbox is open, and before Load. May raise (memory only).
  void Open();

  /// Adds the functions, in the order of their registration, to `functions`; they are compiled in
  /// the state until Forget. Returns the error reply; empty: it has worked. The server may be
  /// unmodelled afterwards. REQUIRES: nothing runs in the state.
  std::string Load(std::string_view code, std::vector<Function>* functions);
  void Forget(const Function& function);

 private:
  /// What a call of register_function has asked for.
  struct Request {
    std::string name;
    bool named = false;
    std::optional<std::string> description;
    ScriptHeader flags;
    bool callable = false;  // Its function is the second value on the stack.
  };

  static int Run(lua_State* lua);
  static int Register(lua_State* lua);
  static int LogWhileLoading(lua_State* lua);
  int Fail(lua_State* lua, const char* before, const char* after);
  int RegisterRequest(lua_State* lua);
  void ReadPositional(lua_State* lua);
  void ReadNamed(lua_State* lua);
  void ReadField(lua_State* lua, std::string_view key);
  void ReadFlags(lua_State* lua);
  const char* Check(std::string_view name) const;
  void SetGlobals(lua_State* lua, int table);

  Sandbox& sandbox_;
  int run_ = LUA_NOREF;      // Run, as a function of Lua.
  int globals_ = LUA_NOREF;  // Of a library that is being loaded.
  std::string_view code_;
  std::vector<Function>* functions_ = nullptr;  // Null: nothing is being loaded.
  Request request_;                             // Here, where no error leaps over it.
  std::string error_;
};

/// Whether it can be the name of a library or a function.
bool IsLibraryName(std::string_view name);

}  // namespace interlock::sim::redis
