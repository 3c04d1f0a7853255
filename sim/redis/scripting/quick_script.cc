// SPDX-License-Identifier: MIT
#include "sim/redis/scripting/quick_script.h"

#include <cstddef>
#include <optional>
#include <string_view>

namespace interlock::sim::redis {

namespace {

struct Known {
  std::string_view library;  // empty: it is global
  std::string_view name;
  QuickFunction function;
};
constexpr Known kKnown[] = {{"redis", "call", QuickFunction::kCall},
                            {"redis", "pcall", QuickFunction::kPcall},
                            {"", "tonumber", QuickFunction::kToNumber},
                            {"", "tostring", QuickFunction::kToString},
                            {"", "unpack", QuickFunction::kUnpack},
                            {"", "ipairs", QuickFunction::kIpairs},
                            {"string", "match", QuickFunction::kMatch},
                            {"string", "gmatch", QuickFunction::kGmatch},
                            {"string", "format", QuickFunction::kFormat},
                            {"string", "find", QuickFunction::kFind},
                            {"string", "sub", QuickFunction::kSub},
                            {"math", "max", QuickFunction::kMax},
                            {"math", "min", QuickFunction::kMin},
                            {"math", "floor", QuickFunction::kFloor},
                            {"table", "concat", QuickFunction::kTableConcat},
                            {"table", "remove", QuickFunction::kTableRemove}};

std::optional<QuickFunction> FindFunction(std::string_view library, std::string_view name) {
  for (const Known& one : kKnown) {
    if (one.library == library && one.name == name) return one.function;
  }
  return std::nullopt;
}

bool IsKnown(std::uint32_t operation, bool inner) {
  using Operation = LuaInstruction::Operation;
  switch (operation) {
    case Operation::kSetGlobal:
    case Operation::kSelf:
    case Operation::kPower:
    case Operation::kModulo:
    case Operation::kClose:
    case Operation::kVararg:
      return false;
    case Operation::kClosure:
      return !inner;  // Its upvalues are the script's own registers, which last as long.
    default:
      return operation <= Operation::kVararg;
  }
}

// Of what the instruction takes out of the register; empty: it has none.
std::string_view NameOfField(const LuaCode& code, std::size_t at, std::uint32_t from) {
  const LuaInstruction one = code.instructions[at];
  const bool named = one.operation() == LuaInstruction::kGetTable && one.b() == from &&
                     LuaInstruction::IsConstant(one.c());
  return named ? code.constants[LuaInstruction::ConstantOf(one.c())].text : std::string_view();
}

// What the instruction takes out of a table; 0: it is no small number.
std::uint32_t PlaceOf(const LuaCode& code, LuaInstruction one) {
  if (one.operation() != LuaInstruction::kGetTable || !LuaInstruction::IsConstant(one.c()))
    return 0;
  const LuaConstant& key = code.constants[LuaInstruction::ConstantOf(one.c())];
  const bool small = key.type == LUA_TNUMBER && key.number >= 1 && key.number <= 255;
  const auto place = small ? static_cast<std::uint32_t>(key.number) : 0;
  return place == key.number ? place : 0;
}

}  // namespace

QuickScript::QuickScript(const LuaCode& code, bool inner) {
  if (!Translate(code, inner)) instructions.clear();
}

bool QuickScript::Translate(const LuaCode& code, bool inner) {
  if (inner && (code.any_arguments || code.upvalues > QuickClosure::kMostUpvalues)) return false;
  upvalues = code.upvalues;
  parameters = code.parameters;
  registers = code.registers;
  instructions = code.instructions;
  if (!TranslateConstants(code)) return false;
  for (std::size_t i = 0; i < code.instructions.size(); ++i) {
    const std::uint32_t operation = code.instructions[i].operation();
    if (!IsKnown(operation, inner)) return false;
    if (operation == LuaInstruction::kGetGlobal && !TranslateGlobal(code, i)) return false;
  }
  for (const LuaCode& one : code.functions) {
    functions.emplace_back(one, true);
    if (!functions.back().runs()) return false;
  }
  return true;
}

bool QuickScript::TranslateConstants(const LuaCode& code) {
  texts_.reserve(code.constants.size());  // Whose bytes stay where they are.
  for (const LuaConstant& one : code.constants) {
    switch (one.type) {
      case LUA_TNIL:
        constants.emplace_back();
        break;
      case LUA_TBOOLEAN:
        constants.push_back(QuickValue::Boolean(one.truth));
        break;
      case LUA_TNUMBER:
        constants.push_back(QuickValue::Of(one.number));
        break;
      case LUA_TSTRING:
        constants.push_back(QuickValue::Of(std::string_view(texts_.emplace_back(one.text))));
        constants.back().constant = true;
        break;
      default:
        return false;
    }
  }
  return true;
}

// A pure script takes what it needs out of KEYS, ARGV or a library in the very next instruction.
bool QuickScript::TranslateGlobal(const LuaCode& code, std::size_t at) {
  const std::uint32_t a = code.instructions[at].a();
  const std::string_view name = code.constants[code.instructions[at].wide()].text;
  if (name == "KEYS" || name == "ARGV") {
    const std::uint32_t which = name == "KEYS" ? 0 : 1;
    instructions[at] = LuaInstruction(LuaInstruction::kGetGlobal, a, which);
    const std::uint32_t place = PlaceOf(code, code.instructions[at + 1]);
    if (place > 0) instructions[at] = LuaInstruction(kGetInput, a, which << 9 | place);
    return true;
  }
  std::optional<QuickFunction> function = FindFunction("", name);
  const bool of_library = !function.has_value();
  if (of_library) function = FindFunction(name, NameOfField(code, at + 1, a));
  if (!function.has_value()) return false;
  constants.push_back(QuickValue::Of(*function));
  instructions[at] =
      LuaInstruction(of_library ? kLoadFunction : std::uint32_t{LuaInstruction::kLoadConstant}, a,
                     static_cast<std::uint32_t>(constants.size() - 1));
  return true;
}

}  // namespace interlock::sim::redis
