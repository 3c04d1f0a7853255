// SPDX-License-Identifier: MIT
//
// `check --cases DIR`: counterexamples that were saved once, a corpus of regressions.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "reports/exit_code.h"
#include "scenarios/cli/registry.h"

namespace interlock::scenarios::cli {

struct SavedCases {
  /// One for each case that could be replayed, in the order of the file names: whether it still
  /// fails, held against what is expected of its lock.
  std::vector<reports::ResultRow> rows;
  /// kBadInput, after a complaint for each, if a file is damaged, of another version, or of a lock
  /// or scenario that is not there; kUsage, after a complaint, if there is no such folder, or no
  /// case in it.
  reports::ExitCode code = reports::ExitCode::kPass;
};

/// The cases of `asked`; how many of other locks are left out is said. `patience`: real time that a
/// foreign lock's run may take. REQUIRES: Guard, and the calling thread is a GuardedThread.
SavedCases ReplaySavedCases(const std::string& folder, const Registry& registry,
                            const std::vector<Entry>& asked, std::chrono::seconds patience);

}  // namespace interlock::scenarios::cli
