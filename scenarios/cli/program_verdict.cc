// SPDX-License-Identifier: MIT
#include "scenarios/cli/program_verdict.h"

#include <utility>

#include <fmt/format.h>

#include "scenarios/cases/server_words.h"
#include "scenarios/run/program/program_faults.h"
#include "scenarios/search/program/program_report.h"

namespace interlock::scenarios::cli {

harness::SimulateVerdict WithoutVerdict(std::string message) {
  harness::SimulateVerdict verdict;
  verdict.text = message + "\n";
  verdict.message = std::move(message);
  return verdict;
}

harness::SimulateVerdict VerdictOf(const harness::Program& program,
                                   const ProgramSearchResult& result) {
  harness::SimulateVerdict verdict;
  if (result.found) {
    verdict.violated = true;
    verdict.invariant = NameOf(result.found->breach, program);
    verdict.message = result.found->breach.what;
    verdict.token = TokenOf(result.found->shrunk.smallest, program);
    verdict.text = TextOf(CounterexampleOf(program, result), verdict.token);
  } else if (!result.no_verdict.empty()) {
    verdict = WithoutVerdict(result.no_verdict);
    verdict.token = result.token;
  } else {
    verdict.ok = true;
    verdict.message = fmt::format("{}: nothing was violated in {} run{}", program.name, result.runs,
                                  result.runs == 1 ? "" : "s");
    verdict.text = verdict.message + "\n";
  }
  if (const auto why = WhyUnproven(ServerOf(program))) verdict.text += *why + "\n";
  verdict.runs = result.runs;
  return verdict;
}

}  // namespace interlock::scenarios::cli
