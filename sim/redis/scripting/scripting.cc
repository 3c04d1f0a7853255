// SPDX-License-Identifier: MIT
//
// Hazard: Lua's errors are longjmps. What the functions that Lua calls need beyond plain data (the
// reply, the arguments' numbers) is kept in the machine, not on the stack they may leave that way.
#include "sim/redis/scripting/scripting.h"

#include <unordered_map>
#include <vector>

#include "sim/redis/engine.h"
#include "sim/redis/scripting/sandbox.h"
#include "sim/redis/scripting/script_header.h"
#include "sim/redis/scripting/values.h"
#include "sim/redis/text.h"

namespace interlock::sim::redis {

namespace {

constexpr std::size_t kMaxScripts = 1000;  // Kept across Reset().

struct TextHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const {
    return std::hash<std::string_view>()(text);
  }
};

struct Script {
  int function = LUA_NOREF;
  std::string sha;
  std::uint64_t generation = 0;  // Visible if it is the present one.
  bool has_header = false;
  bool no_writes = false;
};

}  // namespace

class Scripting::Machine {
 public:
  explicit Machine(Engine& engine);
  ~Machine() { lua_close(lua_); }
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  /// False: another machine is needed.
  bool Reset();
  void Flush() { ++generation_; }
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
  static int Call(lua_State* lua) { return Of(lua).CallCommand(lua, true); }
  static int ProtectedCall(lua_State* lua) { return Of(lua).CallCommand(lua, false); }
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
  int CallCommand(lua_State* lua, bool raise);
  bool CollectArguments(lua_State* lua, int count);
  bool NamesCommand() const;
  const char* Execute();
  void SetGlobal(const char* name, Arguments values);

  Engine& engine_;
  Sandbox sandbox_;
  lua_State* lua_ = nullptr;
  std::uint64_t generation_ = 1;
  bool read_only_ = false;
  bool has_written_ = false;
  Client client_;  // What commands of scripts run as: a SELECT stays inside the script.
  Value reply_;
  std::vector<std::string_view> args_;
  std::vector<NumberText> numbers_;
  std::unordered_map<std::string, Script, TextHash, std::equal_to<>> by_body_;
  std::unordered_map<std::string, Script*, TextHash, std::equal_to<>> by_sha_;
};

Scripting::Machine::Machine(Engine& engine) : engine_(engine) {
  sandbox_.engine = &engine;
  sandbox_.random = kInitialRandom;
  client_.must_not_block = true;
  lua_ = lua_newstate(&AllocateForLua, &sandbox_);
  PushRedisTable();
  OpenSandbox(lua_, &sandbox_);
}

bool Scripting::Machine::Reset() {
  if (sandbox_.tainted || by_body_.size() > kMaxScripts) return false;
  ++generation_;
  sandbox_.random = kInitialRandom;
  return true;
}

void Scripting::Machine::PushRedisTable() {
  constexpr luaL_Reg kFunctions[] = {
      {"call", &Call},
      {"pcall", &ProtectedCall},
      {"error_reply", &ErrorReply},
      {"status_reply", &StatusReply},
      {"sha1hex", &Sha1},
      {"log", &Log},
      {"setresp", &SetResp},
      {"set_repl", &SetRepl},
      {"replicate_commands", &ReplicateCommands},
      {"breakpoint", &Breakpoint},
      {"debug", &Debug},
      {"acl_check_cmd", &CheckCommand},
  };
  struct Constant {
    const char* name;
    int value;
  };
  constexpr Constant kConstants[] = {{"LOG_DEBUG", 0},  {"LOG_VERBOSE", 1},
                                     {"LOG_NOTICE", 2}, {"LOG_WARNING", 3},
                                     {"REPL_NONE", 0},  {"REPL_AOF", 1},
                                     {"REPL_SLAVE", 2}, {"REPL_REPLICA", 2},
                                     {"REPL_ALL", 3},   {"REDIS_VERSION_NUM", 458767}};
  lua_newtable(lua_);
  for (const luaL_Reg& function : kFunctions) {
    lua_pushlightuserdata(lua_, this);
    lua_pushcclosure(lua_, function.func, 1);
    lua_setfield(lua_, -2, function.name);
  }
  for (const Constant& constant : kConstants) {
    lua_pushinteger(lua_, constant.value);
    lua_setfield(lua_, -2, constant.name);
  }
  lua_pushliteral(lua_, "7.0.15");
  lua_setfield(lua_, -2, "REDIS_VERSION");
}

int Scripting::Machine::Fail(lua_State* lua, const char* text, bool raise) {
  PushError(lua, text);
  return raise ? lua_error(lua) : 1;
}

int Scripting::Machine::ErrorReply(lua_State* lua) {
  if (lua_gettop(lua) != 1 || lua_type(lua, 1) != LUA_TSTRING) {
    return Fail(lua, "wrong number or type of arguments", false);
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

int Scripting::Machine::StatusReply(lua_State* lua) {
  if (lua_gettop(lua) != 1 || lua_type(lua, 1) != LUA_TSTRING) {
    return Fail(lua, "wrong number or type of arguments", false);
  }
  lua_newtable(lua);
  lua_pushvalue(lua, 1);
  lua_setfield(lua, -2, "ok");
  return 1;
}

int Scripting::Machine::Sha1(lua_State* lua) {
  if (lua_gettop(lua) != 1) return Fail(lua, "wrong number of arguments");
  std::size_t length = 0;
  const char* text = lua_tolstring(lua, 1, &length);
  Of(lua).reply_.text = Sha1Hex({text, text == nullptr ? 0 : length});
  lua_pushstring(lua, Of(lua).reply_.text.c_str());
  return 1;
}

int Scripting::Machine::Log(lua_State* lua) {
  if (lua_gettop(lua) < 2) return Fail(lua, "redis.log() requires two arguments or more.");
  if (lua_isnumber(lua, 1) == 0) {
    return Fail(lua, "First argument must be a number (log level).");
  }
  const double level = lua_tonumber(lua, 1);
  if (!(level > -1 && level < 4)) return Fail(lua, "Invalid debug level.");
  return 0;
}

int Scripting::Machine::SetResp(lua_State* lua) {
  if (lua_gettop(lua) != 1) return Fail(lua, "redis.setresp() requires one argument.");
  const double version = lua_tonumber(lua, 1);
  if (version != 2 && version != 3) return Fail(lua, "RESP version must be 2 or 3.");
  Of(lua).client_.protocol = static_cast<int>(version);
  return 0;
}

int Scripting::Machine::SetRepl(lua_State* lua) {
  if (lua_gettop(lua) != 1) return Fail(lua, "redis.set_repl() requires two arguments.");
  const double flags = lua_tonumber(lua, 1);
  if (!(flags > -1 && flags < 4)) {
    return Fail(lua,
                "Invalid replication flags. Use REPL_AOF, REPL_REPLICA, REPL_ALL or REPL_NONE.");
  }
  constexpr int kNone = 0;
  constexpr int kAll = 3;
  const int chosen = static_cast<int>(flags);
  Journal& journal = Of(lua).engine_.journal;
  if (chosen != kNone && chosen != kAll && journal.active()) {
    return Abort(lua, "redis.set_repl(redis.REPL_AOF or redis.REPL_REPLICA)");
  }
  journal.SetMuted(chosen == kNone);
  return 0;
}

int Scripting::Machine::ReplicateCommands(lua_State* lua) {
  lua_pushboolean(lua, 1);
  return 1;
}

// No debugger is ever attached.
int Scripting::Machine::Breakpoint(lua_State* lua) {
  lua_pushboolean(lua, 0);
  return 1;
}

int Scripting::Machine::Debug(lua_State* /*lua*/) { return 0; }

// The one user may run every command.
int Scripting::Machine::CheckCommand(lua_State* lua) {
  const int count = lua_gettop(lua);
  if (count == 0) {
    return Fail(lua, "Please specify at least one argument for this redis lib call");
  }
  if (!Of(lua).CollectArguments(lua, count)) {
    return Fail(lua, "Lua redis lib command arguments must be strings or integers");
  }
  if (!Of(lua).NamesCommand()) {
    return Fail(lua, "Invalid command passed to redis.acl_check_cmd()");
  }
  lua_pushboolean(lua, 1);
  return 1;
}

bool Scripting::Machine::CollectArguments(lua_State* lua, int count) {
  const auto size = static_cast<std::size_t>(count);
  args_.clear();
  if (numbers_.size() < size) numbers_.resize(size);
  for (int i = 1; i <= count; ++i) {
    if (lua_type(lua, i) == LUA_TNUMBER) {
      auto& text = numbers_[static_cast<std::size_t>(i - 1)];
      const std::size_t length = FormatArgument(lua_tonumber(lua, i), &text);
      args_.emplace_back(text.data(), length);
    } else {
      std::size_t length = 0;
      const char* text = lua_tolstring(lua, i, &length);
      if (text == nullptr) return false;
      args_.emplace_back(text, length);
    }
  }
  return true;
}

bool Scripting::Machine::NamesCommand() const {
  bool container = false;
  return FindCommand(args_[0], args_.size() > 1 ? args_[1] : std::string_view(), args_.size() > 1,
                     &container) != nullptr;
}

// Runs args_; the reply is in reply_. Returns the text of the error if the command was refused.
const char* Scripting::Machine::Execute() {
  bool container = false;
  const Command* command = FindCommand(args_[0], args_.size() > 1 ? args_[1] : std::string_view(),
                                       args_.size() > 1, &container);
  if (command == nullptr) return "Unknown Redis command called from script";
  if (!ArityMatches(*command, args_.size())) {
    return "Wrong number of args calling Redis command from script";
  }
  if ((command->flags & kNoScript) != 0) return "This Redis command is not allowed from script";
  if (read_only_ && (command->flags & (kWrite | kMayReplicate)) != 0) {
    return "Write commands are not allowed from read-only scripts.";
  }
  has_written_ = has_written_ || (command->flags & kWrite) != 0;
  bool silent = false;
  reply_ = engine_.Run(client_, *command, args_, &silent);
  if (client_.protocol == 3) {
    ToResp3(&reply_);
  } else {
    ToResp2(&reply_);
  }
  return nullptr;
}

int Scripting::Machine::CallCommand(lua_State* lua, bool raise) {
  const int count = lua_gettop(lua);
  if (count == 0) {
    return Fail(lua, "Please specify at least one argument for this redis lib call", raise);
  }
  if (!CollectArguments(lua, count)) {
    return Fail(lua, "Lua redis lib command arguments must be strings or integers", raise);
  }
  const char* refusal = Execute();
  if (engine_.unmodelled) return Abort(lua, *engine_.unmodelled);
  if (refusal != nullptr) {
    PushError(lua, refusal);
    lua_pushboolean(lua, 1);
    lua_setfield(lua, -2, "ignore_error_stats_update");
    return raise ? lua_error(lua) : 1;
  }
  PushValue(lua, reply_, client_.protocol);
  return raise && reply_.type == Value::Type::kError ? lua_error(lua) : 1;
}

Script* Scripting::Machine::FindSha(std::string_view sha) {
  auto at = by_sha_.find(sha);
  if (at == by_sha_.end()) at = by_sha_.find(ToLower(sha));
  if (at == by_sha_.end() || at->second->generation != generation_) return nullptr;
  return at->second;
}

Script* Scripting::Machine::Compile(Context& context, std::string_view body) {
  const auto at = by_body_.find(body);
  if (at != by_body_.end()) {
    at->second.generation = generation_;
    return &at->second;
  }
  const ScriptHeader header = ParseScriptHeader(body);
  if (header.unmodelled) {
    context.Unmodelled("script shebang with quotes");
    return nullptr;
  }
  if (!header.error.empty()) {
    context.Error(OneLine(header.error));
    return nullptr;
  }
  if (LoadText(lua_, body.substr(header.length), "@user_script") != 0) {
    context.Error(OneLine("ERR Error compiling script (new function): " +
                          std::string(lua_tostring(lua_, -1))));
    lua_settop(lua_, 0);
    return nullptr;
  }
  Script& script = by_body_[std::string(body)];
  script.function = luaL_ref(lua_, LUA_REGISTRYINDEX);
  script.sha = Sha1Hex(body);
  script.generation = generation_;
  script.has_header = header.present;
  script.no_writes = header.no_writes;
  by_sha_[script.sha] = &script;
  return &script;
}

void Scripting::Machine::SetGlobal(const char* name, Arguments values) {
  lua_pushstring(lua_, name);
  lua_createtable(lua_, static_cast<int>(values.size()), 0);
  for (std::size_t i = 0; i < values.size(); ++i) {
    lua_pushlstring(lua_, values[i].data(), values[i].size());
    lua_rawseti(lua_, -2, static_cast<int>(i + 1));
  }
  lua_rawset(lua_, -3);
}

void Scripting::Machine::Run(Context& context, const Script& script, bool read_only, Arguments keys,
                             Arguments arguments) {
  read_only_ = read_only || script.no_writes;
  has_written_ = false;
  client_.database = context.client.database;
  client_.protocol = 2;
  context.propagation = Context::Propagation::kDone;  // Its commands have been, each by itself.
  BeginScript(lua_);
  lua_settop(lua_, 0);
  lua_pushcfunction(lua_, &AnnotateError);
  lua_rawgeti(lua_, LUA_REGISTRYINDEX, sandbox_.globals);
  SetGlobal("KEYS", keys);
  SetGlobal("ARGV", arguments);
  lua_settop(lua_, 1);
  lua_rawgeti(lua_, LUA_REGISTRYINDEX, script.function);
  engine_.BeginScript(context.client);
  const int status = lua_pcall(lua_, 0, 1, 1);
  engine_.EndScript();
  engine_.journal.SetMuted(false);
  if (engine_.unmodelled) return;
  if (status == 0) {
    const char* unmodelled = TakeReply(lua_, client_.protocol, &context.reply);
    if (unmodelled != nullptr) context.Unmodelled(unmodelled);
  } else if (!PopScriptError(lua_, script.sha, &context.reply)) {
    context.Unmodelled("error() with a table that has no err");
  }
  lua_settop(lua_, 0);
}

void Scripting::Machine::Kill(Context& context) {
  if (has_written_) {
    return context.Error(
        "UNKILLABLE Sorry the script already executed write commands against the dataset. You can "
        "either wait the script termination or kill the server in a hard way using the SHUTDOWN "
        "NOSAVE command.");
  }
  sandbox_.killed = true;
  context.Ok();
}

void Scripting::Kill(Context& context) { machine_->Kill(context); }

Scripting::Scripting(Engine& engine) : engine_(engine) {}
Scripting::~Scripting() = default;

void Scripting::Reset() {
  if (machine_ && !machine_->Reset()) machine_.reset();
}

bool Scripting::Exists(std::string_view sha) const { return machine_ && machine_->Exists(sha); }

void Scripting::Flush() {
  if (machine_) machine_->Flush();
}

void Scripting::Load(Context& context, std::string_view body) {
  if (!machine_) machine_ = std::make_unique<Machine>(engine_);
  if (const Script* script = machine_->Compile(context, body)) context.String(script->sha);
}

void Scripting::Eval(Context& context, bool by_sha, bool read_only) {
  std::int64_t count = 0;
  if (!context.ParseInt(context.args[2], &count)) return;
  if (count > static_cast<std::int64_t>(context.args.size()) - 3) {
    return context.Error("ERR Number of keys can't be greater than number of args");
  }
  if (count < 0) return context.Error("ERR Number of keys can't be negative");
  if (!machine_) machine_ = std::make_unique<Machine>(engine_);
  const Script* script =
      by_sha ? machine_->FindSha(context.args[1]) : machine_->Compile(context, context.args[1]);
  if (script == nullptr) {
    if (by_sha) context.Error("NOSCRIPT No matching script. Please use EVAL.");
    return;
  }
  if (read_only && script->has_header && !script->no_writes) {
    return context.Error("ERR Can not execute a script with write flag using *_ro command.");
  }
  const auto keys = static_cast<std::size_t>(count);
  machine_->Run(context, *script, read_only, context.args.subspan(3, keys),
                context.args.subspan(3 + keys));
}

}  // namespace interlock::sim::redis
