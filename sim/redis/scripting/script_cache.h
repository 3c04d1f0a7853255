// SPDX-License-Identifier: MIT
//
// The scripts that a server knows: EVAL and SCRIPT LOAD add to them, EVALSHA and SCRIPT EXISTS look
// them up, SCRIPT FLUSH forgets them all. What is forgotten stays compiled in the Lua state, out of
// sight, and need not be compiled again when it comes back.
//
// Thread safety: none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <lua5.1/lua.hpp>
#include <string>
#include <string_view>
#include <unordered_map>

#include "sim/redis/scripting/quick_hash.h"
#include "sim/redis/scripting/quick_script.h"
#include "sim/redis/scripting/sandbox.h"
#include "sim/redis/scripting/script_header.h"

namespace interlock::sim::redis {

class Engine;
struct Context;

struct Script {
  int function = LUA_NOREF;
  std::string sha;               // Of a function, its name.
  std::string_view body;         // Of a function, empty.
  bool is_function = false;      // KEYS and ARGV are its arguments.
  std::uint64_t generation = 0;  // Visible if it is the present one.
  QuickScript quick;
  ScriptHeader header;
};

class ScriptCache {
 public:
  /// Both outlive this.
  ScriptCache(Engine& engine, Sandbox& sandbox) : engine_(engine), sandbox_(sandbox) {}
  /// REQUIRES: called once the sandbox is open, and before Compile. May raise (memory only).
  void Open();

  /// Null, with an error as reply, if it does not compile.
  const Script* Compile(Context& context, std::string_view body);
  /// Null: it is not known. The SHA may be in any case.
  const Script* Find(std::string_view sha) const;
  void Flush();

  /// So many scripts are compiled, visible or not, that another Lua state should take over.
  bool HoldsMany() const;
  /// The same for the same set of known scripts, whatever the order they came in.
  std::uint64_t known() const { return known_; }
  std::size_t count() const { return count_; }

 private:
  struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return QuickHash(text); }
  };
  /// What the compiler, in its protected call, needs and what it leaves.
  struct Compilation {
    std::string_view text;
    QuickScript quick = {};
    int function = LUA_NOREF;
  };

  static int CompileText(lua_State* lua);
  void MakeVisible(Script& script);

  Engine& engine_;
  Sandbox& sandbox_;
  int compile_text_ = LUA_NOREF;  // CompileText, as a function of Lua.
  std::uint64_t generation_ = 1;
  std::uint64_t known_ = 0;  // A sum over the visible scripts,
  std::size_t count_ = 0;    // and their number.
  std::unordered_map<std::string, Script, TextHash, std::equal_to<>> by_body_;
  std::unordered_map<std::string, Script*, TextHash, std::equal_to<>> by_sha_;
};

}  // namespace interlock::sim::redis
