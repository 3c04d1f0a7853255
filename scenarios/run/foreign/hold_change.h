// SPDX-License-Identifier: MIT
//
// What became of one client's hold on a lock's key, as the server's data show it (see holds.h). A
// hash has a hold for each of its fields. Plain data.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace interlock::scenarios::drive {

struct LockKey {
  int node = 0;
  int database = 0;
  std::string key;
  auto operator<=>(const LockKey&) const = default;
};

struct HoldChange {
  enum class Kind : std::uint8_t {
    kGranted,    ///< by a command of its own, or handed over; it may have held it already
    kEndMoved,   ///< the lease ends at another time
    kGivenBack,  ///< removed by a command of its own
    kTaken,      ///< removed or given away by another client's command
    kExpired,    ///< its end has passed
  };
  Kind kind = Kind::kGranted;
  LockKey key;
  int client = 0;                      ///< the owner
  std::optional<std::int64_t> end_ms;  ///< Unix time; nullopt: it has no TTL
  bool by_owner = true;                ///< whether its owner has set that end
  bool excused = false;                ///< a fault, or a wait at the gate, let time pass that end
};

using HoldChanges = std::vector<HoldChange>;

}  // namespace interlock::scenarios::drive
