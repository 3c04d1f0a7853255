// SPDX-License-Identifier: MIT
#include "sim/redis/scripting/script_cache.h"

#include <charconv>
#include <optional>
#include <utility>

#include "sim/redis/engine.h"
#include "sim/redis/scripting/pure_script.h"
#include "sim/redis/text.h"

namespace interlock::sim::redis {

namespace {

constexpr std::size_t kMaxScripts = 1000;  // Kept while nobody can call them.
constexpr const char* kScriptChunk = "@user_script";

// Of the function on top of the stack. Nothing here raises.
QuickScript MakeQuick(lua_State* lua) {
  const std::optional<LuaCode> code = ReadLuaCode(lua);
  return code && IsPureScript(*code) ? QuickScript(*code) : QuickScript();
}

}  // namespace

void ScriptCache::Open() {
  lua_pushcfunction(sandbox_.lua, &CompileText);
  compile_text_ = luaL_ref(sandbox_.lua, LUA_REGISTRYINDEX);
}

bool ScriptCache::HoldsMany() const { return by_body_.size() > kMaxScripts; }

void ScriptCache::Flush() {
  ++generation_;
  known_ = 0;
  count_ = 0;
}

const Script* ScriptCache::Find(std::string_view sha) const {
  auto at = by_sha_.find(sha);
  if (at == by_sha_.end()) at = by_sha_.find(ToLower(sha));
  if (at == by_sha_.end() || at->second->generation != generation_) return nullptr;
  return at->second;
}

void ScriptCache::MakeVisible(Script& script) {
  if (script.generation == generation_) return;
  engine_.keyspace.TouchAll();
  script.generation = generation_;
  ++count_;
  // 15 digits of a SHA-1 are as good as random.
  std::uint64_t digits = 0;
  std::from_chars(script.sha.data(), script.sha.data() + 15, digits, 16);
  known_ += digits;
}

// Returns what is wrong with it.
int ScriptCache::CompileText(lua_State* lua) {
  Compilation& compilation = *static_cast<Compilation*>(lua_touserdata(lua, 1));
  if (LoadText(lua, compilation.text, kScriptChunk) != 0) return 1;
  compilation.quick = MakeQuick(lua);
  compilation.function = luaL_ref(lua, LUA_REGISTRYINDEX);
  return 0;
}

const Script* ScriptCache::Compile(Context& context, std::string_view body) {
  const auto at = by_body_.find(body);
  if (at != by_body_.end()) {
    MakeVisible(at->second);
    return &at->second;
  }
  const ScriptHeader header = ParseScriptHeader(engine_.dialect(), body);
  if (header.unmodelled) {
    context.Unmodelled("script shebang with quotes");
    return nullptr;
  }
  if (!header.error.empty()) {
    context.Error(OneLine(header.error));
    return nullptr;
  }
  lua_State* const lua = sandbox_.lua;
  Compilation compilation{.text = body.substr(header.length)};
  const bool finished = InProtectedCall(lua, compile_text_, &compilation);
  if (compilation.function == LUA_NOREF || !finished) {
    const char* text = lua_tostring(lua, -1);
    context.Error(OneLine("ERR Error compiling script (new function): " +
                          std::string(text == nullptr ? "" : text)));
    lua_settop(lua, 0);
    return nullptr;
  }
  lua_settop(lua, 0);
  const auto added = by_body_.try_emplace(std::string(body)).first;
  Script& script = added->second;
  script.body = added->first;
  script.quick = std::move(compilation.quick);
  script.function = compilation.function;
  script.sha = Sha1Hex(body);
  MakeVisible(script);
  script.header = header;
  by_sha_[script.sha] = &script;
  return &script;
}

}  // namespace interlock::sim::redis
