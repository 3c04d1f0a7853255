// SPDX-License-Identifier: MIT
//
// What is replayed: a token, or a counterexample file with what it recorded of its run. Whatever is
// damaged, cut, edited or of another version is refused with a sentence; it is never another run.
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
  std::optional<reports::Counterexample> file;  ///< if it came from one

  sim::Choices Choices() const;
};

/// `what` is a token or the name of a file. kInvalidArgument with what is wrong.
Result<ReplayCase> ReadReplayCase(const std::string& what, const Registry& registry);

/// A token for this lock, wherever it comes from. kInvalidArgument with what is wrong.
Result<ReplayCase> ReplayCaseOf(std::string_view token, const Registry& registry);

/// Where the run leaves what was recorded, in a sentence; nothing: it does not. The run has its
/// events.
std::optional<std::string> Divergence(const reports::Record& record, const RunResult& run);

/// A GoogleTest case, as a whole source file, that fails as long as the case violates the property.
/// `shipped`: the lock is one of ours, else the test asks for the user's subject.
std::string AsTest(const ReplayCase& replayed, const RunResult& run, bool shipped);

}  // namespace interlock::scenarios::cli
