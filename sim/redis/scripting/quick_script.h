// SPDX-License-Identifier: MIT
//
// A script, or a function inside it, in the form in which quick_run.h runs it. Not every script has
// one: see runs(). Thread safety: constant.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/redis/scripting/lua_code.h"
#include "sim/redis/scripting/quick_value.h"

namespace interlock::sim::redis {

struct QuickScript {
  /// Runs nothing.
  QuickScript() = default;
  /// REQUIRES: the code is pure (pure_script.h). `inner`: it is a function of a script.
  explicit QuickScript(const LuaCode& code, bool inner = false);
  QuickScript(QuickScript&&) = default;
  QuickScript& operator=(QuickScript&&) = default;

  /// Whether it only does what is known here.
  bool runs() const { return !instructions.empty(); }

  /// Operations beside Lua's, each in the place of two: a = constants[wide], which is a library's
  /// function;
  static constexpr std::uint32_t kLoadFunction = 62;
  /// a = KEYS[c] (b = 0) or ARGV[c] (b = 1).
  static constexpr std::uint32_t kGetInput = 63;
  /// Lua's kGetGlobal means KEYS (0) or ARGV (1) itself.
  std::vector<LuaInstruction> instructions;
  std::vector<QuickValue> constants;
  std::vector<QuickScript> functions;
  std::uint32_t upvalues = 0;
  std::uint32_t parameters = 0;
  std::uint32_t registers = 0;

 private:
  bool Translate(const LuaCode& code, bool inner);
  bool TranslateConstants(const LuaCode& code);
  bool TranslateGlobal(const LuaCode& code, std::size_t at);

  std::vector<std::string> texts_;  // of the constants
};

}  // namespace interlock::sim::redis
