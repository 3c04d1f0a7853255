// SPDX-License-Identifier: MIT
#include <interlock/harness/explore_program.h>
#include <interlock/harness/simulate.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "scenarios/log/words.h"
#include "scenarios/run/program/program_faults.h"
#include "scenarios/search/program/program_exploration.h"
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

Status Bad(std::string message) { return Status(StatusCode::kInvalidArgument, std::move(message)); }

Result<scenarios::ExploredProgram> WhatToExplore(const Program& program,
                                                 const ExploreProgramOptions& options) {
  if (program.posix) return Bad("posix clients cannot be explored; Simulate tries them");
  auto calm = scenarios::CalmWorkload(program);
  if (!calm.ok()) return calm.status();
  auto limits = scenarios::FaultLimits(options.faults, *calm);
  if (!limits.ok()) return limits.status();
  for (const scenarios::FaultLimit& limit : *limits) {
    if (scenarios::IsExplorable(limit.kind)) continue;
    return Bad(
        fmt::format("the fault {} cannot be explored, because messages take no time there; "
                    "Simulate tries it",
                    ToString(limit.kind)));
  }
  scenarios::ExploredProgram explored{*std::move(calm), *std::move(limits), options.pauses};
  explored.workload.latency_max = Duration{};
  if (explored.pauses.empty()) explored.pauses.push_back(program.lease * 5 / 4);
  for (const Duration pause : explored.pauses) {
    if (pause.count() > 0) continue;
    return Bad(fmt::format("invalid pause of {} ns; expected more than 0", pause.count()));
  }
  return explored;
}

/// "2 clients, <= 1 crash, <= 1 pause of 1250.000 ms".
std::string BoundsOf(const scenarios::ExploredProgram& explored) {
  const std::size_t clients = explored.workload.clients.size();
  std::string text = fmt::format("{} client{}", clients, clients == 1 ? "" : "s");
  for (const scenarios::FaultLimit& limit : explored.limits) {
    text += fmt::format(", <= {} {}", limit.most, ToString(limit.kind));
    if (limit.kind != sim::FaultKind::kPause) continue;
    for (std::size_t i = 0; i < explored.pauses.size(); ++i) {
      text += fmt::format("{}{}", i == 0 ? " of " : " or ", scenarios::Instant(explored.pauses[i]));
    }
  }
  return explored.limits.empty() ? text + ", no faults" : text;
}

/// The smallest case as a search that looked for one finds it.
scenarios::ProgramSearchResult Shrunk(const Program& program,
                                      const scenarios::ProgramCase& original, std::uint64_t runs) {
  constexpr int kMostTries = 2000;
  sim::Universe universe;
  const auto run = [&](const scenarios::ProgramCase& one) {
    sim::Choices choices = sim::Choices::FromTape(one.tape);
    return scenarios::RunProgram(universe, program, one.workload, choices);
  };
  scenarios::ProgramSearchResult result;
  result.runs = runs;
  const scenarios::Breach breach = *run(original).breach;
  auto shrunk = scenarios::ShrinkProgram(universe, program, original, breach, kMostTries);
  const scenarios::Breach smallest = run(shrunk.smallest).breach.value_or(breach);
  result.found = scenarios::FoundBreach{original, std::move(shrunk), smallest};
  return result;
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

ExploreVerdict Explore(const Program& program, const ExploreProgramOptions& options) {
  ExploreVerdict verdict;
  const auto explored = WhatToExplore(program, options);
  if (!explored.ok()) {
    verdict.text = explored.status().message() + "\n";
    return verdict;
  }
  scenarios::ProgramExplorationLimits limits;
  limits.most_states = options.most_states;
  if (options.budget) limits.deadline = std::chrono::steady_clock::now() + *options.budget;
  const scenarios::ProgramExploration exploration =
      scenarios::ExploreProgram(program, *explored, limits);
  verdict.passed = exploration.complete;
  verdict.violated = exploration.found.has_value();
  verdict.states = exploration.states;
  const std::string bounds = BoundsOf(*explored);
  if (verdict.passed) {
    verdict.text = fmt::format("{}: no violation: {}; {} states, {} runs\n", program.name, bounds,
                               exploration.states, exploration.runs);
  } else if (!verdict.violated) {
    verdict.text =
        fmt::format("{}: no verdict: {}: {}\n", program.name, bounds, exploration.no_verdict);
  } else {
    const scenarios::ProgramSearchResult found =
        Shrunk(program, *exploration.found, exploration.runs);
    verdict.token = scenarios::TokenOf(found.found->shrunk.smallest, program);
    verdict.text =
        scenarios::TextOf(scenarios::CounterexampleOf(program, found), verdict.token) +
        fmt::format("{}: violated: {}; no run with fewer faults is\n", program.name, bounds);
  }
  return verdict;
}

}  // namespace interlock::harness
