// SPDX-License-Identifier: MIT
//
// What the locks of each kind say to the server: their scripts, and as text one line for each thing
// that they can say, with all of its words. Where the lines of two versions are the same, no server
// can tell their clients apart.
//
// Thread safety: may be called from any thread.
#pragma once

#include <string>
#include <vector>

#include "src/scripts/script.h"

namespace interlock::scenarios::testing {

/// The scripts of all kinds. A mutex without fencing is none: a6ad68e had none.
std::vector<const internal::Script*> TodaysScripts();

/// "kind: script KEYS ... ARGV ...", of locks whose prefix is "P:" and whose name is "n"; and the
/// keys on which waiters sleep, and the default prefixes.
std::vector<std::string> CallsOfAllKinds();

}  // namespace interlock::scenarios::testing
