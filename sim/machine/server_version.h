// SPDX-License-Identifier: MIT
//
// What a real server says of itself. Thread safety: plain data.
#pragma once

#include <string>

namespace interlock::sim::machine {

struct ServerVersion {
  bool valkey = false;
  std::string number;  ///< its own: "7.0.15", "9.1.2"

  /// "Redis 7.0.15", "Valkey 9.1.2".
  std::string text() const { return (valkey ? "Valkey " : "Redis ") + number; }
};

}  // namespace interlock::sim::machine
