// SPDX-License-Identifier: MIT
//
// All commands that Redis 7.0.15 knows, with arity and flags; those without a handler are not
// modelled. Adding a command is adding a row to the handlers of its type.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace interlock::sim::redis {

struct Context;
using Handler = void (*)(Context&);

enum CommandFlag : std::uint8_t {
  kWrite = 1,
  kNoScript = 2,
  kNoAuth = 4,          // Served before authentication.
  kSubscriber = 8,      // Allowed in the RESP2 subscriber context.
  kAtOnceInMulti = 16,  // Not queued.
  kNoMulti = 32,
  kContainer = 64,      // Has subcommands, found as "client|id".
  kMayReplicate = 128,  // Not a write, but refused where writes are.
};

struct Command {
  std::string_view name;  // Lower case.
  std::int8_t arity;      // Redis' convention: -n is n or more.
  std::uint8_t flags;
  Handler handler = nullptr;
};

inline bool ArityMatches(const Command& command, std::size_t count) {
  const auto given = static_cast<std::int64_t>(count);
  return command.arity >= 0 ? given == command.arity : given >= -command.arity;
}

struct HandlerRow {
  std::string_view name;
  Handler handler;
};

/// By its name in any case; null if unknown. For a container the subcommand in `sub` decides:
/// `known_container` tells an unknown subcommand from an unknown command.
const Command* FindCommand(std::string_view name, std::string_view sub, bool has_sub,
                           bool* known_container);

std::span<const Command> KnownCommands();

std::span<const HandlerRow> StringCommands();
std::span<const HandlerRow> KeyCommands();
std::span<const HandlerRow> ListCommands();
std::span<const HandlerRow> HashCommands();
std::span<const HandlerRow> SetCommands();
std::span<const HandlerRow> SortedSetCommands();
std::span<const HandlerRow> SortedSetRangeCommands();
std::span<const HandlerRow> PubSubCommands();
std::span<const HandlerRow> ScriptCommands();
std::span<const HandlerRow> TransactionCommands();
std::span<const HandlerRow> ServerCommands();

}  // namespace interlock::sim::redis
