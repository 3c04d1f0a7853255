// SPDX-License-Identifier: MIT
//
// Checks for programmer errors in the simulator or its callers. On in release builds: a simulator
// that goes on after a broken promise gives verdicts that nobody should trust.
#pragma once

#include <cstdio>
#include <cstdlib>

namespace interlock::sim {

/// Prints `message` and aborts unless `condition` holds.
inline void Require(bool condition, const char* message) {
  if (condition) [[likely]] {
    return;
  }
  std::fprintf(stderr, "interlock sim: %s\n", message);
  std::abort();
}

}  // namespace interlock::sim
