// SPDX-License-Identifier: MIT
#include <interlock/harness/simulate.h>

#include <algorithm>

#include <fmt/format.h>

#include "scenarios/cli/program_verdict.h"
#include "scenarios/run/program/program_faults.h"
#include "scenarios/search/program/program_report.h"
#include "scenarios/search/program/program_search.h"

namespace interlock::harness {

SimulateVerdict Simulate(const Program& program, const SimulateOptions& options) {
  const auto calm = scenarios::CalmWorkload(program);
  if (!calm.ok()) return scenarios::cli::WithoutVerdict(calm.status().message());
  auto limits = scenarios::FaultLimits(options.faults, *calm, scenarios::ServerOf(program));
  if (!limits.ok()) return scenarios::cli::WithoutVerdict(limits.status().message());
  if (options.jobs < 1) {
    return scenarios::cli::WithoutVerdict(
        fmt::format("invalid jobs {}; expected 1 or more", options.jobs));
  }
  scenarios::ProgramSearchOptions search;
  search.seed = options.seed;
  search.runs = std::max<std::uint64_t>(options.runs, 1);
  search.limits = *std::move(limits);
  search.shrink_runs = std::max(options.shrink_runs, 0);
  search.jobs = options.jobs;
  return scenarios::cli::VerdictOf(program, scenarios::SearchProgram(program, *calm, search));
}

SimulateVerdict Replay(const Program& program, std::string_view token) {
  const auto calm = scenarios::CalmWorkload(program);
  if (!calm.ok()) return scenarios::cli::WithoutVerdict(calm.status().message());
  const auto one = scenarios::CaseIn(token, program, *calm);
  if (!one.ok()) return scenarios::cli::WithoutVerdict(one.status().message());
  sim::Universe universe;
  sim::Choices choices = sim::Choices::FromTape(one->tape);
  const scenarios::ProgramResult run =
      scenarios::RunProgram(universe, program, one->workload, choices, /*keep_events=*/true);
  SimulateVerdict verdict;
  if (run.inconclusive && !run.breach) verdict = scenarios::cli::WithoutVerdict(*run.inconclusive);
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
