// SPDX-License-Identifier: MIT
//
// A case to be replayed: a token, or a counterexample file with the record of its run. A damaged,
// truncated or edited case, or one of another version, is rejected with a sentence; it is never
// replayed as a different run.
//
// Thread safety: values.
#pragma once

#include <optional>
#include <string>

#include <interlock/result.h>

#include "reports/run_report.h"
#include "scenarios/cases/replay_token.h"
#include "scenarios/cli/registry.h"

namespace interlock::scenarios::cli {

struct ReplayCase {
  std::string token_text;
  ReplayToken token;
  Unit unit;
  Workload workload;
  std::optional<reports::Counterexample> file;  ///< set if it came from a file

  RunCase run_case() const { return {unit.entry->subject.get(), unit.scenario, unit.synchrony}; }
  sim::Choices Choices() const;
  RunResult Run(sim::Universe& universe, bool keep_events = false) const;
  /// The same case on another server: another run, with a token of its own and without a record.
  void PutOn(const sim::redis::Dialect& server);
};

/// `what` is a token or a file name. kInvalidArgument says what is wrong.
Result<ReplayCase> ReadReplayCase(const std::string& what, const Registry& registry);

/// Reads a token, wherever it comes from. kInvalidArgument says what is wrong.
Result<ReplayCase> ReplayCaseOf(std::string_view token, const Registry& registry);

/// A sentence that says where the run departs from the record; nullopt: it does not. REQUIRES: the
/// run kept its events.
std::optional<std::string> Divergence(const reports::Record& record, const RunResult& run);

/// A GoogleTest case, as a whole source file, that fails as long as the case violates the property.
/// `shipped`: the lock is one of ours; otherwise the test asks for the user's subject.
std::string AsTest(const ReplayCase& replayed, const RunResult& run, bool shipped);

}  // namespace interlock::scenarios::cli
