// SPDX-License-Identifier: MIT
//
// The counters of INFO: since the start, or since CONFIG RESETSTAT.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/redis/command_table.h"
#include "sim/redis/error_counts.h"
#include "sim/redis/value.h"

namespace interlock::sim::redis {

struct CommandCounts {
  std::int64_t calls = 0;
  std::int64_t rejected = 0;  // Before it ran.
  std::int64_t failed = 0;    // It ran, and answered with an error.
  bool timed = false;         // A call finished while latency-tracking was on.
  bool asked_for = false;     // Since all counts were 0.
};

struct Statistics {
  const Dialect* dialect = &DefaultDialect();
  std::int64_t connections = 0;
  std::int64_t commands = 0;
  std::int64_t expired_keys = 0;
  std::int64_t expired_fields = 0;  // Of hashes, by their TTLs.
  std::int64_t evicted_keys = 0;
  std::int64_t saves = 0;
  std::int64_t rewrites = 0;  // Rewrites of the append-only file.
  std::int64_t forks = 0;     // For either, in the background.
  std::int64_t keyspace_hits = 0;
  std::int64_t keyspace_misses = 0;
  std::int64_t error_replies = 0;
  std::int64_t attributed = 0;  // Error replies counted as failed or rejected for a command.
  ErrorCounts errors;
  std::vector<CommandCounts> by_command;  // By Command::place; allocated on first use.
  std::vector<std::uint16_t> asked_for;   // The places that may not be 0.

  void CountEndedFields(std::size_t fields) { expired_fields += static_cast<std::int64_t>(fields); }
  /// Restarts from 0, in the same memory.
  void Reset() {
    for (const std::uint16_t place : asked_for) by_command[place] = CommandCounts();
    asked_for.clear();
    connections = commands = expired_keys = expired_fields = evicted_keys = saves = rewrites = 0;
    forks = 0;
    keyspace_hits = keyspace_misses = error_replies = attributed = 0;
    errors.Reset();
  }
  CommandCounts& Of(const Command& command) {
    if (by_command.empty()) by_command.resize(kMostCommands + 1);
    CommandCounts& counts = by_command[command.place];
    if (!std::exchange(counts.asked_for, true)) asked_for.push_back(command.place);
    return counts;
  }
  /// `text` as sent: "WRONGTYPE Operation ...". Redis searches only this far for the end of a code.
  /// `made_up` as in ErrorCounts.
  void CountError(std::string_view text, bool made_up = false) {
    constexpr std::size_t kLongestCode = 30;
    const std::size_t end = text.substr(0, kLongestCode + 1).find(' ');
    ++error_replies;
    errors.Count(*dialect, end == std::string_view::npos ? "ERR" : text.substr(0, end), made_up);
  }
  /// A call that has begun with so many error replies. A script's error has been counted for its
  /// command already; a command also fails with errors that it causes for others.
  void CountCall(const Command& command, const Value& reply, std::int64_t errors_before,
                 bool is_timed) {
    CommandCounts& counts = Of(command);
    ++counts.calls;
    counts.timed = counts.timed || is_timed;
    ++commands;
    const bool error = reply.type == Value::Type::kError;
    if (error && error_replies == errors_before) CountError(reply.text);
    if (error || error_replies != attributed) ++counts.failed;
    attributed = error_replies;
  }
};

}  // namespace interlock::sim::redis
