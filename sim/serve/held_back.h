// SPDX-License-Identifier: MIT
//
// Connections of a served Redis whose command a fault holds back, in the order in which that began.
//
// Thread safety: none.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "sim/serve/connection.h"

namespace interlock::sim::serve {

class HeldBack {
 public:
  /// nullopt: until the stall ends.
  void Add(Connection& connection, redis::Argv argv, std::optional<std::int64_t> until_us);
  /// The first one whose command is due; it is not held back any more, and its notes still have the
  /// command. nullptr: none is due.
  std::shared_ptr<Connection> TakeDue(std::int64_t now_us, bool stalled);
  /// All delays are over.
  void EndDelays();
  /// When the first delay is over; nullopt: there is none, or the server is `stalled`.
  std::optional<std::int64_t> NextDueUs(bool stalled) const;
  void Clear() { held_.clear(); }

 private:
  std::vector<std::shared_ptr<Connection>> held_;
};

}  // namespace interlock::sim::serve
