// SPDX-License-Identifier: MIT
#include "sim/redis/scripting/plain_script.h"

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

// Those that may change a table passed to them: an error gets its position.
constexpr std::string_view kChangers[] = {"error", "rawset", "setmetatable", "table"};

// Random numbers, settings that outlive the call, and access to the strings' shared metatable.
constexpr std::string_view kImpure[] = {"random",   "randomseed", "setresp",
                                        "set_repl", "cjson",      "getmetatable"};

bool IsIn(std::span<const std::string_view> names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

using Operation = LuaInstruction::Operation;

/// Takes something out of the value in the register, and overwrites the register with it.
bool Replaces(LuaInstruction one, std::uint32_t register_number) {
  return (one.operation() == Operation::kGetTable || one.operation() == Operation::kLength) &&
         one.b() == register_number && one.a() == register_number;
}

void JudgeGlobal(const LuaCode& code, std::size_t at, ScriptCode* result) {
  const LuaInstruction one = code.instructions[at];
  const LuaInstruction* const next =
      at + 1 < code.instructions.size() ? &code.instructions[at + 1] : nullptr;
  const std::string_view name = code.constants[one.wide()].text;
  if (IsIn(kChangers, name)) result->changes_tables = true;
  if (IsIn(kFunctions, name)) return;
  const bool is_input = name == "KEYS" || name == "ARGV";
  if (!is_input && next != nullptr && !LuaInstruction::IsConstant(next->c())) result->pure = false;
  // The next instruction overwrites the register.
  if (!IsIn(kTables, name) || next == nullptr || !Replaces(*next, one.a())) result->plain = false;
}

// NOLINTNEXTLINE(misc-no-recursion): as deep as the script's functions are nested
void Judge(const LuaCode& code, ScriptCode* result) {
  for (std::size_t i = 0; i < code.instructions.size(); ++i) {
    const std::uint32_t operation = code.instructions[i].operation();
    if (operation == Operation::kSetGlobal || operation == Operation::kVararg) {
      result->plain = false;
    }
    if (operation == Operation::kSetTable) result->changes_tables = true;
    if (operation == Operation::kGetGlobal) JudgeGlobal(code, i, result);
  }
  for (const LuaConstant& one : code.constants)
    result->pure = result->pure && !IsIn(kImpure, one.text);
  for (const LuaCode& one : code.functions) Judge(one, result);
}

}  // namespace

ScriptCode JudgeScriptCode(const LuaCode& code) {
  ScriptCode result{.plain = true, .changes_tables = false, .pure = true};
  Judge(code, &result);
  result.pure = result.pure && result.plain;
  return result;
}

}  // namespace interlock::sim::redis
