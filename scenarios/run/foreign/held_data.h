// SPDX-License-Identifier: MIT
//
// What a server has that may be held by somebody: strings, fields of hashes, members of sorted
// sets; and all other keys, because they may end. Pure function.
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
  std::string value;                       ///< a member's score
  std::optional<std::int64_t> key_end_ms;  ///< Unix time; nullopt: the key has no TTL
};

/// In all databases.
std::map<HeldId, HeldData> HeldDataOf(int node, const sim::redis::Server& server);

}  // namespace interlock::scenarios::drive
