// SPDX-License-Identifier: MIT
//
// The Lua state, and the scripts that are compiled in it.
#include "sim/redis/scripting/machine.h"

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <utility>

#include "sim/redis/scripting/script_header.h"
#include "sim/redis/scripting/string_hash.h"
#include "sim/redis/text.h"

namespace interlock::sim::redis {

namespace {

constexpr std::size_t kMaxScripts = 1000;  // Kept across Reset() and Flush().
constexpr const char* kScriptChunk = "@user_script";

// An error that nothing has caught.
int OnPanic(lua_State* lua) {
  const char* text = lua_tostring(lua, -1);
  std::fprintf(stderr, "Lua raised an error outside of any protected call: %s\n",
               text == nullptr ? "(not a text)" : text);
  std::abort();
}

}  // namespace

Scripting::Machine::Machine(Engine& engine) : engine_(engine) {
  sandbox_.engine = &engine;
  sandbox_.most_bytes = engine.script_memory;
  sandbox_.random = kInitialRandom;
  client_.must_not_block = true;
  lua_ = lua_newstate(&AllocateForLua, &sandbox_);
  if (lua_ == nullptr) throw std::bad_alloc();
  lua_atpanic(lua_, &OnPanic);
  if (lua_cpcall(lua_, &Open, this) == 0) return;
  lua_close(lua_);
  throw std::bad_alloc();
}

int Scripting::Machine::Open(lua_State* lua) {
  Machine& self = *static_cast<Machine*>(lua_touserdata(lua, 1));
  HashWholeStrings(lua);
  KnownTexts::Open(lua);
  self.PushRedisTable();
  OpenSandbox(lua, &self.sandbox_);
  for (const auto& [function, reference] :
       {std::pair(&CompileText, &self.compile_text_), std::pair(&RunScript, &self.run_script_)}) {
    lua_pushlightuserdata(lua, &self);
    lua_pushcclosure(lua, function, 1);
    *reference = luaL_ref(lua, LUA_REGISTRYINDEX);
  }
  return 0;
}

// The function gets the argument, and may leave one value on the stack. False: it has raised, and
// the error is there instead.
bool Scripting::Machine::InProtectedCall(int function, void* argument) {
  lua_settop(lua_, 0);
  lua_rawgeti(lua_, LUA_REGISTRYINDEX, function);
  lua_pushlightuserdata(lua_, argument);
  return lua_pcall(lua_, 1, 1, 0) == 0;
}

bool Scripting::Machine::HoldsMany() const { return by_body_.size() > kMaxScripts; }

bool Scripting::Machine::Reset() {
  if (sandbox_.tainted || HoldsMany()) return false;
  Flush();
  sandbox_.random = kInitialRandom;
  return true;
}

Script* Scripting::Machine::FindSha(std::string_view sha) {
  auto at = by_sha_.find(sha);
  if (at == by_sha_.end()) at = by_sha_.find(ToLower(sha));
  if (at == by_sha_.end() || at->second->generation != generation_) return nullptr;
  return at->second;
}

void Scripting::Machine::MakeVisible(Script& script) {
  if (script.generation == generation_) return;
  engine_.keyspace.TouchAll();
  script.generation = generation_;
  ++count_;
  // 15 digits of a SHA-1 are as good as random.
  std::uint64_t digits = 0;
  std::from_chars(script.sha.data(), script.sha.data() + 15, digits, 16);
  known_ += digits;
}

// Takes the function on top of the stack for one that has the tables which it names in locals,
// unless it has no room for them: looked up once, they are at hand.
void Scripting::Machine::MakePlain(Compilation* compilation) {
  compilation->code = ReadScriptCode(lua_);
  if (!compilation->code.plain) return;
  if (LoadText(lua_, compilation->text, kScriptChunk, "local redis,KEYS,ARGV=...;") != 0) {
    compilation->code = ScriptCode();
    return lua_pop(lua_, 1);
  }
  lua_replace(lua_, -2);
  lua_rawgeti(lua_, LUA_REGISTRYINDEX, sandbox_.direct);
  lua_setfenv(lua_, -2);
}

// Returns what is wrong with it.
int Scripting::Machine::CompileText(lua_State* lua) {
  Compilation& compilation = *static_cast<Compilation*>(lua_touserdata(lua, 1));
  if (LoadText(lua, compilation.text, kScriptChunk) != 0) return 1;
  Of(lua).MakePlain(&compilation);
  compilation.function = luaL_ref(lua, LUA_REGISTRYINDEX);
  return 0;
}

Script* Scripting::Machine::Compile(Context& context, std::string_view body) {
  const auto at = by_body_.find(body);
  if (at != by_body_.end()) {
    MakeVisible(at->second);
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
  Compilation compilation{.text = body.substr(header.length), .code = {}};
  const bool finished = InProtectedCall(compile_text_, &compilation);
  if (compilation.function == LUA_NOREF || !finished) {
    const char* text = lua_tostring(lua_, -1);
    context.Error(OneLine("ERR Error compiling script (new function): " +
                          std::string(text == nullptr ? "" : text)));
    lua_settop(lua_, 0);
    return nullptr;
  }
  lua_settop(lua_, 0);
  Script& script = by_body_[std::string(body)];
  script.code = compilation.code;
  script.function = compilation.function;
  script.sha = Sha1Hex(body);
  MakeVisible(script);
  script.header = header;
  by_sha_[script.sha] = &script;
  return &script;
}

}  // namespace interlock::sim::redis
