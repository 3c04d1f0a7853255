// SPDX-License-Identifier: MIT
//
// The rows of the command table, by group, and the vocabulary they use. Source: what COMMAND of
// redis-server 7.0.15 prints, all 240 commands and the containers' subcommands; what it does not
// print (kMayReplicate, kProtected, and how MULTI and subscribers treat a command) is measured.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/redis/command_table.h"
#include "sim/redis/key_spec.h"

namespace interlock::sim::redis::catalogue {

std::span<const Command> KeyRows();
std::span<const Command> StringRows();      ///< bitmaps and HyperLogLogs, too
std::span<const Command> CollectionRows();  ///< lists, hashes, sets, sorted sets
std::span<const Command> StreamRows();      ///< and geo
std::span<const Command> ConnectionRows();
std::span<const Command> MessagingRows();  ///< pub/sub, transactions, scripts, functions
std::span<const Command> ServerRows();
std::span<const Command> ClusterRows();

/// Makes the commands of Redis 7.0 those of the dialect.
void AddNewer(const Dialect& dialect, std::vector<Command>* commands);

/// The combinations of KeyFlag that occur.
inline constexpr std::uint16_t kLooks = kKeyRo;  // At the name or the type, not the content.
inline constexpr std::uint16_t kReads = kKeyRo | kKeyAccess;
inline constexpr std::uint16_t kUpdates = kKeyRw | kKeyUpdate;
inline constexpr std::uint16_t kInserts = kKeyRw | kKeyInsert;
inline constexpr std::uint16_t kDeletes = kKeyRw | kKeyDelete;
inline constexpr std::uint16_t kTakes = kKeyRw | kKeyAccess | kKeyDelete;
inline constexpr std::uint16_t kTakesSome = kTakes | kKeyIncomplete;
inline constexpr std::uint16_t kReadsAndWrites = kKeyRw | kKeyAccess;
inline constexpr std::uint16_t kReadsAndUpdates = kKeyRw | kKeyAccess | kKeyUpdate;
inline constexpr std::uint16_t kReadsOrUpdates = kReadsAndUpdates | kKeyVariableFlags;
inline constexpr std::uint16_t kReadsAndInserts = kKeyRw | kKeyAccess | kKeyInsert;
inline constexpr std::uint16_t kOverwrites = kKeyOw | kKeyUpdate;
inline constexpr std::uint16_t kStores = kKeyOw | kKeyInsert;
inline constexpr std::uint16_t kRemoves = kKeyRm | kKeyDelete;
inline constexpr std::uint16_t kChannel = kKeyNot;

constexpr KeySpec Keys(int first, int last, std::uint16_t flags, int step = 1) {
  KeySpec spec;
  spec.flags = flags;
  spec.begin = KeySpec::Begin::kIndex;
  spec.find = KeySpec::Find::kRange;
  spec.index = static_cast<std::int8_t>(first);
  spec.last = static_cast<std::int8_t>(last);
  spec.step = static_cast<std::int8_t>(step);
  return spec;
}

constexpr KeySpec Key(int index, std::uint16_t flags) { return Keys(index, 0, flags); }

/// The argument at `index` is the number of keys that follow.
constexpr KeySpec CountedKeys(int index, std::uint16_t flags) {
  KeySpec spec = Key(index, flags);
  spec.find = KeySpec::Find::kCounted;
  return spec;
}

constexpr KeySpec KeysAfter(const char* keyword, int search_from, int last, std::uint16_t flags,
                            int limit = 0) {
  KeySpec spec = Keys(search_from, last, flags);
  spec.begin = KeySpec::Begin::kKeyword;
  spec.keyword = keyword;
  spec.limit = static_cast<std::int8_t>(limit);
  return spec;
}

constexpr KeySpec UnknownKeys(std::uint16_t flags) {
  KeySpec spec;
  spec.flags = flags;
  spec.begin = KeySpec::Begin::kUnknown;
  return spec;
}

constexpr KeySpec Noted(KeySpec spec, const char* notes) {
  spec.notes = notes;
  return spec;
}

}  // namespace interlock::sim::redis::catalogue
