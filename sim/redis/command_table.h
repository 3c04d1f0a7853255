// SPDX-License-Identifier: MIT
//
// All commands of each server, with the data that COMMAND INFO prints; those without a handler are
// not modelled. To add a command, add a row to the handlers of its type.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "sim/redis/dialect.h"
#include "sim/redis/key_spec.h"

namespace interlock::sim::redis {

struct Context;
using Handler = void (*)(Context&);

enum CommandFlag : std::uint32_t {
  // Printed by COMMAND INFO, in this order.
  kWrite = 1U << 0,
  kReadOnly = 1U << 1,
  kDenyOom = 1U << 2,  // Refused when memory is used up.
  kModule = 1U << 3,   // Of a module that the server brings.
  kAdmin = 1U << 4,
  kPubSub = 1U << 5,
  kNoScript = 1U << 6,
  kBlocking = 1U << 7,
  kLoading = 1U << 8,  // Served while the data is being loaded.
  kStale = 1U << 9,    // Served even by a replica whose link is down.
  kSkipMonitor = 1U << 10,
  kSkipSlowlog = 1U << 11,
  kAsking = 1U << 12,
  kFast = 1U << 13,
  kNoAuth = 1U << 14,  // Served before authentication.
  kNoMandatoryKeys = 1U << 15,
  kNoAsyncLoading = 1U << 16,
  kNoMulti = 1U << 17,
  kMovableKeys = 1U << 18,     // The key range is not exact; derived from the specifications.
  kAllowBusy = 1U << 19,       // Served while a script runs for too long.
  kSkipCommandlog = 1U << 20,  // Valkey's name of kSkipSlowlog.
  // Not printed.
  kMayReplicate = 1U << 24,   // Not a write, but refused where writes are.
  kProtected = 1U << 25,      // Refused unless the configuration enables it.
  kSubscriber = 1U << 26,     // Allowed in the RESP2 subscriber context.
  kAtOnceInMulti = 1U << 27,  // Not queued.
  kContainer = 1U << 28,      // Has subcommands, found as "client|id".
  kSubcommand = 1U << 29,     // A subcommand; derived from the name.
  kShowsInState = 1U << 30,   // See IsDescribed in state.h; derived from the name.
};

/// The ACL categories that do not follow from the flags: see AclCategories.
enum AclCategory : std::uint32_t {
  kAclKeyspace = 1U << 0,
  kAclRead = 1U << 1,
  kAclWrite = 1U << 2,
  kAclSet = 1U << 3,
  kAclSortedSet = 1U << 4,
  kAclList = 1U << 5,
  kAclHash = 1U << 6,
  kAclString = 1U << 7,
  kAclBitmap = 1U << 8,
  kAclHyperLogLog = 1U << 9,
  kAclGeo = 1U << 10,
  kAclStream = 1U << 11,
  kAclPubSub = 1U << 12,
  kAclAdmin = 1U << 13,
  kAclFast = 1U << 14,
  kAclSlow = 1U << 15,
  kAclBlocking = 1U << 16,
  kAclDangerous = 1U << 17,
  kAclConnection = 1U << 18,
  kAclTransaction = 1U << 19,
  kAclScripting = 1U << 20,
};

/// Hints for proxies, in the order in which COMMAND INFO prints them.
enum CommandTip : std::uint16_t {
  kNondeterministic = 1 << 0,
  kNondeterministicOrder = 1 << 1,
  kToAllNodes = 1 << 2,
  kToAllShards = 1 << 3,
  kToMultiShard = 1 << 4,
  kToSpecial = 1 << 5,
  kAllSucceeded = 1 << 6,
  kOneSucceeded = 1 << 7,
  kAggSum = 1 << 8,
  kAggMin = 1 << 9,
  kAggLogicalAnd = 1 << 10,
  kSpecialResponse = 1 << 11,
  // The same words as above; some commands name them last.
  kNondeterministicLast = 1 << 12,
  kNondeterministicOrderLast = 1 << 13,
};

struct Command {
  std::string_view name;  // Lower case.
  std::int8_t arity;      // Redis' convention: -n means n or more.
  std::uint32_t flags;
  std::uint32_t categories;  // A set of AclCategory: those that do not follow from the flags.
  KeySpecs keys = {};
  std::uint16_t tips = 0;
  KeyRange range = {};  // Derived from `keys`.
  Handler handler = nullptr;
  std::uint16_t place = 0;  // Position in KnownCommands, from 1; 0: a Sentinel's own command.
};

inline bool ArityMatches(const Command& command, std::size_t count) {
  const auto given = static_cast<std::int64_t>(count);
  return command.arity >= 0 ? given == command.arity : given >= -command.arity;
}

struct HandlerRow {
  std::string_view name;
  Handler handler;
};

/// Looks up a name in any case; null if unknown. For a container `sub` selects the subcommand;
/// `known_container` tells an unknown subcommand from an unknown command.
const Command* FindCommand(const Dialect& dialect, std::string_view name, std::string_view sub,
                           bool has_sub, bool* known_container);
/// The same for a command with all its words. REQUIRES: at least one.
const Command* FindCommand(const Dialect& dialect, std::span<const std::string_view> words);
const Command* FindCommand(const Dialect& dialect, std::span<const std::string> words);
/// The same among the commands of a Sentinel.
const Command* FindSentinelCommand(const Dialect& dialect, std::string_view name,
                                   std::string_view sub, bool has_sub, bool* known_container);

/// By name; a container's subcommands follow it.
std::span<const Command> KnownCommands(const Dialect& dialect);
/// No server has more.
inline constexpr std::size_t kMostCommands = 512;

/// Where the calling OS thread remembers what FindCommand has found lately.
std::span<const std::byte> RecentlyFound();

/// All ACL categories of the command, a set of AclCategory.
std::uint32_t AclCategories(const Command& command);

std::span<const HandlerRow> StringCommands();
std::span<const HandlerRow> ComparedStringCommands();
std::span<const HandlerRow> StringNumberCommands();
std::span<const HandlerRow> StringRangeCommands();
std::span<const HandlerRow> BitCommands();
std::span<const HandlerRow> BitFieldCommands();
std::span<const HandlerRow> BitOperationCommands();
std::span<const HandlerRow> KeyCommands();
std::span<const HandlerRow> ExpireCommands();
std::span<const HandlerRow> ScanCommands();
std::span<const HandlerRow> ObjectCommands();
std::span<const HandlerRow> DumpCommands();
std::span<const HandlerRow> SortCommands();
std::span<const HandlerRow> ListCommands();
std::span<const HandlerRow> ListPopCommands();
std::span<const HandlerRow> HashCommands();
std::span<const HandlerRow> HashTtlCommands();
std::span<const HandlerRow> HashExCommands();
std::span<const HandlerRow> SetCommands();
std::span<const HandlerRow> SetAlgebraCommands();
std::span<const HandlerRow> SortedSetCommands();
std::span<const HandlerRow> SortedSetRangeCommands();
std::span<const HandlerRow> SortedSetPopCommands();
std::span<const HandlerRow> SortedSetAlgebraCommands();
std::span<const HandlerRow> PubSubCommands();
std::span<const HandlerRow> ScriptCommands();
std::span<const HandlerRow> FunctionCommands();
std::span<const HandlerRow> TransactionCommands();
std::span<const HandlerRow> ConfigCommands();
std::span<const HandlerRow> ConnectionCommands();
std::span<const HandlerRow> ClientCommands();
std::span<const HandlerRow> ClientTrackingCommands();
std::span<const HandlerRow> DebugCommands();
std::span<const HandlerRow> InfoCommands();
std::span<const HandlerRow> ServerCommands();
std::span<const HandlerRow> ClusterCommands();
std::span<const HandlerRow> SlotMigrationCommands();
std::span<const HandlerRow> CommandCommands();
std::span<const HandlerRow> PersistenceCommands();
std::span<const HandlerRow> ReplicationCommands();

}  // namespace interlock::sim::redis
