// SPDX-License-Identifier: MIT
#include "sim/redis/scripting/script_calls.h"

#include "sim/redis/engine.h"
#include "sim/redis/scripting/sandbox.h"

namespace interlock::sim::redis {

namespace {

constexpr std::size_t kMostKept = 64;

}  // namespace

void ScriptCalls::Begin(const Script& script, bool read_only, const Client& caller) {
  read_only_ = read_only || script.header.no_writes;
  has_written_ = false;
  allow_oom_ = script.header.allow_oom;
  // Without a header scripts may do as they did before there were headers.
  cross_slot_ = !script.header.present || script.header.allow_cross_slot_keys;
  slot_.reset();
  unhindered_ =
      !read_only_ && engine_.admission.RefusesNothingInScripts() && !engine_.cluster.enabled();
  client_.database = caller.database;
  client_.protocol = 2;
  client_.asking = caller.asking;
  client_.no_touch = caller.no_touch;
  // In Redis WAIT and WAITAOF of a script wait for nothing.
  client_.last_write_offset = engine_.dialect().valkey ? caller.last_write_offset : 0;
  client_.last_write_unit = engine_.dialect().valkey ? caller.last_write_unit : 0;
  client_.reads_replica = caller.reads_replica;
  kept_count_ = told_count_ = 0;
}

bool ScriptCalls::CollectArguments(lua_State* lua, int count) {
  const auto size = static_cast<std::size_t>(count);
  if (words_.size() < size) {
    words_.resize(size);
    numbers_.resize(size);
  }
  for (int i = 1; i <= count; ++i) {
    const auto at = static_cast<std::size_t>(i - 1);
    if (lua_type(lua, i) == LUA_TNUMBER) {
      const std::size_t length =
          FormatArgument(engine_.dialect(), lua_tonumber(lua, i), &numbers_[at]);
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

const Command* ScriptCalls::CommandNamed() const { return FindCommand(engine_.dialect(), args_); }

const char* ScriptCalls::UnknownText() {
  const ScriptTexts& texts = *engine_.dialect().script;
  bool container = false;
  if (texts.names_subcommands && args_.size() > 1) {
    (void)FindCommand(engine_.dialect(), args_[0], args_[1], true, &container);
  }
  if (!container) return texts.unknown_command;
  refusal_.assign("-").append(UnknownSubcommandText(args_));
  return refusal_.c_str();
}

// The error if args_ may not run; null: they may.
const char* ScriptCalls::RefusalOf(const Command& command) {
  if (!ArityMatches(command, args_.size())) {
    return engine_.dialect().script->wrong_arity;
  }
  if ((command.flags & kNoScript) != 0) return engine_.dialect().script->forbidden;
  const Admission& admission = engine_.admission;
  const Admission::ScriptRights rights = {read_only_, has_written_, allow_oom_};
  // The order shows where several are true.
  if (engine_.dialect().IsIn(kValkeyFrom90)) {
    if (Refuses(admission.RefuseGrowthInScript(command, rights))) return refusal_.c_str();
    if (const char* refusal = RefusalOfSlot(command)) return refusal;
    if (Refuses(admission.RefuseWriteInScript(command, rights))) return refusal_.c_str();
    return Refuses(admission.RefuseStaleInScript(command)) ? refusal_.c_str() : nullptr;
  }
  if (Refuses(admission.RefuseStaleInScript(command)) ||
      Refuses(admission.RefuseWriteInScript(command, rights)) ||
      Refuses(admission.RefuseGrowthInScript(command, rights))) {
    return refusal_.c_str();
  }
  return RefusalOfSlot(command);
}

bool ScriptCalls::Refuses(std::string_view error) {
  if (error.empty()) return false;
  refusal_.assign("-").append(error);
  return true;
}

const char* ScriptCalls::RefusalOfSlot(const Command& command) {
  if (engine_.cluster.enabled()) {
    if (Refuses(engine_.cluster.ScriptRefusal(client_, command, args_))) return refusal_.c_str();
    const std::optional<std::size_t> slot = Cluster::SlotOf(command, args_);
    if (slot && slot_ && slot != slot_ && !cross_slot_) {
      return "Script attempted to access keys that do not hash to the same slot";
    }
    if (!slot_) slot_ = slot;
  }
  return nullptr;
}

// Runs args_.
void ScriptCalls::SetReply(const Command& command, Value* reply) {
  has_written_ = has_written_ || (command.flags & kWrite) != 0;
  engine_.Run(client_, command, args_, reply);
  if (client_.protocol == 3) {
    ToResp3(reply);
  } else if (reply->type >= Value::Type::kArray) {
    ToResp2(reply);
  }
}

const Value* ScriptCalls::CallAndKeep(const Command& command, Arguments words) {
  if (kept_.empty()) kept_.resize(kMostKept);
  args_ = words;
  const bool allowed = unhindered_
                           ? ArityMatches(command, words.size()) && (command.flags & kNoScript) == 0
                           : RefusalOf(command) == nullptr;
  if (!allowed || kept_count_ == kMostKept) return nullptr;
  Kept& kept = kept_[kept_count_++];
  kept.command = &command;
  kept.words = words.size();
  SetReply(command, &kept.reply);
  return &kept.reply;
}

void ScriptCalls::CountRefusal(const Command* command, std::string_view refusal) {
  if (command != nullptr) ++engine_.statistics.Of(*command).rejected;
  engine_.statistics.CountError(refusal.starts_with('-') ? refusal.substr(1) : "ERR");
  engine_.statistics.attributed = engine_.statistics.error_replies;
}

int ScriptCalls::Call(lua_State* lua, bool raise) {
  const int count = lua_gettop(lua);
  if (count == 0) {
    return ReturnError(lua, engine_.dialect().script->no_arguments, raise);
  }
  broke_off_ = !CollectArguments(lua, count);
  if (broke_off_) {
    return ReturnError(lua, engine_.dialect().script->wrong_arguments, raise);
  }
  const Command* command = CommandNamed();
  const char* refusal = nullptr;
  if (told_count_ < kept_count_) {
    const Kept& kept = kept_[told_count_++];
    if (kept.command != command || kept.words != args_.size()) return Abort(lua, kOtherwise);
    reply_ = kept.reply;
  } else {
    refusal = command == nullptr ? UnknownText() : RefusalOf(*command);
    if (refusal != nullptr && !engine_.unmodelled) CountRefusal(command, refusal);
    if (refusal == nullptr) SetReply(*command, &reply_);
    if (engine_.unmodelled) return Abort(lua, *engine_.unmodelled);
  }
  if (refusal != nullptr) {
    PushError(lua, refusal);
    PushField(lua, Field::kIgnored);
    lua_pushboolean(lua, 1);
    lua_rawset(lua, -3);
    return raise ? lua_error(lua) : 1;
  }
  PushValue(lua, reply_, client_.protocol);
  return raise && reply_.type == Value::Type::kError ? lua_error(lua) : 1;
}

}  // namespace interlock::sim::redis
