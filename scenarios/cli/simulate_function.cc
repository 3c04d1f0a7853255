// SPDX-License-Identifier: MIT
#include <interlock/harness/simulate.h>

#include <algorithm>

#include <fmt/format.h>

#include "scenarios/run/program/program_faults.h"
#include "scenarios/search/program/program_report.h"
#include "scenarios/search/program/program_search.h"

namespace interlock::harness {
namespace {

SimulateVerdict WithoutVerdict(std::string message) {
  SimulateVerdict verdict;
  verdict.text = message + "\n";
  verdict.message = std::move(message);
  return verdict;
}

}  // namespace

SimulateVerdict Simulate(const Program& program, const SimulateOptions& options) {
  const auto calm = scenarios::CalmWorkload(program);
  if (!calm.ok()) return WithoutVerdict(calm.status().message());
  auto limits = scenarios::FaultLimits(options.faults, *calm);
  if (!limits.ok()) return WithoutVerdict(limits.status().message());
  scenarios::ProgramSearchOptions search;
  search.seed = options.seed;
  search.runs = std::max<std::uint64_t>(options.runs, 1);
  search.limits = *std::move(limits);
  search.shrink_runs = std::max(options.shrink_runs, 0);
  const scenarios::ProgramSearchResult result = scenarios::SearchProgram(program, *calm, search);
  SimulateVerdict verdict;
  if (!result.no_verdict.empty()) verdict = WithoutVerdict(result.no_verdict);
  verdict.runs = result.runs;
  verdict.token = result.token;
  verdict.ok = result.no_verdict.empty() && !result.found;
  if (verdict.ok) {
    verdict.message = fmt::format("{}: nothing was violated in {} run{}", program.name, result.runs,
                                  result.runs == 1 ? "" : "s");
    verdict.text = verdict.message + "\n";
  }
  if (!result.found) return verdict;
  verdict.violated = true;
  verdict.invariant = scenarios::NameOf(result.found->breach, program);
  verdict.message = result.found->breach.what;
  verdict.token = scenarios::TokenOf(result.found->shrunk.smallest, program);
  verdict.text = scenarios::TextOf(scenarios::CounterexampleOf(program, result), verdict.token);
  return verdict;
}

SimulateVerdict Replay(const Program& program, std::string_view token) {
  const auto calm = scenarios::CalmWorkload(program);
  if (!calm.ok()) return WithoutVerdict(calm.status().message());
  const auto one = scenarios::CaseIn(token, program, *calm);
  if (!one.ok()) return WithoutVerdict(one.status().message());
  sim::Universe universe;
  sim::Choices choices = sim::Choices::FromTape(one->tape);
  const scenarios::ProgramResult run =
      scenarios::RunProgram(universe, program, one->workload, choices, /*keep_events=*/true);
  SimulateVerdict verdict;
  if (run.inconclusive && !run.breach) verdict = WithoutVerdict(*run.inconclusive);
  verdict.runs = 1;
  verdict.ok = !run.breach && !run.inconclusive;
  if (!run.breach) return verdict;
  verdict.violated = true;
  verdict.invariant = scenarios::NameOf(*run.breach, program);
  verdict.message = run.breach->what;
  verdict.token = token;
  verdict.text = scenarios::TextOf(scenarios::CounterexampleOf(program, *one, run), verdict.token);
  return verdict;
}

}  // namespace interlock::harness
