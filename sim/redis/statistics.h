// SPDX-License-Identifier: MIT
//
// What INFO counts: since the start, or since CONFIG RESETSTAT.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "sim/redis/command_table.h"

namespace interlock::sim::redis {

struct CommandCounts {
  std::int64_t calls = 0;
  std::int64_t rejected = 0;  // Before it ran.
  std::int64_t failed = 0;    // It ran, and answered an error.
};

struct Statistics {
  std::int64_t connections = 0;
  std::int64_t commands = 0;
  std::int64_t expired_keys = 0;
  std::int64_t evicted_keys = 0;
  std::int64_t keyspace_hits = 0;
  std::int64_t keyspace_misses = 0;
  std::int64_t error_replies = 0;
  std::map<std::string, std::int64_t, std::less<>> errors;  // By the first word.
  // As KnownCommands(), and one for all that are not among them: a Sentinel's own.
  std::vector<CommandCounts> by_command;

  CommandCounts& Of(const Command& command) {
    const std::span<const Command> known = KnownCommands();
    if (by_command.empty()) by_command.resize(known.size() + 1);
    const std::less<const Command*> before;
    const bool is_known = !before(&command, known.data()) && before(&command, &known.back());
    return is_known || &command == &known.back()
               ? by_command[static_cast<std::size_t>(&command - known.data())]
               : by_command.back();
  }
  /// `text` as it is sent: "WRONGTYPE Operation ...". Redis looks for a code's end so far only.
  void CountError(std::string_view text) {
    constexpr std::size_t kLongestCode = 30;
    const std::size_t end = text.substr(0, kLongestCode + 1).find(' ');
    ++error_replies;
    ++errors[end == std::string_view::npos ? "ERR" : std::string(text.substr(0, end))];
  }
};

}  // namespace interlock::sim::redis
