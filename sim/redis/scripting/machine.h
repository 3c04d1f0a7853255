// SPDX-License-Identifier: MIT
//
// The Lua state of a server: compiled scripts, the table `redis`, and the run of one script.
//
// Hazard: Lua's errors are longjmps, and one that nothing catches ends the process. So whatever may
// raise (all that allocates) runs inside InProtectedCall; and what the functions that Lua calls
// need beyond plain data (the reply, the arguments' numbers) is kept in the machine, not on the
// stack they may leave that way.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "sim/redis/engine.h"
#include "sim/redis/scripting/dialogues.h"
#include "sim/redis/scripting/known_texts.h"
#include "sim/redis/scripting/plain_script.h"
#include "sim/redis/scripting/quick_hash.h"
#include "sim/redis/scripting/sandbox.h"
#include "sim/redis/scripting/script_header.h"
#include "sim/redis/scripting/script_inputs.h"
#include "sim/redis/scripting/scripting.h"
#include "sim/redis/scripting/values.h"

namespace interlock::sim::redis {

struct TextHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const { return QuickHash(text); }
};

struct Script {
  int function = LUA_NOREF;
  std::string sha;
  std::uint64_t generation = 0;  // Visible if it is the present one.
  ScriptCode code;
  ScriptHeader header;
};

class Scripting::Machine {
 public:
  explicit Machine(Engine& engine);
  ~Machine() { lua_close(lua_); }
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  /// False: another machine is needed.
  bool Reset();
  void Flush() {
    ++generation_;
    known_ = 0;
    count_ = 0;
  }
  /// So many scripts are compiled in it, visible or not, that another machine should take over.
  bool HoldsMany() const;
  std::uint64_t random() const { return sandbox_.random; }
  void SetRandom(std::uint64_t state) { sandbox_.random = state; }
  std::uint64_t known() const { return known_; }
  std::size_t count() const { return count_; }
  bool Exists(std::string_view sha) { return FindSha(sha) != nullptr; }
  void Kill(Context& context);
  /// Null, with an error as reply, if it does not compile.
  Script* Compile(Context& context, std::string_view body);
  Script* FindSha(std::string_view sha);
  void Run(Context& context, const Script& script, bool read_only, Arguments keys,
           Arguments arguments);

 private:
  static Machine& Of(lua_State* lua) {
    return *static_cast<Machine*>(lua_touserdata(lua, lua_upvalueindex(1)));
  }
  static int CallRaising(lua_State* lua) { return Of(lua).CallCommand(lua, true); }
  static int CallCatching(lua_State* lua) { return Of(lua).CallCommand(lua, false); }
  static int Fail(lua_State* lua, const char* text, bool raise = true);
  static int ErrorReply(lua_State* lua);
  static int StatusReply(lua_State* lua);
  static int Sha1(lua_State* lua);
  static int Log(lua_State* lua);
  static int SetResp(lua_State* lua);
  static int SetRepl(lua_State* lua);
  static int ReplicateCommands(lua_State* lua);
  static int Breakpoint(lua_State* lua);
  static int Debug(lua_State* lua);
  static int CheckCommand(lua_State* lua);

  void PushRedisTable();
  void MakeVisible(Script& script);
  int CallCommand(lua_State* lua, bool raise);
  bool CollectArguments(lua_State* lua, int count);
  int CollectPlainArguments(lua_State* lua, int count);
  const Command* CommandNamed(lua_State* lua);
  const char* RefusalOf(const Command& command);
  void CountRefusal(const Command* command, std::string_view refusal);
  void SetReply(const Command& command);
  void PushReply(lua_State* lua);
  void PushKeptOk(lua_State* lua);
  /// What a protected call needs, and what it leaves.
  struct Compilation {
    std::string_view text;
    ScriptCode code;
    int function = LUA_NOREF;
  };
  struct Call {
    const Script* script;
    Arguments keys;
    Arguments arguments;
    Context* context;
  };
  static int Open(lua_State* lua);
  static int CompileText(lua_State* lua);
  static int RunScript(lua_State* lua);
  void MakePlain(Compilation* compilation);
  bool Repeat(const Dialogues::Turn& first, Context& context);
  void RunInLua(Context& context, const Script& script, Arguments keys, Arguments arguments);
  bool InProtectedCall(int function, void* argument);
  int PushScript(const Script& script, Arguments keys, Arguments arguments);
  void TakeResult(int status, const Script& script, Context& context);

  Engine& engine_;
  Sandbox sandbox_;
  lua_State* lua_ = nullptr;
  int compile_text_ = LUA_NOREF;  // CompileText and RunScript, as functions of Lua.
  int run_script_ = LUA_NOREF;
  std::uint64_t generation_ = 1;
  std::uint64_t known_ = 0;  // A sum over the visible scripts,
  std::size_t count_ = 0;    // and their number.
  bool read_only_ = false;
  bool has_written_ = false;
  bool cross_slot_ = true;
  std::optional<std::size_t> slot_;  // The slot of the keys so far, in a Cluster.
  bool allow_oom_ = false;
  Client client_;  // What commands of scripts run as: a SELECT stays inside the script.
  Value reply_;
  std::string refusal_;
  Arguments args_;                       // The present command's.
  std::vector<std::string_view> words_;  // What they lie in,
  std::vector<NumberText> numbers_;      // and those that are numbers.
  KnownTexts known_texts_;
  ScriptInputs inputs_;
  std::vector<int> kept_oks_;   // Tables {ok = 'OK'}, for scripts that leave them so,
  std::size_t next_ok_ = 0;     // how many of which the present script has taken.
  bool leaves_tables_ = false;  // It is one.
  Dialogues dialogues_;
  Dialogues::Turn* turn_ = nullptr;  // Of the present script; null: nothing is noted of it.
  std::vector<const Value*> told_;   // What its first commands, which have been run, were answered,
  std::size_t next_told_ = 0;        // of which it has been told so much.
  Value news_;                       // The last of these.
  std::unordered_map<std::string, Script, TextHash, std::equal_to<>> by_body_;
  std::unordered_map<std::string, Script*, TextHash, std::equal_to<>> by_sha_;
};

}  // namespace interlock::sim::redis
