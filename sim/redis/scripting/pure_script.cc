// SPDX-License-Identifier: MIT
#include "sim/redis/scripting/pure_script.h"

#include <algorithm>
#include <span>
#include <string_view>

namespace interlock::sim::redis {

namespace {

// All except those that lead to the table of globals: _G, load, loadstring.
constexpr std::string_view kFunctions[] = {
    "assert",   "error",    "getmetatable", "ipairs", "next",   "pairs",
    "pcall",    "rawequal", "rawget",       "rawset", "select", "setmetatable",
    "tonumber", "tostring", "type",         "unpack", "xpcall"};
constexpr std::string_view kTables[] = {"KEYS", "ARGV",  "redis", "string",
                                        "math", "table", "cjson", "bit"};

// Random numbers, settings that outlive the call, and access to the strings' shared metatable.
constexpr std::string_view kImpure[] = {"random",   "randomseed", "setresp",
                                        "set_repl", "cjson",      "getmetatable"};

bool IsIn(std::span<const std::string_view> names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Takes something out of the value in the register, and overwrites the register with it.
bool Replaces(LuaInstruction one, std::uint32_t register_number) {
  return (one.operation() == LuaInstruction::kGetTable ||
          one.operation() == LuaInstruction::kLength) &&
         one.b() == register_number && one.a() == register_number;
}

bool UsesGlobalPlainly(const LuaCode& code, std::size_t at) {
  const LuaInstruction one = code.instructions[at];
  const std::string_view name = code.constants[one.wide()].text;
  if (IsIn(kFunctions, name)) return true;
  // The next instruction, which there always is, overwrites the register.
  const LuaInstruction next = code.instructions[at + 1];
  if (!IsIn(kTables, name) || !Replaces(next, one.a())) return false;
  // Of a library a function is named, not computed.
  return name == "KEYS" || name == "ARGV" || LuaInstruction::IsConstant(next.c());
}

}  // namespace

// NOLINTNEXTLINE(misc-no-recursion): as deep as the script's functions are nested
bool IsPureScript(const LuaCode& code) {
  for (std::size_t i = 0; i < code.instructions.size(); ++i) {
    const std::uint32_t operation = code.instructions[i].operation();
    if (operation == LuaInstruction::kSetGlobal || operation == LuaInstruction::kVararg)
      return false;
    if (operation == LuaInstruction::kGetGlobal && !UsesGlobalPlainly(code, i)) return false;
  }
  const auto impure = [](const LuaConstant& one) { return IsIn(kImpure, one.text); };
  return std::none_of(code.constants.begin(), code.constants.end(), impure) &&
         std::all_of(code.functions.begin(), code.functions.end(), &IsPureScript);
}

}  // namespace interlock::sim::redis
