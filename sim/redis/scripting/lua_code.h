// SPDX-License-Identifier: MIT
//
// A function as Lua 5.1 has compiled it: its instructions and constants, and those of the functions
// inside it. Source: lopcodes.h and lundump.c of Lua 5.1. Thread safety: plain data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <lua5.1/lua.hpp>
#include <optional>
#include <string>
#include <vector>

namespace interlock::sim::redis {

class LuaInstruction {
 public:
  enum Operation : std::uint32_t {
    kMove,
    kLoadConstant,
    kLoadBoolean,
    kLoadNil,
    kGetUpvalue,
    kGetGlobal,
    kGetTable,
    kSetGlobal,
    kSetUpvalue,
    kSetTable,
    kNewTable,
    kSelf,
    kAdd,
    kSubtract,
    kMultiply,
    kDivide,
    kModulo,
    kPower,
    kNegate,
    kNot,
    kLength,
    kConcat,
    kJump,
    kEqual,
    kLess,
    kLessOrEqual,
    kTest,
    kTestSet,
    kCall,
    kTailCall,
    kReturn,
    kForLoop,
    kForPrepare,
    kForIn,
    kSetList,
    kClose,
    kClosure,
    kVararg
  };

  explicit LuaInstruction(std::uint32_t bits) : bits_(bits) {}
  LuaInstruction(std::uint32_t operation, std::uint32_t a, std::uint32_t wide)
      : bits_(operation | (a << 6) | (wide << 14)) {}
  std::uint32_t operation() const { return bits_ & 0x3fU; }
  /// Its operands: three, or `a` and one of twice the width.
  std::uint32_t a() const { return (bits_ >> 6) & 0xffU; }
  std::uint32_t b() const { return bits_ >> 23; }
  std::uint32_t c() const { return (bits_ >> 14) & 0x1ffU; }
  std::uint32_t wide() const { return bits_ >> 14; }
  /// How far it jumps.
  std::int32_t distance() const { return static_cast<std::int32_t>(wide()) - 131071; }

  /// Whether an operand is a constant, and which; otherwise it is a register.
  static bool IsConstant(std::uint32_t operand) { return (operand & 0x100U) != 0; }
  static std::uint32_t ConstantOf(std::uint32_t operand) { return operand & 0xffU; }

 private:
  std::uint32_t bits_;
};

struct LuaConstant {
  int type = LUA_TNIL;  ///< nil, boolean, number or string
  bool truth = false;
  double number = 0;
  std::string text;
};

struct LuaCode {
  std::uint32_t upvalues = 0;
  std::uint32_t parameters = 0;
  std::uint32_t registers = 0;
  bool any_arguments = false;  ///< It has "..." among its parameters, as every script has.
  std::vector<LuaInstruction> instructions;
  std::vector<LuaConstant> constants;
  std::vector<LuaCode> functions;
};

/// Of the Lua function on top of the stack, which stays there. Nothing: its code is not in the
/// known form.
std::optional<LuaCode> ReadLuaCode(lua_State* lua);

}  // namespace interlock::sim::redis
