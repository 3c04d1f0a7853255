// SPDX-License-Identifier: MIT
//
// A Lua state of a server, for scripts or for functions, and the run of one of them in it.
//
// Hazard: Lua's errors are longjmps, and one that nothing catches ends the process. So whatever may
// raise (all that allocates) runs inside InProtectedCall.
#pragma once

#include <optional>

#include "sim/redis/engine.h"
#include "sim/redis/scripting/library_loader.h"
#include "sim/redis/scripting/quick_run.h"
#include "sim/redis/scripting/sandbox.h"
#include "sim/redis/scripting/script_cache.h"
#include "sim/redis/scripting/script_calls.h"
#include "sim/redis/scripting/scripting.h"

namespace interlock::sim::redis {

class LuaMachine {
 public:
  LuaMachine(Engine& engine, LuaUse use);
  ~LuaMachine() { lua_close(lua_); }
  LuaMachine(const LuaMachine&) = delete;
  LuaMachine& operator=(const LuaMachine&) = delete;

  /// False: another machine is needed.
  bool Reset();
  /// Settings that later scripts see have changed for good.
  bool tainted() const { return sandbox_.tainted; }
  const ScriptCalls& calls() const { return calls_; }
  ScriptCache& scripts() { return scripts_; }
  /// REQUIRES: it is for functions.
  LibraryLoader& loader() { return *loader_; }
  void Run(Context& context, const Script& script, bool read_only, Arguments keys,
           Arguments arguments);
  /// SCRIPT KILL and FUNCTION KILL.
  void Kill(Context& context, LuaUse by);

 private:
  /// What the protected call of a script needs.
  struct Call {
    const Script* script;
    Arguments keys;
    Arguments arguments;
    Context* context;
  };
  static int Open(lua_State* lua);
  static int RunScript(lua_State* lua);
  void RunInLua(Context& context, const Script& script, Arguments keys, Arguments arguments);
  int PushScript(const Script& script, Arguments keys, Arguments arguments);
  void TakeResult(int status, const Script& script, Context& context);

  Engine& engine_;
  const Dialect* const dialect_;  // whose libraries the state has
  Sandbox sandbox_;
  lua_State* lua_ = nullptr;
  int run_script_ = LUA_NOREF;  // RunScript, as a function of Lua.
  ScriptCache scripts_{engine_, sandbox_};
  ScriptCalls calls_{engine_};
  QuickRun quick_run_{engine_, calls_};
  std::optional<LibraryLoader> loader_;
};

}  // namespace interlock::sim::redis
