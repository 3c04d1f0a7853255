// SPDX-License-Identifier: MIT
//
// Three programs as a company might have them, each in two variants: one that trusts its lock, and
// one in which what the lock guards looks at fencing tokens. Simulate convicts the first of each
// and acquits the second.
//
// Thread safety: pure functions.
#pragma once

#include <interlock/harness/program.h>

namespace acme {

enum class Guard {
  kTrust,  ///< whoever holds the lock writes
  kFence,  ///< a write with an older fencing token than the latest is refused
};

/// Two shops sell the last item, which may be sold once.
interlock::harness::Program Inventory(Guard guard);

/// A leader appends to a log, in which nothing of an older leader may follow a newer one's.
interlock::harness::Program Leader(Guard guard);

/// A job that must run once, whichever of the workers gets it.
interlock::harness::Program OnceJob(Guard guard);

}  // namespace acme
