// SPDX-License-Identifier: MIT
#include "sim/redis/scripting/scripting.h"

#include "sim/redis/scripting/machine.h"
#include "sim/redis/scripting/script_header.h"

namespace interlock::sim::redis {

Scripting::Scripting(Engine& engine) : engine_(engine) {}
Scripting::~Scripting() = default;

void Scripting::Reset() {
  engine_.script_random = kInitialRandom;
  if (machine_ && !machine_->Reset()) machine_.reset();
}

std::size_t Scripting::count() const { return machine_ ? machine_->scripts().count() : 0; }
std::uint64_t Scripting::known() const { return machine_ ? machine_->scripts().known() : 0; }
bool Scripting::Exists(std::string_view sha) const {
  return machine_ && machine_->scripts().Find(sha) != nullptr;
}

void Scripting::Show(Context& context, std::string_view sha) const {
  const Script* script = machine_ ? machine_->scripts().Find(sha) : nullptr;
  if (script == nullptr) return context.Error(engine_.dialect().script->no_script);
  context.String(script->body);
}

void Scripting::Flush() {
  engine_.keyspace.TouchAll();
  if (!machine_) return;
  machine_->scripts().Flush();
  if (!machine_->scripts().HoldsMany()) return;
  // Scripts that nobody can call any more stay compiled in it.
  machine_ = std::make_unique<LuaMachine>(engine_, LuaUse::kScripts);
}

void Scripting::Kill(Context& context, LuaUse by) { machine_->Kill(context, by); }

void Scripting::Load(Context& context, std::string_view body) {
  if (!machine_) machine_ = std::make_unique<LuaMachine>(engine_, LuaUse::kScripts);
  const Script* script = machine_->scripts().Compile(context, body);
  if (script != nullptr) context.String(script->sha);
}

std::uint32_t Scripting::FlagsOf(std::string_view body_or_sha, bool by_sha,
                                 std::uint32_t flags) const {
  ScriptHeader header;
  if (!by_sha) {
    header = ParseScriptHeader(engine_.dialect(), body_or_sha);
  } else if (const Script* script = machine_ ? machine_->scripts().Find(body_or_sha) : nullptr) {
    header = script->header;
  }
  if (!header.present || (!header.error.empty() && !header.unknown_engine)) return flags;
  return CommandFlagsOf(header, flags);
}

bool ParseKeyCount(Context& context, std::string_view not_integer, std::size_t* keys) {
  std::int64_t count = 0;
  if (!context.ParseInt(context.args[2], &count, not_integer)) return false;
  if (count > static_cast<std::int64_t>(context.args.size()) - 3) {
    context.Error("ERR Number of keys can't be greater than number of args");
    return false;
  }
  if (count < 0) {
    context.Error("ERR Number of keys can't be negative");
    return false;
  }
  *keys = static_cast<std::size_t>(count);
  return true;
}

void Scripting::Eval(Context& context, bool by_sha, bool read_only) {
  const std::string_view no_script = context.engine.dialect().script->no_script;
  if (by_sha && context.args[1].size() != 40) return context.Error(no_script);
  std::size_t keys = 0;
  if (!ParseKeyCount(context, kNotInteger, &keys)) return;
  if (!machine_) machine_ = std::make_unique<LuaMachine>(engine_, LuaUse::kScripts);
  const Script* script = by_sha ? machine_->scripts().Find(context.args[1])
                                : machine_->scripts().Compile(context, context.args[1]);
  if (script == nullptr) {
    if (by_sha) context.Error(no_script);
    return;
  }
  if (const auto error = engine_.admission.RefuseScript(script->header, context.client, read_only);
      !error.empty()) {
    return context.Error(error);
  }
  machine_->Run(context, *script, read_only, context.args.subspan(3, keys),
                context.args.subspan(3 + keys));
}

}  // namespace interlock::sim::redis
