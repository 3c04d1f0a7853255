// SPDX-License-Identifier: MIT
//
// The data in a server that somebody may hold: strings, fields of hashes, members of sorted sets;
// and all other keys, because they may expire. Pure function.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "sim/redis/server.h"

namespace interlock::scenarios::drive {

struct HeldId {
  int node = 0;
  int database = 0;
  std::string key;
  std::string part;  ///< field or member; empty: the key itself
  auto operator<=>(const HeldId&) const = default;
};

struct HeldData {
  enum class Kind : std::uint8_t { kString, kField, kMember, kOther };
  Kind kind = Kind::kOther;
  std::string value;                       ///< for a member, its score
  std::optional<std::int64_t> key_end_ms;  ///< Unix time; nullopt: the key has no TTL
};

using HeldMap = std::map<HeldId, HeldData>;

/// In all databases.
HeldMap HeldDataOf(int node, const sim::redis::Server& server);

}  // namespace interlock::scenarios::drive
