// SPDX-License-Identifier: MIT
#include "sim/redis/scripting/quick_script.h"

#include <cstddef>
#include <string_view>

#include "sim/redis/scripting/quick_functions.h"

namespace interlock::sim::redis {

namespace {

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

// The field that the instruction takes out of the register; null: it takes none, or a computed one.
const LuaConstant* FieldOf(const LuaCode& code, std::size_t at, std::uint32_t from) {
  const LuaInstruction one = code.instructions[at];
  const bool named = one.operation() == LuaInstruction::kGetTable && one.b() == from &&
                     LuaInstruction::IsConstant(one.c());
  return named ? &code.constants[LuaInstruction::ConstantOf(one.c())] : nullptr;
}

// 0: it is no small number.
std::uint32_t PlaceOf(const LuaConstant& field) {
  const bool small = field.type == LUA_TNUMBER && field.number >= 1 && field.number <= 255;
  const auto place = small ? static_cast<std::uint32_t>(field.number) : 0;
  return place == field.number ? place : 0;
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
  const LuaConstant* const field = FieldOf(code, at + 1, a);
  if (name == "KEYS" || name == "ARGV") {
    const std::uint32_t which = name == "KEYS" ? 0 : 1;
    instructions[at] = LuaInstruction(LuaInstruction::kGetGlobal, a, which);
    const std::uint32_t place = field == nullptr ? 0 : PlaceOf(*field);
    if (place > 0) instructions[at] = LuaInstruction(kGetInput, a, which << 9 | place);
    return true;
  }
  const QuickFunction* function = FindQuickFunction("", name);
  const bool of_library = function == nullptr && field != nullptr;
  if (of_library) function = FindQuickFunction(name, field->text);
  if (function == nullptr) return false;
  constants.push_back(QuickValue::Of(function));
  instructions[at] =
      LuaInstruction(of_library ? kLoadFunction : std::uint32_t{LuaInstruction::kLoadConstant}, a,
                     static_cast<std::uint32_t>(constants.size() - 1));
  return true;
}

}  // namespace interlock::sim::redis
