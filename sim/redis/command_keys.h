// SPDX-License-Identifier: MIT
//
// Which arguments of a command are keys: what COMMAND GETKEYS answers, and what a Cluster checks
// before it serves a command. Pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "sim/redis/command_table.h"

namespace interlock::sim::redis {

struct KeyPosition {
  std::size_t index = 0;    ///< into the arguments, including the command's name
  std::uint16_t flags = 0;  ///< a set of KeyFlag
  bool operator==(const KeyPosition&) const = default;
};

/// The keys found by the specifications or, where those are not enough (SORT STORE, MIGRATE KEYS
/// ...), by the command's options; without shard channels. In the order of the specifications;
/// empty if there are none, or if the arguments make no sense. REQUIRES: the command takes this
/// number of arguments.
std::vector<KeyPosition> FindKeys(const Command& command, std::span<const std::string_view> args);

/// The arguments whose slots decide which node of a Cluster serves the command: its keys, or its
/// shard channels (SSUBSCRIBE, SPUBLISH). REQUIRES: the command takes this number of arguments.
std::vector<std::size_t> KeyPositions(const Command& command,
                                      std::span<const std::string_view> args);

/// Sets `range` and kMovableKeys from the specifications.
void DeriveKeyRange(Command* command);

}  // namespace interlock::sim::redis
