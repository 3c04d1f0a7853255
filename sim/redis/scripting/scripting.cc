// SPDX-License-Identifier: MIT
#include "sim/redis/scripting/scripting.h"

#include "sim/redis/scripting/lua_layout.h"
#include "sim/redis/scripting/machine.h"
#include "sim/redis/scripting/script_header.h"
#include "sim/redis/text.h"

namespace interlock::sim::redis {

namespace {

constexpr std::size_t kMostKeptOks = 64;

}  // namespace

// Of so many arguments, those that are strings and numbers right as they lie on the stack; returns
// their number.
int Scripting::Machine::CollectPlainArguments(lua_State* lua, int count) {
  if (!LuaLayoutIsKnown()) return 0;
  const LuaValue* value = LuaState::Of(lua).base;
  for (int i = 0; i < count; ++i, ++value) {
    const auto at = static_cast<std::size_t>(i);
    if (value->type == LUA_TSTRING) {
      words_[at] = {value->string->text(), value->string->length};
    } else if (value->type == LUA_TNUMBER) {
      words_[at] = {numbers_[at].data(), FormatArgument(value->number, &numbers_[at])};
    } else {
      return i;
    }
  }
  return count;
}

bool Scripting::Machine::CollectArguments(lua_State* lua, int count) {
  const auto size = static_cast<std::size_t>(count);
  if (words_.size() < size) {
    words_.resize(size);
    numbers_.resize(size);
  }
  for (int i = 1 + CollectPlainArguments(lua, count); i <= count; ++i) {
    const auto at = static_cast<std::size_t>(i - 1);
    if (lua_type(lua, i) == LUA_TNUMBER) {
      const std::size_t length = FormatArgument(lua_tonumber(lua, i), &numbers_[at]);
      words_[at] = {numbers_[at].data(), length};
    } else {
      std::size_t length = 0;
      const char* text = lua_tolstring(lua, i, &length);
      if (text == nullptr) return false;
      words_[at] = {text, length};
    }
  }
  args_ = Arguments(words_.data(), size);
  return true;
}

// The command that args_ call, as they lie on the stack; null: there is none.
const Command* Scripting::Machine::CommandNamed(lua_State* lua) {
  const bool is_text = args_[0].data() != numbers_[0].data();
  if (is_text) {
    const Command* known = known_texts_.FindCommand(lua, 1, args_[0]);
    if (known != nullptr) return known;
  }
  bool container = false;
  return FindCommand(args_[0], args_.size() > 1 ? args_[1] : std::string_view(), args_.size() > 1,
                     &container);
}

// The error if args_ may not run; null: they may.
const char* Scripting::Machine::RefusalOf(const Command& command) {
  if (!ArityMatches(command, args_.size())) {
    return "Wrong number of args calling Redis command from script";
  }
  if ((command.flags & kNoScript) != 0) return "This Redis command is not allowed from script";
  if (read_only_ && (command.flags & (kWrite | kMayReplicate)) != 0) {
    return "Write commands are not allowed from read-only scripts.";
  }
  if (engine_.cluster.enabled()) {
    const char* refusal = engine_.cluster.ScriptRefusal(client_, command, args_);
    if (refusal != nullptr) return refusal;
    const std::optional<std::size_t> slot = Cluster::SlotOf(command, args_);
    if (slot && slot_ && slot != slot_ && !cross_slot_) {
      return "Script attempted to access keys that do not hash to the same slot";
    }
    if (!slot_) slot_ = slot;
  }
  if (const auto error = engine_.admission.RefuseInScript(command, has_written_, allow_oom_);
      !error.empty()) {
    refusal_.assign("-").append(error);
    return refusal_.c_str();
  }
  return nullptr;
}

// Runs args_.
void Scripting::Machine::SetReply(const Command& command) {
  has_written_ = has_written_ || (command.flags & kWrite) != 0;
  engine_.Run(client_, command, args_, &reply_);
  if (client_.protocol == 3) {
    ToResp3(&reply_);
  } else if (reply_.type >= Value::Type::kArray) {
    ToResp2(&reply_);
  }
}

void Scripting::Machine::PushReply(lua_State* lua) {
  const bool kept = leaves_tables_ && next_ok_ < kMostKeptOks &&
                    reply_.type == Value::Type::kStatus && reply_.text == "OK";
  if (kept) return PushKeptOk(lua);
  PushValue(lua, reply_, client_.protocol, &known_texts_);
}

// Most scripts do not look at what a SET answers, and none finds the same table twice.
void Scripting::Machine::PushKeptOk(lua_State* lua) {
  if (next_ok_ == kept_oks_.size()) {
    PushValue(lua, reply_, client_.protocol, &known_texts_);
    kept_oks_.push_back(luaL_ref(lua, LUA_REGISTRYINDEX));
  }
  lua_rawgeti(lua, LUA_REGISTRYINDEX, kept_oks_[next_ok_++]);
}

void Scripting::Machine::CountRefusal(const Command* command, std::string_view refusal) {
  if (command != nullptr) ++engine_.statistics.Of(*command).rejected;
  engine_.statistics.CountError(refusal.starts_with('-') ? refusal.substr(1) : "ERR");
  engine_.statistics.attributed = engine_.statistics.error_replies;
}

int Scripting::Machine::CallCommand(lua_State* lua, bool raise) {
  const int count = lua_gettop(lua);
  if (count == 0) {
    return Fail(lua, "Please specify at least one argument for this redis lib call", raise);
  }
  if (!CollectArguments(lua, count)) {
    return Fail(lua, "Lua redis lib command arguments must be strings or integers", raise);
  }
  const Command* command = CommandNamed(lua);
  const char* refusal = nullptr;
  if (next_told_ < told_.size()) {
    reply_ = *told_[next_told_++];
  } else {
    refusal = command == nullptr ? "Unknown Redis command called from script" : RefusalOf(*command);
    if (refusal != nullptr && !engine_.unmodelled) CountRefusal(command, refusal);
    if (refusal == nullptr) SetReply(*command);
    if (engine_.unmodelled) return Abort(lua, *engine_.unmodelled);
  }
  if (refusal != nullptr) {
    turn_ = nullptr;
    PushError(lua, refusal);
    PushField(lua, Field::kIgnored);
    lua_pushboolean(lua, 1);
    lua_rawset(lua, -3);
    return raise ? lua_error(lua) : 1;
  }
  if (turn_ != nullptr) turn_ = dialogues_.Hear(*turn_, *command, args_, reply_);
  PushReply(lua);
  return raise && reply_.type == Value::Type::kError ? lua_error(lua) : 1;
}

// With its arguments, and returns their number.
int Scripting::Machine::PushScript(const Script& script, Arguments keys, Arguments arguments) {
  if (script.code.plain) {
    lua_rawgeti(lua_, LUA_REGISTRYINDEX, script.function);
    lua_rawgeti(lua_, LUA_REGISTRYINDEX, sandbox_.redis);
    inputs_.Push(lua_, ScriptInputs::kKeys, keys, &known_texts_);
    inputs_.Push(lua_, ScriptInputs::kArguments, arguments, &known_texts_);
    return 3;
  }
  lua_rawgeti(lua_, LUA_REGISTRYINDEX, sandbox_.globals);
  ScriptInputs::SetNew(lua_, ScriptInputs::kKeys, keys, &known_texts_);
  ScriptInputs::SetNew(lua_, ScriptInputs::kArguments, arguments, &known_texts_);
  lua_pop(lua_, 1);
  lua_rawgeti(lua_, LUA_REGISTRYINDEX, script.function);
  return 0;
}

void Scripting::Machine::Run(Context& context, const Script& script, bool read_only, Arguments keys,
                             Arguments arguments) {
  read_only_ = read_only || script.header.no_writes;
  has_written_ = false;
  allow_oom_ = script.header.allow_oom;
  // Without a header scripts may do as they did before there were headers.
  cross_slot_ = !script.header.present || script.header.allow_cross_slot_keys;
  slot_.reset();
  leaves_tables_ = script.code.plain && !script.code.changes_tables;
  next_ok_ = 0;
  client_.database = context.client.database;
  client_.protocol = 2;
  client_.asking = context.client.asking;
  client_.reads_replica = context.client.reads_replica;
  context.propagation = Context::Propagation::kDone;  // Its commands have been, each by itself.
  turn_ = nullptr;
  told_.clear();
  next_told_ = 0;
  engine_.script_turn.Begin(context.client);
  if (engine_.remembers_scripts && script.code.pure) {
    turn_ = &dialogues_.Begin(script.sha, keys, arguments);
    if (Repeat(*turn_, context)) return engine_.script_turn.End();
  }
  RunInLua(context, script, keys, arguments);
}

// Runs the commands that the script has run before, as long as they are answered as they were
// then. False: it has to be asked what it does next, and told what has been answered.
bool Scripting::Machine::Repeat(const Dialogues::Turn& first, Context& context) {
  const Dialogues::Turn* turn = &first;
  while (const Command* command = turn->command()) {
    args_ = turn->words();
    if (RefusalOf(*command) != nullptr) return false;
    SetReply(*command);
    if (engine_.unmodelled) return true;
    turn = turn->After(reply_);
    if (turn == nullptr) {
      news_.Swap(reply_);
      told_.push_back(&news_);
      return false;
    }
    told_.push_back(&turn->heard());
  }
  if (turn->result() == nullptr) return false;
  context.reply = *turn->result();
  return true;
}

void Scripting::Machine::RunInLua(Context& context, const Script& script, Arguments keys,
                                  Arguments arguments) {
  BeginScript(lua_);
  Call call{&script, keys, arguments, &context};
  const bool finished = InProtectedCall(run_script_, &call);
  engine_.script_turn.End();
  engine_.journal.SetMuted(false);
  if (!finished && !engine_.unmodelled) {
    context.Error("ERR Error running script " + script.sha + ", not enough memory");
  }
  lua_settop(lua_, 0);
  EndScript(lua_);
}

int Scripting::Machine::RunScript(lua_State* lua) {
  constexpr int kHandler = 2;
  Machine& self = Of(lua);
  const Call& call = *static_cast<Call*>(lua_touserdata(lua, 1));
  lua_rawgeti(lua, LUA_REGISTRYINDEX, self.sandbox_.error_handler);
  const int inputs = self.PushScript(*call.script, call.keys, call.arguments);
  const int status = lua_pcall(lua, inputs, 1, kHandler);
  if (!self.engine_.unmodelled) self.TakeResult(status, *call.script, *call.context);
  return 0;
}

// Of a script: what it has returned or raised, on top of the stack.
void Scripting::Machine::TakeResult(int status, const Script& script, Context& context) {
  if (status == 0) {
    const char* unmodelled = TakeReply(lua_, client_.protocol, &context.reply);
    if (unmodelled != nullptr) return context.Unmodelled(unmodelled);
    if (turn_ != nullptr) Dialogues::End(*turn_, context.reply);
  } else if (!PopScriptError(lua_, script.sha, &context.reply)) {
    context.Unmodelled("error() with a table that has no err");
  }
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

std::size_t Scripting::count() const { return machine_ ? machine_->count() : 0; }
std::uint64_t Scripting::known() const { return machine_ ? machine_->known() : 0; }
bool Scripting::Exists(std::string_view sha) const { return machine_ && machine_->Exists(sha); }

void Scripting::Flush() {
  engine_.keyspace.TouchAll();
  if (!machine_) return;
  machine_->Flush();
  if (!machine_->HoldsMany()) return;
  // Scripts that nobody can call any more stay compiled in it.
  const std::uint64_t random = machine_->random();
  machine_ = std::make_unique<Machine>(engine_);
  machine_->SetRandom(random);
}

void Scripting::Load(Context& context, std::string_view body) {
  if (!machine_) machine_ = std::make_unique<Machine>(engine_);
  if (const Script* script = machine_->Compile(context, body)) context.String(script->sha);
}

std::uint32_t Scripting::FlagsOf(std::string_view body_or_sha, bool by_sha,
                                 std::uint32_t flags) const {
  ScriptHeader header;
  if (!by_sha) {
    header = ParseScriptHeader(body_or_sha);
  } else if (const Script* script = machine_ ? machine_->FindSha(body_or_sha) : nullptr) {
    header = script->header;
  }
  if (!header.present || !header.error.empty()) return flags;
  flags &= ~(kStale | kDenyOom | kWrite | kMayReplicate);
  if (!header.no_writes) flags |= kWrite;
  if (!header.no_writes && !header.allow_oom) flags |= kDenyOom;
  if (header.allow_stale) flags |= kStale;
  return flags;
}

void Scripting::Eval(Context& context, bool by_sha, bool read_only) {
  constexpr std::string_view kNoScript = "NOSCRIPT No matching script. Please use EVAL.";
  if (by_sha && context.args[1].size() != 40) return context.Error(kNoScript);
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
    if (by_sha) context.Error(kNoScript);
    return;
  }
  if (script->header.no_cluster && engine_.cluster.enabled()) {
    return context.Error("ERR Can not run script on cluster, 'no-cluster' flag is set.");
  }
  if (read_only && script->header.present && !script->header.no_writes) {
    return context.Error("ERR Can not execute a script with write flag using *_ro command.");
  }
  if (const auto error = engine_.admission.RefuseScript();
      !script->header.present && !error.empty()) {
    return context.Error(error);
  }
  const auto keys = static_cast<std::size_t>(count);
  machine_->Run(context, *script, read_only, context.args.subspan(3, keys),
                context.args.subspan(3 + keys));
}

}  // namespace interlock::sim::redis
