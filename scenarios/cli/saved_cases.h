// SPDX-License-Identifier: MIT
//
// `check --cases DIR`: saved counterexamples, used as a regression corpus.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "reports/exit_code.h"
#include "scenarios/cli/registry.h"

namespace interlock::scenarios::cli {

struct SavedCases {
  /// One row for each case that could be replayed, in the order of the file names: whether it still
  /// fails, compared with the expectation for its lock.
  std::vector<reports::ResultRow> rows;
  /// kBadInput, after a complaint for each, if a file is damaged, has another version, or names an
  /// unknown lock or scenario; kUsage, after a complaint, if there is no such folder, or no case in
  /// it.
  reports::ExitCode code = reports::ExitCode::kPass;
};

/// Replays the cases of the locks in `asked` and says how many cases of other locks it left out.
/// `patience` is the real time that a run of a foreign lock may take. REQUIRES: Guard, and the
/// calling thread is a GuardedThread.
SavedCases ReplaySavedCases(const std::string& folder, const Registry& registry,
                            const std::vector<Entry>& asked, std::chrono::seconds patience);

}  // namespace interlock::scenarios::cli
