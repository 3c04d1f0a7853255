// SPDX-License-Identifier: MIT
//
// Which of the 16384 slots of a Redis Cluster a command belongs to. Pure functions; thread safe.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace interlock::internal {

inline constexpr int kSlots = 16384;

/// CRC16 of the key, or of its hash tag: what stands between the first '{' and the next '}', if
/// that is not empty.
int SlotOf(std::string_view key);

/// The first key of a command as the library sends them: EVAL and EVALSHA count theirs; for all
/// other commands it is the first argument. nullopt: the command has none, like PING or WAIT.
std::optional<std::string_view> KeyOf(std::span<const std::string_view> argv);

}  // namespace interlock::internal
