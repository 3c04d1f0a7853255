// SPDX-License-Identifier: MIT
//
// Runs scripts without Lua, as far as it gets. Most compare a few texts and run a few commands, and
// spend more than half of their time in making Lua's strings and tables; so this reads Lua's
// instructions and does the plain things alike. Whatever else it comes upon (an error, a text that
// is no decimal integer where a number is needed, a result that is no number, a table with other
// keys than 1, 2, 3, texts compared by order, a long run) it leaves to Lua, which begins anew and
// is told what the commands so far were answered (ScriptCalls).
//
// Guaranteed: commands, replies and result are those of Lua, or false is returned. Source:
// lvm.c and the libraries of Lua 5.1. Thread safety: none.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "sim/redis/context.h"
#include "sim/redis/scripting/quick_calls.h"
#include "sim/redis/scripting/quick_script.h"
#include "sim/redis/scripting/quick_value.h"

namespace interlock::sim::redis {

class ScriptCalls;

class QuickRun {
 public:
  /// Both outlive this.
  QuickRun(Engine& engine, ScriptCalls& calls) : engine_(engine), calls_(engine, calls, memory_) {}

  /// False: it is left to Lua. REQUIRES: calls.Begin for this script was the last that it was
  /// called; the script runs().
  bool Run(const QuickScript& script, Arguments keys, Arguments arguments, Context* context);

 private:
  struct Frame {
    const QuickScript* code = nullptr;
    const LuaInstruction* next = nullptr;
    QuickValue* base = nullptr;
    const QuickClosure* closure = nullptr;
    QuickValue* results = nullptr;  // where its caller expects what it returns,
    int wanted = 0;                 // and how much of it; -1: all
  };
  static constexpr std::size_t kMostFrames = 8;
  static constexpr std::size_t kStack = 512;

  // Values.
  QuickValue& Register(std::uint32_t number) { return frame_->base[number]; }
  const QuickValue& Operand(std::uint32_t number) {
    return LuaInstruction::IsConstant(number)
               ? frame_->code->constants[LuaInstruction::ConstantOf(number)]
               : frame_->base[number];
  }
  /// nil, if the table has fewer. REQUIRES: place >= 1.
  static QuickValue Element(const QuickTable& table, std::uint32_t place) {
    return place <= table.size ? table.values[place - 1] : QuickValue();
  }
  bool MakeTable(Arguments texts, QuickValue* table);

  // Of all that return a bool, false: this is left to Lua.
  bool Execute();
  bool ExecuteFurther(LuaInstruction now);
  bool Calculate(LuaInstruction now);
  bool Compare(LuaInstruction now);
  bool Get(LuaInstruction now);
  bool Set(LuaInstruction now);
  bool Grow(QuickTable* table);
  bool SetList(LuaInstruction now);
  bool Concatenate(LuaInstruction now);
  bool MeasureLength(LuaInstruction now);
  bool PrepareLoop(LuaInstruction now);
  void Loop(LuaInstruction now);
  bool LoopIn(LuaInstruction now);
  bool BeginsLoop(LuaInstruction call) const;
  bool MakeClosure(LuaInstruction now);
  bool Call(LuaInstruction now, int wanted);
  bool Enter(const QuickClosure& closure, QuickValue* results, std::size_t count, int wanted);
  std::span<const QuickValue> Returned(LuaInstruction now);
  void Return(LuaInstruction now);
  /// Returns from the script.
  bool Finish(LuaInstruction now);
  /// `count` results lie at `results`; more are made nil, if more are wanted.
  void Settle(QuickValue* results, std::size_t count, int wanted);

  Engine& engine_;
  QuickMemory memory_;
  QuickCalls calls_;
  Context* context_ = nullptr;
  std::array<QuickValue, kStack> stack_;
  std::array<Frame, kMostFrames> frames_;
  Frame* frame_ = nullptr;
  QuickValue* top_ = nullptr;         // behind the last of a variable number of values
  std::array<QuickValue, 2> inputs_;  // KEYS and ARGV
};

}  // namespace interlock::sim::redis
