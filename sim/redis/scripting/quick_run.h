// SPDX-License-Identifier: MIT
//
// Runs scripts without Lua, as far as it gets. Most scripts compare a few texts and run a few
// commands, and spend nine tenths of their time in making Lua's strings and tables; so this reads
// Lua's instructions and does the plain things alike. Whatever else it comes upon (an error, a text
// that is no decimal integer where a number is needed, a table with other keys than 1, 2, 3, a text
// compared by order, a long run) it leaves to Lua, which begins anew and is told what the commands
// so far were answered (ScriptCalls).
//
// Guaranteed: commands, replies and result are those of Lua, or false is returned. Source:
// lvm.c and the libraries of Lua 5.1. Thread safety: none.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "sim/redis/context.h"
#include "sim/redis/scripting/quick_script.h"
#include "sim/redis/scripting/quick_value.h"
#include "sim/redis/scripting/values.h"

namespace interlock::sim::redis {

class ScriptCalls;

class QuickRun {
 public:
  /// Both outlive this.
  QuickRun(Engine& engine, ScriptCalls& calls) : engine_(engine), calls_(calls) {}

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
  struct KnownCommand {
    const char* name = nullptr;  // among a script's constants
    const Command* command = nullptr;
  };

  static constexpr std::size_t kMostFrames = 8;
  static constexpr std::size_t kStack = 512;
  static constexpr std::size_t kMostArguments = 64;
  static constexpr std::size_t kCommands = 64;

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
  bool FromReply(const Value& reply, QuickValue* value);
  static bool ToReply(const QuickValue& value, Value* reply, int depth);

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
  bool MakeClosure(LuaInstruction now);
  bool Call(LuaInstruction now, int wanted);
  bool Enter(const QuickClosure& closure, QuickValue* results, std::size_t count, int wanted);
  std::span<const QuickValue> Returned(LuaInstruction now);
  void Return(LuaInstruction now);
  /// Returns from the script.
  bool Finish(LuaInstruction now);
  /// `count` results lie at `results`; more are made nil, if more are wanted.
  void Settle(QuickValue* results, std::size_t count, int wanted);
  bool CallCommand(QuickFunction by, std::span<const QuickValue> arguments, QuickValue* result);
  const Command* FindCommand(const QuickValue& name, Arguments words);

  Engine& engine_;
  ScriptCalls& calls_;
  Context* context_ = nullptr;
  QuickMemory memory_;
  std::array<QuickValue, kStack> stack_;
  std::array<Frame, kMostFrames> frames_;
  Frame* frame_ = nullptr;
  QuickValue* top_ = nullptr;         // behind the last of a variable number of values
  std::array<QuickValue, 2> inputs_;  // KEYS and ARGV
  std::array<std::string_view, kMostArguments> words_;  // of a command,
  std::array<NumberText, kMostArguments> numbers_;      // and those that are numbers
  std::array<KnownCommand, kCommands> commands_;
};

}  // namespace interlock::sim::redis
