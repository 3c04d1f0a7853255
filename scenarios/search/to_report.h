// SPDX-License-Identifier: MIT
//
// Turns a shrunk violation into a counterexample that a tired engineer understands: repeats the run
// with its events kept, and lays them out in a table of clients and server.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

#include "reports/run_report.h"
#include "scenarios/search/campaign.h"
#include "scenarios/search/shrink/trial.h"

namespace interlock::scenarios {

/// A counterexample with its run's trace hash.
struct Explained {
  reports::Counterexample counterexample;
  std::uint64_t trace_hash = 0;
};

enum class Effort {
  kShow,  ///< one more run, to show it
  kTry,   ///< thousands more runs, to tell what matters and what does not
};

/// "C1 at step 5: pause for 2000.000 ms".
std::string FaultLine(int client, const PlannedFault& fault);

/// `program` is the command that calls this program, for the replay line; empty if unknown. Once
/// `stop` (if any) is set nothing more is tried, and the results so far are reported.
Explained Explain(const Found& found, std::string_view program, Effort effort,
                  const std::atomic<bool>* stop = nullptr);

/// Adds what the run itself does not show: how the counterexample was found and shrunk, and how to
/// replay it.
void CompleteCounterexample(const Found& found, std::string_view program,
                            reports::Counterexample& counterexample);

/// A counterexample of a run that did not reach its end: `run` has its events up to there, or none.
/// `client` caused it; -1: not known.
reports::Counterexample ExplainPartly(const Found& found, const RunResult& run,
                                      std::string sentence, std::string_view program,
                                      int client = -1);

/// What was simulated, with a note if that is known from documents only.
void TellServer(const sim::redis::Dialect& server, reports::RunReport& report);
/// The same notes for all servers of its rows, each once.
void NoteUnproven(reports::RunReport& report);

/// The command line that replays a token; the bare token if `program` is empty.
std::string ReplayCommand(std::string_view program, std::string_view token);

}  // namespace interlock::scenarios
