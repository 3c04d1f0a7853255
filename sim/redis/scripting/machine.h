// SPDX-License-Identifier: MIT
//
// The Lua state of a server, and the run of one script in it.
//
// Hazard: Lua's errors are longjmps, and one that nothing catches ends the process. So whatever may
// raise (all that allocates) runs inside InProtectedCall.
#pragma once

#include <cstdint>

#include "sim/redis/engine.h"
#include "sim/redis/scripting/known_texts.h"
#include "sim/redis/scripting/sandbox.h"
#include "sim/redis/scripting/script_cache.h"
#include "sim/redis/scripting/script_calls.h"
#include "sim/redis/scripting/script_inputs.h"
#include "sim/redis/scripting/scripting.h"

namespace interlock::sim::redis {

class Scripting::Machine {
 public:
  explicit Machine(Engine& engine);
  ~Machine() { lua_close(lua_); }
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  /// False: another machine is needed.
  bool Reset();
  /// The state of math.random.
  std::uint64_t random() const { return sandbox_.random; }
  void SetRandom(std::uint64_t state) { sandbox_.random = state; }
  ScriptCache& scripts() { return scripts_; }
  void Run(Context& context, const Script& script, bool read_only, Arguments keys,
           Arguments arguments);
  void Kill(Context& context);

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
  KnownTexts known_texts_;
  ScriptInputs inputs_;
  ScriptCache scripts_{engine_, sandbox_};
  ScriptCalls calls_{engine_, known_texts_};
};

}  // namespace interlock::sim::redis
