// SPDX-License-Identifier: MIT
//
// Checks for programmer errors in the simulator or its callers. Enabled in release builds too:
// verdicts of a simulator that continues after a broken promise cannot be trusted.
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
