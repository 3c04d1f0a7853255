// SPDX-License-Identifier: MIT
//
// Installs a library, with the package manager it was published for, into a folder of its own:
// npm's packages exactly as locked, without running their scripts; Debian's packages into the
// machine, if they are not there and we may.
//
// Non-guarantee: what the package managers download is theirs to check (npm by the hashes in the
// lock file, apt-get by signatures). Thread safety: that of ForeignProcess.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include <interlock/result.h>

#include "scenarios/search/audit/library.h"

namespace interlock::scenarios::audit {

/// Copies the library's folder to `work`, which is replaced if it is there, and installs it there.
/// Returns the clients' command. kUnavailable, with the reason: it cannot be installed, or is of
/// another version than the pinned one; kCancelled: stopped.
Result<std::vector<std::string>> Install(const Library& library, const std::string& work,
                                         const std::atomic<bool>& stop);

}  // namespace interlock::scenarios::audit
