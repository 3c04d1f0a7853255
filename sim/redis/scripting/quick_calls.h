// SPDX-License-Identifier: MIT
//
// The commands of scripts that run without Lua (quick_run.h): their words, and what becomes of
// replies and of the script's result. Source: script.c and script_lua.c of Redis. Thread safety:
// none.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

#include "sim/redis/context.h"
#include "sim/redis/scripting/quick_value.h"
#include "sim/redis/scripting/values.h"

namespace interlock::sim::redis {

class ScriptCalls;

class QuickCalls {
 public:
  /// All outlive this.
  QuickCalls(Engine& engine, ScriptCalls& calls, QuickMemory& memory)
      : engine_(engine), calls_(calls), memory_(memory) {}

  /// redis.call or redis.pcall. False: it is refused, is no command, or raises an error; Lua will
  /// say so.
  bool Call(const QuickFunction& by, std::span<const QuickValue> arguments, QuickValue* result);

 private:
  struct KnownCommand {
    const char* name = nullptr;  // among a script's constants
    const Command* command = nullptr;
  };

  static constexpr std::size_t kMostArguments = 64;
  static constexpr std::size_t kCommands = 64;

  const Command* FindCommand(const QuickValue& name, Arguments words);
  bool FromReply(const Value& reply, QuickValue* value);

  Engine& engine_;
  ScriptCalls& calls_;
  QuickMemory& memory_;
  std::array<std::string_view, kMostArguments> words_;  // of the present command,
  std::array<NumberText, kMostArguments> numbers_;      // and those that are numbers
  std::array<KnownCommand, kCommands> commands_;
};

/// Makes the reply to a script of what it returns. False: that is left to Lua, and the reply is
/// unspecified.
bool ToReply(const QuickValue& value, Value* reply, int depth = 0);

}  // namespace interlock::sim::redis
